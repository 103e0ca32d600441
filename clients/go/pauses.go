package sessiontools

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	minPause = 200 * time.Millisecond
	maxPause = 10 * time.Second
)

// pauses are the pauses between attempts: of random length, so that the clients of a server that comes back do not all
// come at once, and longer with every failure.
type pauses struct {
	failures int
	sleep    func(context.Context, time.Duration) error
}

// after waits before the attempt that follows this failure, or until the context ends.
func (p *pauses) after(ctx context.Context, failure error) error {
	pause := rand.N(longest(p.failures))
	p.failures++
	var refusal *Error
	if errors.As(failure, &refusal) {
		pause += refusal.RetryAfter
	}
	return p.sleep(ctx, pause)
}

// reset is for an attempt that brought something.
func (p *pauses) reset() {
	p.failures = 0
}

func longest(failures int) time.Duration {
	if failures >= 6 { // 0.2 s doubled six times is above the maximum
		return maxPause
	}
	return minPause << failures
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return typed(ctx.Err())
	}
}
