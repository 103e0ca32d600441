// A channel gateway: takes what is to go out, prints it, and confirms it. Put your channel's API into send.
//
//	go run . -server 127.0.0.1:50551 telegram
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"sessiontools.dev/clients/go"
	v1 "sessiontools.dev/clients/go/sessiontools/v1"
)

func main() {
	server := flag.String("server", "127.0.0.1:50551", "address of the server")
	flag.Parse()
	client := sessiontools.Dial(*server, sessiontools.Plaintext(), sessiontools.Token(os.Getenv("SESSIONTOOLS_TOKEN")))
	defer client.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := client.ServeDeliveries(ctx, sessiontools.DeliveryOptions{Channels: flag.Args()}, send); err != nil {
		log.Fatal(err)
	}
}

// send prints a text; its receipt would be the provider's message id. An error offers the text again later.
func send(_ context.Context, delivery *v1.Delivery) (receipt string, err error) {
	again := ""
	if delivery.PossiblyDelivered { // a gateway vanished after taking it: look it up by delivery.Id where you can
		again = " (perhaps once more)"
	}
	_, err = fmt.Printf("%s -> %s%s: %s\n", delivery.Route.Channel, delivery.Route.To, again, delivery.Text)
	return "printed-" + delivery.Id, err
}
