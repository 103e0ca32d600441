package main

import (
	"encoding/json"
	"errors"
	"io"
	"sync"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/proto"

	"sessiontools.dev/clients/go"
)

// command is one line of input; README.md of tests/clients tells which command has which fields.
type command struct {
	ID              any      `json:"id"`
	Op              string   `json:"op"`
	Target          string   `json:"target"`
	Method          string   `json:"method"`
	Request         []byte   `json:"request"`
	DeadlineSeconds *float64 `json:"deadline_seconds"`
	Token           *string  `json:"token"`
	ActingSession   *string  `json:"acting_session"`
	Wait            any      `json:"wait"`
	Count           *int     `json:"count"`
}

// fields are those of an answer, beside its id.
type fields map[string]any

var done = fields{"done": true}

// answers writes the lines of output, each as a whole.
type answers struct {
	mutex sync.Mutex
	lines *json.Encoder
}

func newAnswers(output io.Writer) *answers {
	return &answers{lines: json.NewEncoder(output)}
}

func (a *answers) write(to command, answer fields) {
	line := fields{"id": to.ID}
	for name, value := range answer {
		line[name] = value
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	check(a.lines.Encode(line))
}

// message is a message of the contract as the field of an answer.
func message(name string, content proto.Message) fields {
	bytes, err := proto.Marshal(content)
	check(err)
	return fields{name: bytes}
}

// failure is the client's error, field by field.
func failure(err error) fields {
	var refusal *sessiontools.Error
	if !errors.As(err, &refusal) {
		panic(err)
	}
	names := []string{}
	for _, each := range refusal.Fields {
		names = append(names, each.Field)
	}
	metadata := refusal.Metadata
	if metadata == nil {
		metadata = map[string]string{}
	}
	return fields{"error": fields{
		"code":                code.Code(refusal.Code).String(),
		"reason":              refusal.Reason,
		"message":             refusal.Message,
		"metadata":            metadata,
		"fields":              names,
		"retry_after_seconds": refusal.RetryAfter.Seconds(),
	}}
}

// check ends the driver: what it checks is never wrong unless the driver, or who commands it, is.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
