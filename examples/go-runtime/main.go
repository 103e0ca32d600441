// A runtime: executes the runs of agents that have `runtime: "external"`. Put your model into think.
//
//	go run . --server 127.0.0.1:50551 --agent builder
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"sessiontools.dev/clients/go"
)

func main() {
	server := flag.String("server", "127.0.0.1:50551", "`HOST:PORT` of the server")
	token := flag.String("token", os.Getenv("SESSIONTOOLS_TOKEN"), "the runtime's token, where the server has any")
	agent := flag.String("agent", "", "whose runs to take; default: everybody's")
	pace := flag.Duration("pace", 100*time.Millisecond, "how long a word takes")
	flag.Parse()

	// At the end of this context the runs under way are given back, for another runtime to take.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client := sessiontools.Dial(*server, sessiontools.Plaintext(), sessiontools.Token(*token))
	options := sessiontools.RuntimeOptions{ID: "go-shouter", AgentIDs: strings.Fields(*agent), MaxRuns: 8}
	if err := client.ServeRuns(ctx, options, thinkAt(*pace)); err != nil {
		log.Fatal(err)
	}
}

// thinkAt shouts the message back, word by word. run.History is what was said before, and run.Agent calls the session
// tools as the agent itself.
func thinkAt(pace time.Duration) sessiontools.Execute {
	return func(ctx context.Context, run *sessiontools.Assignment) (string, error) {
		words := strings.Fields(strings.ToUpper(run.Text()))
		for _, word := range words {
			select {
			case <-time.After(pace):
			case <-ctx.Done(): // the run was cancelled, or this program ends
				return "", context.Cause(ctx)
			}
			if err := run.Delta(ctx, word+" "); err != nil { // seen at once by those who wait
				return "", err
			}
		}
		log.Printf("run %s: %d words", run.Run.Id, len(words))
		return strings.Join(words, " "), nil
	}
}
