// The driver of the Go client for the conformance cases: commands on standard input, answers on standard output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"time"

	"google.golang.org/protobuf/proto"

	"sessiontools.dev/clients/go"
	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

func main() {
	driver := &driver{answers: newAnswers(os.Stdout), waits: map[any]*wait{}}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		check(err)
		var next command
		check(json.Unmarshal(line, &next))
		driver.obey(next)
	}
}

// driver does what the commands say. Its own state is touched by the loop over the input only.
type driver struct {
	answers *answers
	client  *sessiontools.Client
	waits   map[any]*wait // by the id of the command that opened it
}

func (d *driver) obey(next command) {
	switch next.Op {
	case "dial":
		d.dial(next)
	case "call":
		client := d.caller(next)
		go d.call(client, next)
	case "stream":
		client := d.caller(next)
		go d.stream(client, next)
	case "wait":
		d.waits[next.ID] = open(d.caller(next), next)
		d.answers.write(next, done)
	case "next":
		taken := d.waits[next.Wait]
		go taken.next(next, d.answers)
	case "cancel":
		d.waits[next.Wait].cancel()
		d.answers.write(next, done)
	default:
		panic("unknown command " + next.Op)
	}
}

func (d *driver) dial(next command) {
	if d.client != nil {
		check(d.client.Close())
	}
	options := []sessiontools.Option{sessiontools.Plaintext()}
	if next.Token != nil {
		options = append(options, sessiontools.Token(*next.Token))
	}
	if next.ActingSession != nil {
		options = append(options, sessiontools.ActingSession(*next.ActingSession))
	}
	d.client = sessiontools.Dial(next.Target, options...)
	d.answers.write(next, done)
}

// caller is the client with the credentials of a command.
func (d *driver) caller(next command) *sessiontools.Client {
	client := d.client
	if next.Token != nil {
		client = client.WithToken(*next.Token)
	}
	if next.ActingSession != nil {
		client = client.ActingAs(*next.ActingSession)
	}
	return client
}

// call makes a unary call; the client has a method of each one's name, func(ctx, *Request, ...) (*Response, error).
func (d *driver) call(client *sessiontools.Client, next command) {
	ctx, cancel := within(next.DeadlineSeconds)
	defer cancel()
	method := reflect.ValueOf(client).MethodByName(next.Method)
	request := reflect.New(method.Type().In(1).Elem())
	check(proto.Unmarshal(next.Request, request.Interface().(proto.Message)))
	results := method.Call([]reflect.Value{reflect.ValueOf(ctx), request})
	if err, failed := results[1].Interface().(error); failed {
		d.answers.write(next, failure(err))
		return
	}
	d.answers.write(next, message("response", results[0].Interface().(proto.Message)))
}

// stream reads the answers of WaitRuns, the one streaming method that the client leaves as it is, to their end.
func (d *driver) stream(client *sessiontools.Client, next command) {
	ctx, cancel := within(next.DeadlineSeconds)
	defer cancel()
	request := &v1.WaitRunsRequest{}
	check(proto.Unmarshal(next.Request, request))
	stream, err := client.WaitRuns(ctx, request)
	for err == nil {
		var event *v1.WaitRunsResponse
		if event, err = stream.Recv(); err == nil {
			d.answers.write(next, message("event", event))
		}
	}
	if err != io.EOF {
		d.answers.write(next, failure(err))
		return
	}
	d.answers.write(next, done)
}

func within(seconds *float64) (context.Context, context.CancelFunc) {
	if seconds == nil {
		return context.WithCancel(context.Background())
	}
	return context.WithTimeout(context.Background(), time.Duration(*seconds*float64(time.Second)))
}
