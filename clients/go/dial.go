package sessiontools

import (
	"context"
	"crypto/tls"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	transport "google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

const (
	mebibyte = 1 << 20
	// The server takes requests up to this size.
	maxSendBytes = 4 * mebibyte
	// The server's answers are smaller; a later one may send more.
	maxReceiveBytes = 16 * mebibyte
)

// Every method may be repeated: writes carry a request_id or a lease token. A stream that has begun is never repeated
// by this; WaitRun resumes it.
const retryConfig = `{"methodConfig": [{"name": [{}], "retryPolicy": {"retryableStatusCodes": ["UNAVAILABLE"],
	"maxAttempts": 5, "initialBackoff": "0.2s", "maxBackoff": "10s", "backoffMultiplier": 2}}]}`

// Option changes how [Dial] and [New] make a client.
type Option func(*settings)

type settings struct {
	who         credentials
	isPlaintext bool
	tls         *tls.Config
	more        []grpc.DialOption
}

// Token sends a bearer token with every call. Over [Plaintext] it can be read on the way.
func Token(token string) Option {
	return func(s *settings) { s.who.token = token }
}

// ActingSession acts as a session in every call. [Client.ActingAs] does so for some.
func ActingSession(sessionKey string) Option {
	return func(s *settings) { s.who.actingSession = sessionKey }
}

// Plaintext connects without TLS, as to a server on the same machine.
func Plaintext() Option {
	return func(s *settings) { s.isPlaintext = true }
}

// TLS connects with this configuration: your own certificate authorities, or a certificate of the client.
func TLS(config *tls.Config) Option {
	return func(s *settings) { s.tls = config }
}

// DialOptions adds options of gRPC's own; they win over those that [Dial] sets.
func DialOptions(options ...grpc.DialOption) Option {
	return func(s *settings) { s.more = append(s.more, options...) }
}

func chosenBy(options []Option) *settings {
	chosen := &settings{}
	for _, option := range options {
		option(chosen)
	}
	return chosen
}

func (s *settings) dialOptions() []grpc.DialOption {
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(s.transport()),
		grpc.WithDefaultServiceConfig(retryConfig),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallSendMsgSize(maxSendBytes),
			grpc.MaxCallRecvMsgSize(maxReceiveBytes),
		),
		// A server that vanished is noticed within 30 s, also by a wait that is silent.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time:                20 * time.Second,
			Timeout:             10 * time.Second,
			PermitWithoutStream: true,
		}),
		// gRPC would let two minutes pass between attempts to connect; calls that are tried again are not to wait for it.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: minPause, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
			MinConnectTimeout: 5 * time.Second,
		}),
	}
	return append(options, s.more...)
}

func (s *settings) transport() transport.TransportCredentials {
	if s.isPlaintext {
		return insecure.NewCredentials()
	}
	return transport.NewTLS(s.tls)
}

// misdialed stands for a connection that could not be made from its target and options.
type misdialed struct{ err error }

func (m misdialed) Invoke(context.Context, string, any, any, ...grpc.CallOption) error {
	return status.Error(codes.InvalidArgument, m.err.Error())
}

func (m misdialed) NewStream(
	context.Context, *grpc.StreamDesc, string, ...grpc.CallOption,
) (grpc.ClientStream, error) {
	return nil, status.Error(codes.InvalidArgument, m.err.Error())
}
