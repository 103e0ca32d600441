// Package sessiontools is the Go client of Session Tools: list, read, send, wait and spawn across the sessions of AI
// agents, serve as a runtime, and take deliveries. The package v1 holds the generated contract.
//
//	client := sessiontools.Dial("localhost:50551", sessiontools.Plaintext())
//	answer, err := client.SessionsSend(ctx, &v1.SessionsSendRequest{SessionKey: "main", Message: "hello"})
//
// A [Client] has every method of the three services. It adds five things to the generated code: a connection that
// notices when its server is gone, credentials, a request_id where one is missing, a [Client.WaitRun] that resumes by
// itself, and errors of type [*Error]. [Client.ServeRuns] and [Client.ServeDeliveries] are the loops of a runtime and
// of a gateway.
package sessiontools

import (
	"context"
	"time"

	"google.golang.org/grpc"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

// Client calls a server. It is safe for use by several goroutines, and one per program is enough.
type Client struct {
	v1.SessionToolsServiceClient
	v1.GatewayServiceClient
	v1.RuntimeServiceClient

	conn  grpc.ClientConnInterface
	who   credentials
	close func() error
	sleep func(context.Context, time.Duration) error
}

// Dial makes a client for a server, such as `localhost:50551` or `dns:///tools.example:443`. It connects when the first
// call needs it, with TLS unless [Plaintext] says otherwise, and connects again as often as it has to. What is wrong
// with the target or the options is the error of every call.
func Dial(target string, options ...Option) *Client {
	chosen := chosenBy(options)
	conn, err := grpc.NewClient(target, chosen.dialOptions()...)
	if err != nil {
		return newClient(misdialed{err}, chosen.who, nothing)
	}
	return newClient(conn, chosen.who, conn.Close)
}

// New makes a client over a connection of your own, with only the options [Token] and [ActingSession].
func New(conn grpc.ClientConnInterface, options ...Option) *Client {
	return newClient(conn, chosenBy(options).who, nothing)
}

func nothing() error { return nil }

func newClient(conn grpc.ClientConnInterface, who credentials, close func() error) *Client {
	calls := &calls{conn: conn, who: who}
	return &Client{
		SessionToolsServiceClient: v1.NewSessionToolsServiceClient(calls),
		GatewayServiceClient:      v1.NewGatewayServiceClient(calls),
		RuntimeServiceClient:      v1.NewRuntimeServiceClient(calls),
		conn:                      conn,
		who:                       who,
		close:                     close,
		sleep:                     sleep,
	}
}

// ActingAs gives a client that acts as a session, over the same connection. Owners and gateways may do so.
func (c *Client) ActingAs(sessionKey string) *Client {
	return c.derived(credentials{token: c.who.token, actingSession: sessionKey})
}

// WithToken gives a client with another token, over the same connection. With the run token of a run, it is the agent
// of that run.
func (c *Client) WithToken(token string) *Client {
	return c.derived(credentials{token: token})
}

func (c *Client) derived(who credentials) *Client {
	client := newClient(c.conn, who, nothing)
	client.sleep = c.sleep
	return client
}

// Close ends the connection and every call on it. On a client that shares the connection of another it does nothing.
func (c *Client) Close() error {
	return c.close()
}
