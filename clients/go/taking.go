package sessiontools

import (
	"context"
	"sync"
	"time"
)

// A poll is short and is never given up, since what the server hands out to a caller that has left stays taken until
// its lease ends. An orderly end waits for at most one poll.
const (
	pollSeconds = 5
	pollTimeout = (pollSeconds + 10) * time.Second
)

// taking is the loop of whoever takes work from the server: ask for as much as there are free places, work on it, ask
// again. It ends when its context does, with all work done.
type taking[T any] struct {
	places int
	// ask is a long poll of pollSeconds.
	ask func(ctx context.Context, atMost uint32) ([]T, error)
	// work returns an error only when it makes no sense to go on with other work.
	work   func(ctx context.Context, item T) error
	pauses pauses
}

// serve returns nil when the context ended, else why it cannot go on.
func (t *taking[T]) serve(ctx context.Context) error {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	places := make(chan struct{}, max(t.places, 1))
	var working sync.WaitGroup
	for {
		taken := takePlaces(inner, places)
		if taken == 0 {
			break
		}
		items, err := t.poll(inner, taken)
		for range taken - len(items) {
			<-places
		}
		for _, item := range items {
			working.Go(func() {
				defer func() { <-places }()
				if err := t.work(inner, item); err != nil {
					stop(err)
				}
			})
		}
		if err != nil && !t.mayGoOn(inner, err) {
			stop(err)
		}
	}
	working.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(inner)
}

func (t *taking[T]) poll(ctx context.Context, atMost int) ([]T, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pollTimeout)
	defer cancel()
	items, err := t.ask(ctx, uint32(atMost))
	if err == nil {
		t.pauses.reset()
	}
	return items, err
}

// mayGoOn waits before the next poll when this one failed for a while only.
func (t *taking[T]) mayGoOn(ctx context.Context, failure error) bool {
	return isTemporary(failure) && (t.pauses.after(ctx, failure) == nil || ctx.Err() != nil)
}

// takePlaces waits for a free place and takes every one that is free; none when the context ended.
func takePlaces(ctx context.Context, places chan struct{}) int {
	if ctx.Err() != nil {
		return 0
	}
	select {
	case places <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	for taken := 1; ; taken++ {
		select {
		case places <- struct{}{}:
		default:
			return taken
		}
	}
}

// persist repeats a call until it has an answer, or the context ends.
func (c *Client) persist(ctx context.Context, call func() error) error {
	pauses := pauses{sleep: c.sleep}
	for {
		err := call()
		if err == nil || !isTemporary(err) || ctx.Err() != nil {
			return err
		}
		if err := pauses.after(ctx, err); err != nil {
			return err
		}
	}
}
