package main

import (
	"context"
	"fmt"
	"os"
	"sessiontools.dev/clients/go"
	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

func main() {
	client := sessiontools.Dial(os.Args[1], sessiontools.Plaintext())
	sent, err := client.SessionsSend(context.Background(), &v1.SessionsSendRequest{SessionKey: "main", Message: "hello"})
	if err != nil {
		panic(err)
	}
	for event, err := range client.WaitRun(context.Background(), &v1.WaitRunRequest{RunId: sent.RunId}) {
		fmt.Println(event, err)
	}
}
