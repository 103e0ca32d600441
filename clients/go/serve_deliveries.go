package sessiontools

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"google.golang.org/protobuf/proto"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

// Send sends one text to the outside and returns the provider's receipt, which may be empty. The delivery's id stays
// the same however often it is offered; a provider that takes an idempotency key gets it. The text must be sent before
// the delivery's lease_expires. The context does not end with that of [Client.ServeDeliveries], since half a send is
// neither a success nor a failure. An error offers the delivery again later; a [*SendFailure] may say otherwise.
type Send func(ctx context.Context, delivery *v1.Delivery) (receipt string, err error)

// DeliveryOptions say which deliveries a gateway takes.
type DeliveryOptions struct {
	// Channels are the channels that it serves. Empty means all.
	Channels []string
	// MaxDeliveries is how many it sends at the same time. 0 means 10.
	MaxDeliveries int
	// Log is told of outcomes that could not be stored. Nil means slog.Default().
	Log *slog.Logger
}

// SendFailure is an error that tells when to try again.
type SendFailure struct {
	// Reason tells why, for people.
	Reason string
	// Permanent is true when no later attempt can succeed.
	Permanent bool
	// RetryAfter is when to offer the delivery again at the earliest. 0 means the usual delay.
	RetryAfter time.Duration
}

func (f *SendFailure) Error() string {
	return f.Reason
}

// ServeDeliveries is the sending half of a gateway: it takes outgoing texts, has them sent, and tells the outcome. It
// goes on through restarts of the server. When the context ends, the sends under way are finished and it returns nil;
// it returns an error when the server refuses the gateway.
func (c *Client) ServeDeliveries(ctx context.Context, options DeliveryOptions, send Send) error {
	if options.Log == nil {
		options.Log = slog.Default()
	}
	if options.MaxDeliveries == 0 {
		options.MaxDeliveries = 10
	}
	gateway := &gateway{client: c, options: options, send: send}
	taking := taking[*v1.Delivery]{
		places: options.MaxDeliveries, ask: gateway.ask, work: gateway.deliver, pauses: pauses{sleep: c.sleep},
	}
	return taking.serve(ctx)
}

type gateway struct {
	client  *Client
	options DeliveryOptions
	send    Send
}

func (g *gateway) ask(ctx context.Context, atMost uint32) ([]*v1.Delivery, error) {
	answer, err := g.client.AcquireDeliveries(ctx, &v1.AcquireDeliveriesRequest{
		Channels:      g.options.Channels,
		MaxDeliveries: atMost,
		WaitSeconds:   proto.Uint32(pollSeconds),
	})
	return answer.GetDeliveries(), err
}

// An outcome that cannot be told for so long is told too late: the lease has ended.
const tellTimeout = 30 * time.Second

const maxOutcomeText = 1024

func (g *gateway) deliver(ctx context.Context, delivery *v1.Delivery) error {
	ctx = context.WithoutCancel(ctx)
	receipt, err := g.send(ctx, delivery)
	ctx, cancel := context.WithTimeout(ctx, tellTimeout)
	defer cancel()
	err = g.client.persist(ctx, func() error { return g.tell(ctx, delivery, receipt, err) })
	if err != nil && (isTemporary(err) || isGone(err)) { // it is offered again, as possibly delivered
		g.options.Log.Warn("the outcome of a delivery was not stored", "delivery_id", delivery.Id, "error", err)
		return nil
	}
	return err
}

func (g *gateway) tell(ctx context.Context, delivery *v1.Delivery, receipt string, failure error) error {
	if failure != nil {
		_, err := g.client.NackDelivery(ctx, nackOf(delivery, failure))
		return err
	}
	_, err := g.client.AckDelivery(ctx, &v1.AckDeliveryRequest{
		DeliveryId: delivery.Id, LeaseToken: delivery.LeaseToken, Receipt: cut(receipt),
	})
	return err
}

func nackOf(delivery *v1.Delivery, failure error) *v1.NackDeliveryRequest {
	nack := &v1.NackDeliveryRequest{
		DeliveryId: delivery.Id, LeaseToken: delivery.LeaseToken, Reason: cut(failure.Error()),
	}
	var told *SendFailure
	if errors.As(failure, &told) {
		nack.Permanent = told.Permanent
		if told.RetryAfter > 0 {
			nack.RetryAfterSeconds = proto.Uint32(uint32((told.RetryAfter + time.Second - 1) / time.Second))
		}
	}
	return nack
}

// cut keeps a text within what the server stores, since an outcome is not to be refused for its length.
func cut(text string) string {
	if characters := []rune(text); len(characters) > maxOutcomeText {
		text = string(characters[:maxOutcomeText])
	}
	return valid(text)
}

func isGone(err error) bool {
	return HasReason(err, v1.ErrorReason_ERROR_REASON_LEASE_LOST) ||
		HasReason(err, v1.ErrorReason_ERROR_REASON_DELIVERY_NOT_FOUND)
}
