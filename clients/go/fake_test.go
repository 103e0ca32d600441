package sessiontools

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

// connected starts a server with these services in this process and gives a client of it. The client pauses not at all,
// and notes for how long it would have.
func connected(t *testing.T, register func(*grpc.Server), options ...Option) (*Client, *slept) {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	register(server)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	dial := func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }
	conn, err := grpc.NewClient("passthrough:///fake",
		grpc.WithContextDialer(dial), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	client, slept := New(conn, options...), &slept{}
	client.sleep = slept.sleep
	return client, slept
}

// slept notes pauses instead of making them.
type slept struct {
	mutex  sync.Mutex
	pauses []time.Duration
}

func (s *slept) sleep(ctx context.Context, pause time.Duration) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pauses = append(s.pauses, pause)
	return typed(ctx.Err())
}

// fakeTools plays one script for each stream that is opened, and notes the requests.
type fakeTools struct {
	v1.UnimplementedSessionToolsServiceServer

	mutex    sync.Mutex
	scripts  []script
	requests []*v1.WaitRunRequest
}

type script func(context.Context, func(*v1.WaitRunResponse)) error

func (f *fakeTools) WaitRun(request *v1.WaitRunRequest, stream grpc.ServerStreamingServer[v1.WaitRunResponse]) error {
	next := f.next(request)
	return next(stream.Context(), func(message *v1.WaitRunResponse) { _ = stream.Send(message) })
}

func (f *fakeTools) next(request *v1.WaitRunRequest) script {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.requests = append(f.requests, request)
	next := f.scripts[0]
	if len(f.scripts) > 1 { // the last one goes on for ever
		f.scripts = f.scripts[1:]
	}
	return next
}

func (f *fakeTools) cursors() (cursors []string) {
	for _, request := range f.requests {
		cursors = append(cursors, request.Cursor)
	}
	return cursors
}

func waiting(t *testing.T, scripts ...script) (*Client, *fakeTools, *slept) {
	t.Helper()
	fake := &fakeTools{scripts: scripts}
	client, slept := connected(t, func(s *grpc.Server) { v1.RegisterSessionToolsServiceServer(s, fake) })
	return client, fake, slept
}
