package sessiontools

import (
	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// withRequestID gives a request that has an empty request_id a copy with a fresh one, so that gRPC may repeat the call.
// The caller's own stays as it is: used for a second call, it is to be a second request.
func withRequestID(args any) any {
	request, ok := args.(proto.Message)
	if !ok {
		return args
	}
	field := request.ProtoReflect().Descriptor().Fields().ByName("request_id")
	if field == nil || field.Kind() != protoreflect.StringKind || request.ProtoReflect().Has(field) {
		return args
	}
	filled := proto.Clone(request)
	filled.ProtoReflect().Set(field, protoreflect.ValueOfString(uuid.NewString()))
	return filled
}
