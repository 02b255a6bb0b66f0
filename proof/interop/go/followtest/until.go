// Package followtest waits for what a follower says of a token.
package followtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"mintmark.example/interop/follow"
)

// Until verifies until the error is the expected one, and fails at one that is neither this nor the present one.
func Until(t *testing.T, follower *follow.Follower, token string, expected, present error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		_, err := follower.Verify(t.Context(), token)
		if errors.Is(err, expected) {
			return
		} else if !errors.Is(err, present) {
			t.Fatalf("verifying gave %v and not %v", err, expected)
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("verifying never gave %v", expected)
}
