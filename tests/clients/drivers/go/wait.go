package main

import (
	"context"
	"iter"
	"sync"

	"google.golang.org/protobuf/proto"

	"sessiontools.dev/clients/go"
	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

// wait is a WaitRun that is taken from piece by piece.
type wait struct {
	mutex  sync.Mutex
	pull   func() (*v1.WaitRunResponse, error, bool)
	cancel context.CancelFunc
}

func open(client *sessiontools.Client, next command) *wait {
	request := &v1.WaitRunRequest{}
	check(proto.Unmarshal(next.Request, request))
	ctx, cancel := within(next.DeadlineSeconds)
	pull, _ := iter.Pull2(client.WaitRun(ctx, request))
	return &wait{pull: pull, cancel: cancel}
}

func (w *wait) next(next command, answers *answers) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	count := 1
	if next.Count != nil {
		count = *next.Count
	}
	for range count {
		event, err, isThere := w.pull()
		if err != nil || !isThere {
			answers.write(next, over(err))
			return
		}
		answers.write(next, message("event", event))
	}
	answers.write(next, done)
}

func over(err error) fields {
	if err != nil {
		return failure(err)
	}
	return fields{"end": true}
}
