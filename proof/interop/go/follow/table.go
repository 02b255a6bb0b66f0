package follow

import (
	"encoding/json"
	"io"
)

var verdicts = map[Verdict]string{Live: "live", Ask: "ask", Ended: "ended"}

// Line is what a follower says after a step of the conformance table of the feed.
type Line struct {
	Case     string  `json:"case"`
	Step     int     `json:"step"`
	Verdict  string  `json:"verdict,omitempty"`
	Position *uint64 `json:"position"`
}

// RunTable takes the steps of testkit/feed/conformance.json, and gives a line for each.
func RunTable(table io.Reader) (lines []Line, err error) {
	var read struct {
		Cases []struct {
			Name  string
			Steps []struct {
				Step           string
				Payload        json.RawMessage
				Header, Claims members
			}
		}
	}
	err = json.NewDecoder(table).Decode(&read)
	for _, one := range read.Cases {
		held := facts{}
		for n, step := range one.Steps {
			line := Line{Case: one.Name, Step: n}
			var payload document
			isRead := json.Unmarshal(step.Payload, &payload) == nil
			switch {
			case step.Step == "token":
				line.Verdict = verdicts[held.judge(step.Header, step.Claims)]
			case step.Step == "epoch_changed":
				held = facts{}
			case step.Step == "head":
				if isRead && payload.Epoch == held.epoch && payload.Now != nil {
					held.pass(*payload.Now)
				}
			default:
				if step.Step == "snapshot" {
					held = facts{}
				}
				if isRead {
					_ = held.apply(payload)
				}
			}
			if held.isWhole() {
				position := held.position
				line.Position = &position
			}
			lines = append(lines, line)
		}
	}
	return lines, err
}
