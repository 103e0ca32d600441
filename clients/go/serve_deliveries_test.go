package sessiontools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

// fakeGateways hands out one delivery, and notes what becomes of it.
type fakeGateways struct {
	v1.UnimplementedGatewayServiceServer

	queue    chan *v1.Delivery
	closed   chan struct{} // polls are answered at once
	outcomes chan string

	mutex    sync.Mutex
	refusals []error // of AckDelivery and NackDelivery, before they answer
}

func newFakeGateways(refusals ...error) *fakeGateways {
	fake := &fakeGateways{
		queue:    make(chan *v1.Delivery, 2),
		closed:   make(chan struct{}),
		outcomes: make(chan string, 10),
		refusals: refusals,
	}
	fake.queue <- &v1.Delivery{Id: "delivery", LeaseToken: "lease", Text: "hello"}
	return fake
}

func (f *fakeGateways) AcquireDeliveries(
	ctx context.Context, _ *v1.AcquireDeliveriesRequest,
) (*v1.AcquireDeliveriesResponse, error) {
	select {
	case delivery := <-f.queue:
		return &v1.AcquireDeliveriesResponse{Deliveries: []*v1.Delivery{delivery}}, nil
	case <-f.closed:
		return &v1.AcquireDeliveriesResponse{}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *fakeGateways) AckDelivery(_ context.Context, ack *v1.AckDeliveryRequest) (*v1.AckDeliveryResponse, error) {
	return &v1.AckDeliveryResponse{}, f.note("ack " + ack.Receipt)
}

func (f *fakeGateways) NackDelivery(_ context.Context, nack *v1.NackDeliveryRequest) (*v1.NackDeliveryResponse, error) {
	return &v1.NackDeliveryResponse{}, f.note(fmt.Sprint("nack ", nack.Reason, nack.Permanent, nack.GetRetryAfterSeconds()))
}

func (f *fakeGateways) note(outcome string) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if len(f.refusals) > 0 {
		err := f.refusals[0]
		f.refusals = f.refusals[1:]
		f.outcomes <- status.Code(err).String()
		return err
	}
	f.outcomes <- outcome
	return nil
}

// deliver runs a gateway until it has told these outcomes, and gives what ServeDeliveries returned.
func deliver(t *testing.T, fake *fakeGateways, send Send, want ...string) error {
	t.Helper()
	client, _ := connected(t, func(s *grpc.Server) { v1.RegisterGatewayServiceServer(s, fake) })
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	result := make(chan error, 1)
	go func() { result <- client.ServeDeliveries(ctx, DeliveryOptions{MaxDeliveries: 1}, send) }()
	var got []string
	for range want {
		got = append(got, <-fake.outcomes)
	}
	equal(t, "outcomes", got, want)
	stop()
	close(fake.closed)
	return <-result
}

func sent(context.Context, *v1.Delivery) (string, error) { return "receipt", nil }

func TestTheOutcomeOfASendIsTold(t *testing.T) { // D2
	fails := func(err error) Send {
		return func(context.Context, *v1.Delivery) (string, error) { return "", err }
	}
	later := &SendFailure{Reason: "slow down ", RetryAfter: 1500 * time.Millisecond}
	cases := map[string]struct {
		send Send
		want string
	}{
		"sent":            {sent, "ack receipt"},
		"not sent":        {fails(errors.New("no network ")), "nack no network false 0"},
		"never to be":     {fails(&SendFailure{Reason: "no such peer ", Permanent: true}), "nack no such peer true 0"},
		"later":           {fails(fmt.Errorf("provider: %w", later)), "nack provider: slow down false 2"},
		"a long sentence": {fails(errors.New(strings.Repeat("ü", 2000))), "nack " + strings.Repeat("ü", 1024) + "false 0"},
	}
	for name, each := range cases {
		t.Run(name, func(t *testing.T) {
			if err := deliver(t, newFakeGateways(), each.send, each.want); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAnOutcomeIsToldAgainAfterARestart(t *testing.T) {
	fake := newFakeGateways(status.Error(codes.Unavailable, "restarting"))

	if err := deliver(t, fake, sent, "Unavailable", "ack receipt"); err != nil {
		t.Error(err)
	}
}

func TestALostLeaseDoesNotStopTheGateway(t *testing.T) { // D1
	lost, _ := status.New(codes.FailedPrecondition, "lost").WithDetails(
		&errdetails.ErrorInfo{Reason: "LEASE_LOST", Domain: "sessiontools"})

	fake := newFakeGateways(lost.Err())
	fake.queue <- &v1.Delivery{Id: "another", LeaseToken: "lease"}

	if err := deliver(t, fake, sent, "FailedPrecondition", "ack receipt"); err != nil {
		t.Error(err)
	}
}

func TestASendUnderWayIsFinishedAtTheEnd(t *testing.T) { // X4
	fake := newFakeGateways()
	client, _ := connected(t, func(s *grpc.Server) { v1.RegisterGatewayServiceServer(s, fake) })
	ctx, stop := context.WithCancel(t.Context())
	send := func(sending context.Context, _ *v1.Delivery) (string, error) {
		stop()
		close(fake.closed)
		return "receipt", sending.Err()
	}

	err := client.ServeDeliveries(ctx, DeliveryOptions{}, send)

	if outcome := <-fake.outcomes; err != nil || outcome != "ack receipt" {
		t.Errorf("outcome %q, error %v", outcome, err)
	}
}
