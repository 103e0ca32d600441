package sessiontools

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

func snapshot(cursor string) *v1.WaitRunResponse {
	return &v1.WaitRunResponse{Cursor: cursor, Event: &v1.WaitRunResponse_Snapshot{Snapshot: &v1.RunSnapshot{}}}
}

func delta(cursor string) *v1.WaitRunResponse {
	return &v1.WaitRunResponse{
		Cursor: cursor, Event: &v1.WaitRunResponse_OutputDelta{OutputDelta: &v1.OutputDelta{Text: cursor}},
	}
}

func ended(cursor string, reason v1.EndReason) *v1.WaitRunResponse {
	return &v1.WaitRunResponse{
		Cursor: cursor, Event: &v1.WaitRunResponse_Ended{Ended: &v1.WaitEnded{Reason: reason}},
	}
}

// sends is a stream with these messages, ended with this error.
func sends(err error, messages ...*v1.WaitRunResponse) script {
	return func(_ context.Context, send func(*v1.WaitRunResponse)) error {
		for _, message := range messages {
			send(message)
		}
		return err
	}
}

func finishes(cursor string) script {
	return sends(nil, snapshot(cursor), ended(cursor, v1.EndReason_END_REASON_RUN_TERMINAL))
}

// told collects the cursors of what a wait yields, and its error.
func told(ctx context.Context, client *Client, request *v1.WaitRunRequest) (cursors []string, failure error) {
	for message, err := range client.WaitRun(ctx, request) {
		if err != nil {
			return cursors, err
		}
		cursors = append(cursors, message.Cursor)
	}
	return cursors, nil
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestACutWaitResumesAfterTheLastCursorAndLooksLikeOneStream(t *testing.T) { // W1, W2
	client, fake, _ := waiting(t,
		sends(status.Error(codes.Unavailable, "cut"), snapshot("0"), delta("1"), delta("2")),
		sends(status.Error(codes.Unavailable, "cut"), snapshot("2")),
		sends(nil, snapshot("2"), delta("3"), ended("4", v1.EndReason_END_REASON_RUN_TERMINAL)))

	cursors, err := told(t.Context(), client, &v1.WaitRunRequest{RunId: "run"})

	equal(t, "told", cursors, []string{"0", "1", "2", "3", "4"})
	equal(t, "asked", fake.cursors(), []string{"", "2", "2"})
	if err != nil {
		t.Error(err)
	}
}

func TestAWaitBeginsAtTheCallersCursorAndLeavesTheRequestAlone(t *testing.T) {
	client, fake, _ := waiting(t, sends(nil, snapshot("7"), delta("8")), finishes("8"))
	request := &v1.WaitRunRequest{RunId: "run", Cursor: "7"}

	_, err := told(t.Context(), client, request)

	equal(t, "asked", fake.cursors(), []string{"7", "8"})
	if err != nil || request.Cursor != "7" {
		t.Errorf("error %v, cursor %q", err, request.Cursor)
	}
}

func TestWhatCutsAStreamIsResumedAndWhatRefusesItIsNot(t *testing.T) {
	fault, _ := status.New(codes.Internal, "a fault").WithDetails(
		&errdetails.ErrorInfo{Reason: "INTERNAL", Domain: "sessiontools"})
	later, _ := status.New(codes.ResourceExhausted, "too many waits").WithDetails(
		&errdetails.RetryInfo{RetryDelay: durationpb.New(3 * time.Second)})
	cases := map[string]struct {
		cut       error
		isResumed bool
	}{
		"the end without a last word":         {nil, true},
		"unavailable":                         {status.Error(codes.Unavailable, ""), true},
		"a cancellation nobody asked":         {status.Error(codes.Canceled, ""), true},
		"a reset":                             {status.Error(codes.Internal, "RST_STREAM"), true},
		"exhausted, with a time":              {later.Err(), true},
		"exhausted, without a time":           {status.Error(codes.ResourceExhausted, ""), false},
		"a fault of the server":               {fault.Err(), false},
		"not found":                           {status.Error(codes.NotFound, ""), false},
		"permission denied":                   {status.Error(codes.PermissionDenied, ""), false},
		"a cursor of another run":             {status.Error(codes.InvalidArgument, ""), false},
		"a wait that could never end":         {status.Error(codes.FailedPrecondition, ""), false},
		"an unknown or expired token":         {status.Error(codes.Unauthenticated, ""), false},
		"a method the server has not":         {status.Error(codes.Unimplemented, ""), false},
		"a deadline that is not the caller's": {status.Error(codes.DeadlineExceeded, ""), true},
	}
	for name, each := range cases {
		t.Run(name, func(t *testing.T) {
			client, _, _ := waiting(t, sends(each.cut, snapshot("0"), delta("1")), finishes("2"))

			cursors, err := told(t.Context(), client, &v1.WaitRunRequest{RunId: "run"})

			if isResumed := err == nil; isResumed != each.isResumed {
				t.Errorf("told %v, error %v", cursors, err)
			}
			if err != nil && status.Code(err) != status.Code(each.cut) {
				t.Errorf("got %v, want %v", err, each.cut)
			}
		})
	}
}

func TestEndsOfTheStreamThatAreNotTheEndOfTheWaitAreNotTold(t *testing.T) { // W6
	client, fake, _ := waiting(t,
		sends(nil, snapshot("0"), delta("1"), ended("1", v1.EndReason_END_REASON_STREAM_AGE)),
		sends(nil, snapshot("1"), ended("1", v1.EndReason_END_REASON_DRAINING)),
		sends(nil, snapshot("1"), delta("2"), ended("2", v1.EndReason_END_REASON_DEADLINE)),
		sends(nil, snapshot("2"), ended("2", v1.EndReason(99))),
		sends(nil, snapshot("2"), ended("3", v1.EndReason_END_REASON_SETTLED)))

	cursors, err := told(t.Context(), client, &v1.WaitRunRequest{RunId: "run"})

	equal(t, "told", cursors, []string{"0", "1", "2", "3"})
	equal(t, "asked", fake.cursors(), []string{"", "1", "1", "2", "2"})
	if err != nil {
		t.Error(err)
	}
}

func TestMaxWaitIsSpentOverAllStreams(t *testing.T) {
	spent := &following{request: &v1.WaitRunRequest{MaxWaitSeconds: proto.Uint32(10)}, until: time.Now().Add(-time.Hour)}
	without := &following{request: &v1.WaitRunRequest{}}

	spent.shortenMaxWait()
	without.shortenMaxWait()

	if spent.request.MaxWaitSeconds == nil || spent.request.GetMaxWaitSeconds() != 0 {
		t.Errorf("a spent wait asks for %v", spent.request)
	}
	if without.request.MaxWaitSeconds != nil {
		t.Errorf("a wait without limit asks for %v", without.request)
	}
}

func TestTheEndOfMaxWaitEndsTheWait(t *testing.T) { // W6
	client, fake, _ := waiting(t, sends(nil, snapshot("0"), ended("0", v1.EndReason_END_REASON_MAX_WAIT)))

	cursors, err := told(t.Context(), client, &v1.WaitRunRequest{RunId: "run", MaxWaitSeconds: proto.Uint32(9)})

	equal(t, "told", cursors, []string{"0", "0"})
	if err != nil || len(fake.requests) != 1 || fake.requests[0].GetMaxWaitSeconds() != 9 {
		t.Errorf("error %v, requests %v", err, fake.requests)
	}
}

func TestAnEventOfALaterContractIsPassedOn(t *testing.T) {
	client, _, _ := waiting(t, sends(nil, snapshot("0"), &v1.WaitRunResponse{Cursor: "1"}), finishes("2"))

	cursors, err := told(t.Context(), client, &v1.WaitRunRequest{RunId: "run"})

	equal(t, "told", cursors, []string{"0", "1", "2"})
	if err != nil {
		t.Error(err)
	}
}

func TestARetryInfoIsTheLeastPause(t *testing.T) { // W10
	later, _ := status.New(codes.ResourceExhausted, "too many waits").WithDetails(
		&errdetails.RetryInfo{RetryDelay: durationpb.New(30 * time.Second)})
	client, _, slept := waiting(t, sends(later.Err()), finishes("0"))

	_, err := told(t.Context(), client, &v1.WaitRunRequest{RunId: "run"})

	if err != nil || len(slept.pauses) != 1 || slept.pauses[0] < 30*time.Second {
		t.Errorf("error %v, pauses %v", err, slept.pauses)
	}
}

func TestPausesGrowUntilThereIsNews(t *testing.T) {
	silent := sends(nil, snapshot("0"))
	client, _, slept := waiting(t, silent, silent, silent, sends(nil, snapshot("0"), delta("1")), finishes("1"))

	_, err := told(t.Context(), client, &v1.WaitRunRequest{RunId: "run"})

	bounds := []time.Duration{minPause, 2 * minPause, 4 * minPause, minPause}
	if err != nil || len(slept.pauses) != len(bounds) {
		t.Fatalf("error %v, pauses %v", err, slept.pauses)
	}
	for i, bound := range bounds {
		if slept.pauses[i] >= bound {
			t.Errorf("pause %d is %v, not below %v", i, slept.pauses[i], bound)
		}
	}
}

func TestTheCallersCancellationEndsAWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hangs := func(streaming context.Context, send func(*v1.WaitRunResponse)) error {
		send(snapshot("0"))
		<-streaming.Done()
		return streaming.Err()
	}
	client, fake, _ := waiting(t, hangs)

	var failure error
	for _, err := range client.WaitRun(ctx, &v1.WaitRunRequest{RunId: "run"}) {
		cancel()
		failure = err
	}

	if !errors.Is(failure, context.Canceled) || status.Code(failure) != codes.Canceled || len(fake.requests) != 1 {
		t.Errorf("error %v after %d requests", failure, len(fake.requests))
	}
}

