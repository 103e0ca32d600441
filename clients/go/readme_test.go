package sessiontools

import (
	"os"
	"strings"
	"testing"
)

func TestTheReadmePrintsTheQuickStartInAtMostTwentyLines(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("examples/quickstart/main.go")
	if err != nil {
		t.Fatal(err)
	}

	if lines := strings.Count(string(program), "\n"); lines > 20 {
		t.Errorf("the program has %d lines", lines)
	}
	if !strings.Contains(string(readme), "```go\n"+string(program)+"```\n") {
		t.Error("the program in the README is another one")
	}
}
