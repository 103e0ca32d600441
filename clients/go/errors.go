package sessiontools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

const errorDomain = "sessiontools"

// closing is what gRPC says of a call on a connection that this program has closed: none will ever succeed.
const closing = "grpc: the client connection is closing"

// Error is why a call failed. Every method of [Client] returns its errors as this type, for errors.As. A deadline and
// a cancellation are also context.DeadlineExceeded and context.Canceled, for errors.Is.
type Error struct {
	// Code is the status code of gRPC.
	Code codes.Code
	// Reason is the name of a v1.ErrorReason without its prefix, such as `LEASE_LOST`; see [HasReason]. Empty when
	// the error is not the service's own, as when it cannot be reached.
	Reason string
	// Message is a sentence for people.
	Message string
	// Metadata names what was refused; the comments of v1.ErrorReason tell the names.
	Metadata map[string]string
	// Fields are the wrong fields of the request.
	Fields []FieldProblem
	// RetryAfter is when to try again at the earliest. 0 when the server did not say.
	RetryAfter time.Duration

	status *status.Status
}

// FieldProblem is one wrong field of a request.
type FieldProblem struct {
	// Field is the name of the field, with a path when it is nested.
	Field string
	// Problem is what is wrong with it.
	Problem string
}

// Error tells the reason, or the code when there is none, and the message.
func (e *Error) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("%s: %s", e.Reason, e.Message)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// GRPCStatus lets status.FromError and status.Code see through.
func (e *Error) GRPCStatus() *status.Status {
	return e.status
}

// Is makes the two errors of contexts recognizable.
func (e *Error) Is(target error) bool {
	return target == context.DeadlineExceeded && e.Code == codes.DeadlineExceeded ||
		target == context.Canceled && e.Code == codes.Canceled
}

// HasReason tells whether an error is a refusal for this reason.
func HasReason(err error, reason v1.ErrorReason) bool {
	var refusal *Error
	return errors.As(err, &refusal) && "ERROR_REASON_"+refusal.Reason == reason.String()
}

// typed is an error of gRPC as *Error.
func typed(err error) error {
	if err == nil {
		return nil
	}
	told, ok := status.FromError(err)
	if !ok {
		told = status.FromContextError(err)
	}
	result := &Error{Code: told.Code(), Message: told.Message(), status: told}
	for _, detail := range told.Details() {
		result.add(detail)
	}
	return result
}

func (e *Error) add(detail any) {
	switch detail := detail.(type) {
	case *errdetails.ErrorInfo:
		if detail.Domain == errorDomain {
			e.Reason, e.Metadata = strings.TrimPrefix(detail.Reason, "ERROR_REASON_"), detail.Metadata
		}
	case *errdetails.BadRequest:
		for _, each := range detail.FieldViolations {
			e.Fields = append(e.Fields, FieldProblem{each.Field, each.Description})
		}
	case *errdetails.RetryInfo:
		e.RetryAfter = detail.RetryDelay.AsDuration()
	}
}

// isTemporary tells whether the same call may succeed in a while. The caller's own deadline and cancellation look like
// those of a server that went away; whoever asks has looked at its context before.
func isTemporary(err error) bool {
	var refusal *Error
	if !errors.As(err, &refusal) {
		return false
	}
	switch refusal.Code {
	case codes.Unavailable, codes.DeadlineExceeded:
		return true
	case codes.Canceled:
		return refusal.Message != closing
	case codes.ResourceExhausted:
		return refusal.RetryAfter > 0
	case codes.Internal:
		return isReset(refusal)
	default:
		return false
	}
}

// isReset tells a reset of the connection from a fault of the server, which has a reason, and from a message that gRPC
// cannot encode or decode. The latter two stay as they are.
func isReset(internal *Error) bool {
	return internal.Reason == "" && !strings.HasPrefix(internal.Message, "grpc: ")
}
