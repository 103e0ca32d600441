package sessiontools

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// credentials say who calls.
type credentials struct {
	token         string
	actingSession string
}

func (c credentials) attach(ctx context.Context) context.Context {
	if c.token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+c.token)
	}
	if c.actingSession != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "acting-session", c.actingSession)
	}
	return ctx
}

// calls is a connection as the generated code sees it: with credentials, request ids and typed errors. It is not a set
// of interceptors, since clients with different credentials share one connection.
type calls struct {
	conn grpc.ClientConnInterface
	who  credentials
}

func (c *calls) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	return typed(c.conn.Invoke(c.who.attach(ctx), method, withRequestID(args), reply, opts...))
}

func (c *calls) NewStream(
	ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption,
) (grpc.ClientStream, error) {
	stream, err := c.conn.NewStream(c.who.attach(ctx), desc, method, opts...)
	if err != nil {
		return nil, typed(err)
	}
	return &typedStream{stream}, nil
}

// typedStream is a stream whose errors are of type *Error, but for io.EOF.
type typedStream struct{ grpc.ClientStream }

func (s *typedStream) RecvMsg(message any) error {
	return typedUnlessEOF(s.ClientStream.RecvMsg(message))
}

func (s *typedStream) SendMsg(message any) error {
	return typedUnlessEOF(s.ClientStream.SendMsg(message))
}

func typedUnlessEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return err
	}
	return typed(err)
}