func TestTheCallersDeadlineEndsAWaitOnAServerThatIsAway(t *testing.T) {
	client, _, _ := waiting(t, sends(status.Error(codes.Unavailable, "away")))
	client.sleep = sleep
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	_, err := told(ctx, client, &v1.WaitRunRequest{RunId: "run"})

	if !errors.Is(err, context.DeadlineExceeded) || status.Code(err) != codes.DeadlineExceeded {
		t.Error(err)
	}
}

func TestClosingTheClientEndsItsWaits(t *testing.T) {
	hangs := func(streaming context.Context, send func(*v1.WaitRunResponse)) error {
		send(snapshot("0"))
		<-streaming.Done()
		return nil
	}
	client, _, _ := waiting(t, hangs)

	var failure error
	for _, err := range client.WaitRun(t.Context(), &v1.WaitRunRequest{RunId: "run"}) {
		client.conn.(*grpc.ClientConn).Close()
		failure = err
	}

	if status.Code(failure) != codes.Canceled {
		t.Error(failure)
	}
}

func TestLeavingTheLoopEndsTheStream(t *testing.T) {
	left := make(chan struct{})
	client, _, _ := waiting(t, func(streaming context.Context, send func(*v1.WaitRunResponse)) error {
		defer close(left)
		send(snapshot("0"))
		<-streaming.Done()
		return nil
	})

	for range client.WaitRun(t.Context(), &v1.WaitRunRequest{RunId: "run"}) {
		break
	}

	<-left
}

func TestARequestThatCannotBeEncodedIsNotTriedForEver(t *testing.T) {
	client, _, _ := waiting(t, finishes("0"))

	_, err := told(t.Context(), client, &v1.WaitRunRequest{RunId: "\xff"})

	if status.Code(err) != codes.Internal {
		t.Error(err)
	}
}

func TestPausesHaveAnUpperBound(t *testing.T) {
	for failures, bound := range map[int]time.Duration{0: minPause, 5: 32 * minPause, 6: maxPause, 1000: maxPause} {
		if longest(failures) != bound {
			t.Errorf("after %d failures up to %v, want %v", failures, longest(failures), bound)
		}
	}
}
