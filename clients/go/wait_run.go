package sessiontools

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

// WaitRun follows a run: one snapshot, every event in order without gap or repeat, heartbeats, and last `ended`.
//
//	for event, err := range client.WaitRun(ctx, &v1.WaitRunRequest{RunId: id}) {
//
// When the connection is cut, or the server ends the stream before the run is over, it opens another one from the last
// cursor, as often as it has to. What the caller sees is one stream: the snapshots and ends in between are left out. It
// goes on until the run is over, max_wait_seconds have passed, the context ends, or the server refuses; an error is the
// last thing that it yields.
func (c *Client) WaitRun(ctx context.Context, request *v1.WaitRunRequest) iter.Seq2[*v1.WaitRunResponse, error] {
	return func(yield func(*v1.WaitRunResponse, error) bool) {
		following := &following{
			open:    c.SessionToolsServiceClient.WaitRun,
			request: proto.CloneOf(request),
			yield:   yield,
			pauses:  pauses{sleep: c.sleep},
		}
		if request.MaxWaitSeconds != nil {
			following.until = time.Now().Add(time.Duration(request.GetMaxWaitSeconds()) * time.Second)
		}
		if err := following.run(ctx); err != nil {
			yield(nil, err)
		}
	}
}

type (
	runStream = grpc.ServerStreamingClient[v1.WaitRunResponse]
	openRun   = func(context.Context, *v1.WaitRunRequest, ...grpc.CallOption) (runStream, error)
)

// errOver ends a following: the end was told, or the caller wants no more.
var errOver = errors.New("the wait is over")

// errCut is a stream that stopped, properly or not, before the wait was over.
var errCut = typed(status.Error(codes.Unavailable, "the stream ended before the wait was over"))

// following is one call of WaitRun, over as many streams as it takes.
type following struct {
	open     openRun
	request  *v1.WaitRunRequest // of the next stream
	yield    func(*v1.WaitRunResponse, error) bool
	until    time.Time // when max_wait_seconds have passed; zero without
	pauses   pauses
	hasBegun bool
}

func (f *following) run(ctx context.Context) error {
	for {
		err := f.stream(ctx)
		if err == errOver {
			return nil
		}
		if ctx.Err() != nil {
			return typed(ctx.Err())
		}
		if !isTemporary(err) {
			return err
		}
		if err := f.pauses.after(ctx, err); err != nil {
			return err
		}
		f.shortenMaxWait()
	}
}

// stream tells what one stream brings, and why it ended.
func (f *following) stream(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := f.open(ctx, f.request)
	if err != nil {
		return err
	}
	for {
		message, err := stream.Recv()
		if err == io.EOF {
			return errCut
		}
		if err != nil {
			return err
		}
		if err := f.tell(message); err != nil {
			return err
		}
	}
}

func (f *following) tell(message *v1.WaitRunResponse) error {
	f.request.Cursor = message.Cursor
	switch event := message.Event.(type) {
	case *v1.WaitRunResponse_Snapshot:
		if f.hasBegun {
			return nil
		}
		f.hasBegun = true
	case *v1.WaitRunResponse_Ended:
		if !isLast(event.Ended.Reason) {
			return errCut
		}
		f.yield(message, nil)
		return errOver
	default: // news, which a server that fails again and again has not
		f.pauses.reset()
	}
	if !f.yield(message, nil) {
		return errOver
	}
	return nil
}

func isLast(reason v1.EndReason) bool {
	switch reason {
	case v1.EndReason_END_REASON_RUN_TERMINAL, v1.EndReason_END_REASON_SETTLED, v1.EndReason_END_REASON_MAX_WAIT:
		return true
	default: // the stream's age, a drain, a deadline, or what a later server may have
		return false
	}
}

// shortenMaxWait takes off what the streams before have used. At 0 the server tells what there is and ends.
func (f *following) shortenMaxWait() {
	if f.until.IsZero() {
		return
	}
	left := max(time.Until(f.until).Round(time.Second), 0)
	f.request.MaxWaitSeconds = proto.Uint32(uint32(left / time.Second))
}
