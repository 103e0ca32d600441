package sessiontools

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

// The server takes so many leases in one call.
const maxLeases = 1000

// leases are those that a runtime holds, renewed with one call for all of them.
type leases struct {
	client *Client
	log    *slog.Logger

	mutex sync.Mutex
	held  map[string]*Assignment
}

func newLeases(client *Client, log *slog.Logger) *leases {
	return &leases{client: client, log: log, held: map[string]*Assignment{}}
}

func (l *leases) hold(run *Assignment) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.held[run.LeaseToken] = run
}

func (l *leases) drop(run *Assignment) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.held, run.LeaseToken)
}

// beat renews the leases until the context ends, which gives nil, or the server refuses the runtime.
func (l *leases) beat(ctx context.Context) error {
	for l.client.sleep(ctx, l.interval()) == nil {
		if err := l.renew(ctx); err != nil && ctx.Err() == nil && !isTemporary(err) {
			return err
		}
	}
	return nil
}

// interval is a third of a lease, so that two heartbeats may be lost. Without a lease, it is short enough for the next.
func (l *leases) interval() time.Duration {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, run := range l.held { // all of one server last equally long
		return time.Duration(run.LeaseSeconds) * time.Second / 3
	}
	return time.Second
}

func (l *leases) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.interval()) // a connection that hangs must not cost the leases
	defer cancel()
	for tokens := range slices.Chunk(l.tokens(), maxLeases) {
		answer, err := l.client.HeartbeatRuns(ctx, &v1.HeartbeatRunsRequest{Leases: tokens})
		if err != nil {
			return err
		}
		for _, status := range answer.Leases {
			l.obey(status)
		}
	}
	return nil
}

func (l *leases) tokens() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Collect(maps.Keys(l.held))
}

func (l *leases) obey(status *v1.LeaseStatus) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	run, isHeld := l.held[status.LeaseToken]
	switch {
	case !isHeld: // ended while the call was under way
	case status.Lost:
		l.log.Warn("the lease of a run was lost", "run_id", run.Run.GetId())
		run.stop(ErrLeaseLost)
	case status.CancelRequested:
		run.stop(ErrCancelled)
	}
}
