// Followtable prints what the follower in Go says of the conformance table that a file holds, a line of JSON for each step.
package main

import (
	"encoding/json"
	"log"
	"os"

	"mintmark.example/interop/follow"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("Name one file: go run ./followtable ../../../testkit/feed/conformance.json")
	}
	table, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	lines, err := follow.RunTable(table)
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range lines {
		if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
			log.Fatal(err)
		}
	}
}
