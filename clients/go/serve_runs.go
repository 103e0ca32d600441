package sessiontools

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

// Execute takes one turn of an agent and returns its reply. The context ends when the run is to stop; context.Cause
// tells [ErrCancelled] or [ErrLeaseLost], and anything else means that the runtime shuts down. Whatever error it
// returns then, the run is ended as cancelled, left alone, or given back. Any other error fails the run: a [*Failure]
// as it says, else with the reason `RUNTIME_ERROR`.
type Execute func(ctx context.Context, run *Assignment) (reply string, err error)

// RuntimeOptions say which runs a runtime takes.
type RuntimeOptions struct {
	// ID names the runtime, for people. Required.
	ID string
	// AgentIDs are the agents that it executes. Empty means every agent with an external runtime.
	AgentIDs []string
	// MaxRuns is how many runs it executes at the same time. 0 means 1.
	MaxRuns int
	// Log is told of leases that were lost. Nil means slog.Default().
	Log *slog.Logger
}

// Failure is an error that tells how a run failed.
type Failure struct {
	// Reason is a word for programs. Required.
	Reason string
	// Message is a sentence for people.
	Message string
	// Retryable is true when the same message may succeed if sent again.
	Retryable bool
}

func (f *Failure) Error() string {
	return f.Reason + ": " + f.Message
}

// ServeRuns is a runtime: it takes runs, renews their leases, stops those that are cancelled, and completes them. It
// goes on through restarts of the server. When the context ends, the runs under way are told to stop and given back,
// and it returns nil; it returns an error when the server refuses the runtime.
func (c *Client) ServeRuns(ctx context.Context, options RuntimeOptions, execute Execute) error {
	if options.Log == nil {
		options.Log = slog.Default()
	}
	runtime := &runtime{client: c, options: options, execute: execute, leases: newLeases(c, options.Log)}
	return runtime.serve(ctx)
}

// runtimeError is the reason of a failure that has none of its own.
const runtimeError = "RUNTIME_ERROR"

type runtime struct {
	client  *Client
	options RuntimeOptions
	execute Execute
	leases  *leases
}

func (r *runtime) serve(ctx context.Context) error {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// Leases are renewed until the last run is done, also when that is after the end of the context.
	beating, rest := context.WithCancel(context.WithoutCancel(ctx))
	rested := make(chan struct{})
	go func() {
		defer close(rested)
		if err := r.leases.beat(beating); err != nil {
			stop(err)
		}
	}()
	taking := taking[*v1.RunAssignment]{
		places: r.options.MaxRuns, ask: r.ask, work: r.run, pauses: pauses{sleep: r.client.sleep},
	}
	err := taking.serve(inner)
	rest()
	<-rested
	if err == nil && ctx.Err() == nil {
		return context.Cause(inner)
	}
	return err
}

func (r *runtime) ask(ctx context.Context, atMost uint32) ([]*v1.RunAssignment, error) {
	answer, err := r.client.AcquireRuns(ctx, &v1.AcquireRunsRequest{
		RuntimeId:   r.options.ID,
		AgentIds:    r.options.AgentIDs,
		MaxRuns:     atMost,
		WaitSeconds: proto.Uint32(pollSeconds),
	})
	return answer.GetRuns(), err
}

func (r *runtime) run(ctx context.Context, taken *v1.RunAssignment) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	run := &Assignment{
		RunAssignment: taken, Agent: r.client.WithToken(taken.RunToken), client: r.client, stop: stop, next: 1,
	}
	r.leases.hold(run)
	defer r.leases.drop(run)
	if ctx.Err() != nil { // taken by the last poll before the end
		return r.tell(ctx, run, r.release(run))
	}
	reply, err := r.execute(ctx, run)
	if context.Cause(ctx) == ErrLeaseLost {
		return nil
	}
	return r.tell(ctx, run, r.ending(ctx, run, reply, err))
}

// ending is the call that ends the run, for what became of it.
func (r *runtime) ending(ctx context.Context, run *Assignment, reply string, err error) func(context.Context) error {
	end := &v1.CompleteRunRequest{LeaseToken: run.LeaseToken}
	switch {
	case err == nil:
		end.Outcome = &v1.CompleteRunRequest_Reply{Reply: valid(reply)}
	case context.Cause(ctx) == ErrCancelled:
		end.Outcome = &v1.CompleteRunRequest_Cancelled{Cancelled: &v1.Cancelled{}}
	case ctx.Err() != nil:
		return r.release(run)
	default:
		end.Outcome = &v1.CompleteRunRequest_Failure{Failure: failureOf(err)}
	}
	return func(ctx context.Context) error {
		_, err := r.client.CompleteRun(ctx, end)
		return err
	}
}

func (r *runtime) release(run *Assignment) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := r.client.ReleaseRun(ctx, &v1.ReleaseRunRequest{LeaseToken: run.LeaseToken, Reason: "shutdown"})
		return err
	}
}

// tell makes the last call of a run until it has an answer, for as long as a lease lasts.
func (r *runtime) tell(ctx context.Context, run *Assignment, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Duration(run.LeaseSeconds)*time.Second)
	defer cancel()
	err := r.client.persist(ctx, func() error { return call(ctx) })
	var refusal *Error
	if errors.As(err, &refusal) && isTooMuch(refusal) {
		failed := r.ending(ctx, run, "", &Failure{Reason: cmp.Or(refusal.Reason, runtimeError), Message: refusal.Message})
		err = r.client.persist(ctx, func() error { return failed(ctx) })
	}
	if HasReason(err, v1.ErrorReason_ERROR_REASON_LEASE_LOST) || err != nil && isTemporary(err) {
		r.options.Log.Warn("the end of a run was not stored", "run_id", run.Run.GetId(), "error", err)
		return nil
	}
	return err
}

// isTooMuch tells whether the outcome itself was refused, such as a reply that is too large for the server or for gRPC:
// that ends the run, and nothing else.
func isTooMuch(refusal *Error) bool {
	return refusal.Code == codes.InvalidArgument || refusal.Code == codes.ResourceExhausted && refusal.RetryAfter == 0
}

func failureOf(err error) *v1.RunFailure {
	var failure *Failure
	if errors.As(err, &failure) {
		return &v1.RunFailure{
			Reason: valid(failure.Reason), Message: valid(failure.Message), Retryable: failure.Retryable,
		}
	}
	return &v1.RunFailure{Reason: runtimeError, Message: valid(err.Error())}
}

// valid replaces what is no UTF-8, since a message that cannot be sent would lose the whole outcome.
func valid(text string) string {
	return strings.ToValidUTF8(text, "\uFFFD")
}
