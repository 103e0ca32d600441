package sessiontools

import (
	"context"
	"errors"
	"sync"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

var (
	// ErrCancelled is why a run's context ended: somebody cancelled the run.
	ErrCancelled = errors.New("the run was cancelled")
	// ErrLeaseLost is why a run's context ended: the run is no longer this runtime's.
	ErrLeaseLost = errors.New("the lease of the run was lost")
)

// Assignment is one run to execute, with all that is needed for it.
type Assignment struct {
	*v1.RunAssignment
	// Agent calls the session tools with the authority of this run, for as long as the run goes on.
	Agent *Client

	client *Client
	stop   context.CancelCauseFunc

	appending sync.Mutex
	next      int64 // number of the next event; 0 when only the server knows
}

// Delta shows a piece of the reply to those who wait for the run.
func (a *Assignment) Delta(ctx context.Context, text string) error {
	return a.Append(ctx, &v1.RunEvent{Event: &v1.RunEvent_Delta{Delta: valid(text)}})
}

// Append stores what the run brings forth, each event once, and tries until it has an answer or the context ends.
func (a *Assignment) Append(ctx context.Context, events ...*v1.RunEvent) error {
	a.appending.Lock()
	defer a.appending.Unlock()
	if a.next == 0 {
		if err := a.append(ctx, nil); err != nil {
			return err
		}
	}
	return a.append(ctx, events)
}

func (a *Assignment) append(ctx context.Context, events []*v1.RunEvent) error {
	request := &v1.AppendRunEventsRequest{LeaseToken: a.LeaseToken, FirstSequence: max(a.next, 1), Events: events}
	a.next = 0
	return a.client.persist(ctx, func() error {
		answer, err := a.client.AppendRunEvents(ctx, request)
		if HasReason(err, v1.ErrorReason_ERROR_REASON_LEASE_LOST) {
			a.stop(ErrLeaseLost)
		}
		if answer.GetCancelRequested() {
			a.stop(ErrCancelled)
		}
		a.next = answer.GetNextSequence()
		return err
	})
}

// Text is the text of the message to answer.
func (a *Assignment) Text() string {
	var text string
	for _, block := range a.Input.GetContent() {
		text += block.GetText().GetText()
	}
	return text
}
