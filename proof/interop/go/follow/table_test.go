package follow

import (
	"encoding/json"
	"os"
	"testing"
)

const table = "../../../../testkit/feed/conformance.json"

func TestFollowerAgreesWithTheConformanceTable(t *testing.T) {
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Cases []struct {
			Steps []struct {
				Step, Verdict, Or string
				Position          *uint64
			}
		}
	}
	if err := json.Unmarshal(text, &expected); err != nil || len(expected.Cases) == 0 {
		t.Fatal("the table holds nothing", err)
	}
	file, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := RunTable(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range expected.Cases {
		for _, step := range one.Steps {
			line := lines[0]
			lines = lines[1:]
			right := line.Verdict != "" && (line.Verdict == step.Verdict || line.Verdict == step.Or)
			if step.Step != "token" {
				right = (line.Position == nil) == (step.Position == nil) && (step.Position == nil || *line.Position == *step.Position)
			}
			if !right {
				said, _ := json.Marshal(line)
				t.Errorf("%s; the table says %q", said, step.Verdict)
			}
		}
	}
}
