package sessiontools

import (
	"context"
	"errors"
	"maps"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

// fakeSends notes what it is sent, and answers with these errors first.
type fakeSends struct {
	v1.UnimplementedSessionToolsServiceServer

	mutex    sync.Mutex
	errors   []error
	ids      []string
	metadata metadata.MD
}

func (f *fakeSends) SessionsSend(
	ctx context.Context, request *v1.SessionsSendRequest,
) (*v1.SessionsSendResponse, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.ids = append(f.ids, request.RequestId)
	f.metadata, _ = metadata.FromIncomingContext(ctx)
	if len(f.errors) > 0 {
		err := f.errors[0]
		f.errors = f.errors[1:]
		return nil, err
	}
	return &v1.SessionsSendResponse{RunId: "run"}, nil
}

func sending(t *testing.T, fake *fakeSends, options ...Option) *Client {
	t.Helper()
	client, _ := connected(t, func(s *grpc.Server) { v1.RegisterSessionToolsServiceServer(s, fake) }, options...)
	return client
}

func TestAnEmptyRequestIDIsFilledInAnewForEveryCall(t *testing.T) {
	fake := &fakeSends{}
	client, request := sending(t, fake), &v1.SessionsSendRequest{Message: "hello"}

	_, first := client.SessionsSend(t.Context(), request)
	_, second := client.SessionsSend(t.Context(), request)

	if err := errors.Join(first, second); err != nil {
		t.Fatal(err)
	}
	if len(fake.ids[0]) != 36 || fake.ids[0] == fake.ids[1] || request.RequestId != "" {
		t.Errorf("sent %v, the request has %q", fake.ids, request.RequestId)
	}
}

func TestTheCallersRequestIDIsKept(t *testing.T) {
	fake := &fakeSends{}

	_, err := sending(t, fake).SessionsSend(t.Context(), &v1.SessionsSendRequest{RequestId: "mine"})

	equal(t, "sent", fake.ids, []string{"mine"})
	if err != nil {
		t.Error(err)
	}
}

func TestACallThatIsRepeatedKeepsItsRequestID(t *testing.T) { // R8
	fake := &fakeSends{errors: []error{status.Error(codes.Unavailable, "restarting")}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	v1.RegisterSessionToolsServiceServer(server, fake)
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()
	client := Dial(listener.Addr().String(), Plaintext())
	defer func() { _ = client.Close() }()

	_, err = client.SessionsSend(t.Context(), &v1.SessionsSendRequest{Message: "hello"})

	if err != nil || len(fake.ids) != 2 || fake.ids[0] != fake.ids[1] {
		t.Errorf("error %v, sent %v", err, fake.ids)
	}
}

func TestCredentialsGoWithEveryCall(t *testing.T) {
	fake := &fakeSends{}
	owner := sending(t, fake, Token("secret"), ActingSession("main"))
	cases := map[string]struct {
		client *Client
		token  string
		acting []string
	}{
		"as dialed":       {owner, "Bearer secret", []string{"main"}},
		"another session": {owner.ActingAs("cron:1"), "Bearer secret", []string{"cron:1"}},
		"another token":   {owner.WithToken("run token"), "Bearer run token", nil},
	}
	for name, each := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := each.client.SessionsSend(t.Context(), &v1.SessionsSendRequest{})

			equal(t, "authorization", fake.metadata.Get("authorization"), []string{each.token})
			equal(t, "acting-session", fake.metadata.Get("acting-session"), each.acting)
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestARefusalHasItsReasonAndDetails(t *testing.T) { // X1
	refused, _ := status.New(codes.InvalidArgument, "the message is blank").WithDetails(
		&errdetails.ErrorInfo{Reason: "INVALID_FIELD", Domain: "sessiontools", Metadata: map[string]string{"a": "b"}},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "message", Description: "is required"},
		}},
		&errdetails.RetryInfo{RetryDelay: durationpb.New(2 * time.Second)})
	client := sending(t, &fakeSends{errors: []error{refused.Err()}})

	_, err := client.SessionsSend(t.Context(), &v1.SessionsSendRequest{})

	var refusal *Error
	if !errors.As(err, &refusal) {
		t.Fatalf("%T", err)
	}
	equal(t, "fields", refusal.Fields, []FieldProblem{{"message", "is required"}})
	if refusal.Code != codes.InvalidArgument || refusal.Reason != "INVALID_FIELD" ||
		refusal.RetryAfter != 2*time.Second || !maps.Equal(refusal.Metadata, map[string]string{"a": "b"}) {
		t.Errorf("%+v", refusal)
	}
	if !HasReason(err, v1.ErrorReason_ERROR_REASON_INVALID_FIELD) || status.Code(err) != codes.InvalidArgument {
		t.Error(err)
	}
	if err.Error() != "INVALID_FIELD: the message is blank" {
		t.Error(err)
	}
}

func TestAnErrorThatIsNotTheServicesHasNoReason(t *testing.T) {
	foreign, _ := status.New(codes.PermissionDenied, "no").WithDetails(
		&errdetails.ErrorInfo{Reason: "IP_BLOCKED", Domain: "proxy"})
	client := sending(t, &fakeSends{errors: []error{foreign.Err()}})

	_, err := client.SessionsSend(t.Context(), &v1.SessionsSendRequest{})

	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Reason != "" || err.Error() != "PermissionDenied: no" {
		t.Error(err)
	}
}

func TestTheCallersCancellationIsRecognizable(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	_, err := sending(t, &fakeSends{}).SessionsSend(ctx, &v1.SessionsSendRequest{})

	if !errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestAMalformedTargetIsToldByEveryCall(t *testing.T) {
	client := Dial("unix:///a", DialOptions(grpc.WithDefaultServiceConfig("{")))

	_, sending := client.SessionsSend(t.Context(), &v1.SessionsSendRequest{})
	_, waiting := told(t.Context(), client, &v1.WaitRunRequest{})

	if status.Code(sending) != codes.InvalidArgument || status.Code(waiting) != codes.InvalidArgument {
		t.Errorf("%v, %v", sending, waiting)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}
