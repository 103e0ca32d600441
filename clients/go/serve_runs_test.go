package sessiontools

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

// fakeRuntimes hands out runs, and notes how they end.
type fakeRuntimes struct {
	v1.UnimplementedRuntimeServiceServer

	queue  chan *v1.RunAssignment
	polls  chan struct{}
	closed chan struct{} // polls are answered at once
	ends   chan string

	mutex    sync.Mutex
	refusals []error // of AcquireRuns, CompleteRun and ReleaseRun, before they answer
	lease    *v1.LeaseStatus
	appended []string
}

func (f *fakeRuntimes) refusal() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if len(f.refusals) == 0 {
		return nil
	}
	err := f.refusals[0]
	f.refusals = f.refusals[1:]
	return err
}

func (f *fakeRuntimes) AcquireRuns(ctx context.Context, _ *v1.AcquireRunsRequest) (*v1.AcquireRunsResponse, error) {
	f.polls <- struct{}{}
	select {
	case run := <-f.queue:
		return &v1.AcquireRunsResponse{Runs: []*v1.RunAssignment{run}}, nil
	case <-f.closed:
		return &v1.AcquireRunsResponse{}, f.refusal()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *fakeRuntimes) HeartbeatRuns(
	_ context.Context, request *v1.HeartbeatRunsRequest,
) (*v1.HeartbeatRunsResponse, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.lease.LeaseToken = request.Leases[0]
	return &v1.HeartbeatRunsResponse{Leases: []*v1.LeaseStatus{f.lease}}, nil
}

func (f *fakeRuntimes) AppendRunEvents(
	_ context.Context, request *v1.AppendRunEventsRequest,
) (*v1.AppendRunEventsResponse, error) {
	if err := f.refusal(); err != nil {
		return nil, err
	}
	for i, event := range request.Events {
		f.appended = append(f.appended, fmt.Sprint(request.FirstSequence+int64(i), event.GetDelta()))
	}
	return &v1.AppendRunEventsResponse{NextSequence: int64(len(f.appended) + 1)}, nil
}

func (f *fakeRuntimes) CompleteRun(
	_ context.Context, request *v1.CompleteRunRequest,
) (*v1.CompleteRunResponse, error) {
	if err := f.refusal(); err != nil {
		return nil, err
	}
	switch outcome := request.Outcome.(type) {
	case *v1.CompleteRunRequest_Reply:
		f.ends <- "reply " + outcome.Reply
	case *v1.CompleteRunRequest_Failure:
		f.ends <- "failure " + outcome.Failure.Reason + " " + outcome.Failure.Message
	case *v1.CompleteRunRequest_Cancelled:
		f.ends <- "cancelled"
	}
	return &v1.CompleteRunResponse{}, nil
}

func (f *fakeRuntimes) ReleaseRun(_ context.Context, request *v1.ReleaseRunRequest) (*v1.ReleaseRunResponse, error) {
	f.ends <- "released " + request.Reason
	return &v1.ReleaseRunResponse{}, f.refusal()
}

// serving is a runtime with one run to execute. Its pauses are a moment long.
type serving struct {
	*fakeRuntimes
	stop   context.CancelFunc
	result chan error
}

func serve(t *testing.T, fake *fakeRuntimes, execute Execute) *serving {
	t.Helper()
	if fake.queue == nil {
		fake.queue = make(chan *v1.RunAssignment, 1)
		fake.queue <- oneRun()
	}
	fake.polls = make(chan struct{}, 10)
	fake.closed, fake.ends = make(chan struct{}), make(chan string, 10)
	if fake.lease == nil {
		fake.lease = &v1.LeaseStatus{}
	}
	client, _ := connected(t, func(s *grpc.Server) { v1.RegisterRuntimeServiceServer(s, fake) })
	client.sleep = func(ctx context.Context, _ time.Duration) error { return sleep(ctx, time.Millisecond) }
	ctx, stop := context.WithCancel(t.Context())
	serving := &serving{fake, stop, make(chan error, 1)}
	go func() { serving.result <- client.ServeRuns(ctx, RuntimeOptions{ID: "test"}, execute) }()
	return serving
}

func oneRun() *v1.RunAssignment {
	return &v1.RunAssignment{Run: &v1.Run{Id: "run"}, LeaseToken: "lease", LeaseSeconds: 30}
}

// end shuts the runtime down and gives what ServeRuns returned.
func (s *serving) end() error {
	s.stop()
	close(s.closed)
	return <-s.result
}

func hang(ctx context.Context, _ *Assignment) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func TestHowARunEnds(t *testing.T) { // R3, R6
	tooLarge, _ := status.New(codes.InvalidArgument, "too large").WithDetails(
		&errdetails.ErrorInfo{Reason: "MESSAGE_TOO_LARGE", Domain: "sessiontools"})
	reply := func(context.Context, *Assignment) (string, error) { return "hello", nil }
	fails := func(err error) Execute {
		return func(context.Context, *Assignment) (string, error) { return "", err }
	}
	cases := map[string]struct {
		execute  Execute
		lease    *v1.LeaseStatus
		refusals []error
		end      string
	}{
		"with a reply":    {reply, nil, nil, "reply hello"},
		"with an error":   {fails(errors.New("no model")), nil, nil, "failure RUNTIME_ERROR no model"},
		"with a failure":  {fails(&Failure{Reason: "BUSY", Message: "later"}), nil, nil, "failure BUSY later"},
		"when cancelled":  {hang, &v1.LeaseStatus{CancelRequested: true}, nil, "cancelled"},
		"after a restart": {reply, nil, []error{status.Error(codes.Unavailable, "restarting")}, "reply hello"},
		"when refused":    {reply, nil, []error{tooLarge.Err()}, "failure MESSAGE_TOO_LARGE too large"},
		"beyond gRPC":     {reply, nil, []error{status.Error(codes.ResourceExhausted, "5 MiB")}, "failure RUNTIME_ERROR 5 MiB"},
		"not encodable":   {fails(errors.New("a\xff")), nil, nil, "failure RUNTIME_ERROR a\uFFFD"},
	}
	for name, each := range cases {
		t.Run(name, func(t *testing.T) {
			runtime := serve(t, &fakeRuntimes{lease: each.lease, refusals: each.refusals}, each.execute)

			end := <-runtime.ends

			if err := runtime.end(); err != nil || end != each.end {
				t.Errorf("ended with %q, want %q; error %v", end, each.end, err)
			}
		})
	}
}

func TestARunWhoseLeaseIsLostIsLeftAlone(t *testing.T) { // R3
	causes := make(chan error, 1)
	late := func(ctx context.Context, _ *Assignment) (string, error) {
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return "too late", nil
	}
	runtime := serve(t, &fakeRuntimes{lease: &v1.LeaseStatus{Lost: true}}, late)

	cause := <-causes

	if err := runtime.end(); err != nil || cause != ErrLeaseLost || len(runtime.ends) != 0 {
		t.Errorf("cause %v, error %v, %d ends", cause, err, len(runtime.ends))
	}
}

func TestTheEndOfTheRuntimeGivesItsRunsBack(t *testing.T) { // X4
	began := make(chan struct{})
	runtime := serve(t, &fakeRuntimes{}, func(ctx context.Context, run *Assignment) (string, error) {
		close(began)
		return hang(ctx, run)
	})
	<-began

	err := runtime.end()

	if end := <-runtime.ends; err != nil || end != "released shutdown" {
		t.Errorf("ended with %q, error %v", end, err)
	}
}

func TestARunThatTheLastPollBringsIsGivenBack(t *testing.T) { // X4
	runtime := serve(t, &fakeRuntimes{queue: make(chan *v1.RunAssignment, 1)}, hang)
	<-runtime.polls
	runtime.stop()
	runtime.queue <- oneRun()

	err := <-runtime.result

	if len(runtime.ends) != 1 || err != nil {
		t.Fatalf("%d ends, error %v", len(runtime.ends), err)
	}
	if end := <-runtime.ends; end != "released shutdown" {
		t.Errorf("ended with %q", end)
	}
}

func TestARuntimeThatIsRefusedStops(t *testing.T) { // V6
	refused := []error{status.Error(codes.PermissionDenied, "not a runtime")}
	runtime := serve(t, &fakeRuntimes{queue: make(chan *v1.RunAssignment), refusals: refused}, hang)
	close(runtime.closed)

	err := <-runtime.result

	if status.Code(err) != codes.PermissionDenied {
		t.Error(err)
	}
}

func TestEventsAreNumberedAndAppendedOnce(t *testing.T) {
	fake := &fakeRuntimes{refusals: []error{status.Error(codes.Unavailable, "restarting")}}
	runtime := serve(t, fake, func(ctx context.Context, run *Assignment) (string, error) {
		return "done", errors.Join(run.Delta(ctx, "a"), run.Delta(ctx, "b"))
	})

	end := <-runtime.ends

	equal(t, "appended", fake.appended, []string{"1a", "2b"})
	if err := runtime.end(); err != nil || end != "reply done" {
		t.Errorf("ended with %q, error %v", end, err)
	}
}
