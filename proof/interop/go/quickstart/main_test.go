package main

import (
	"os"
	"os/exec"
	"testing"
)

func TestTokenIsActiveUntilItIsRevoked(t *testing.T) {
	program := exec.Command("go", "run", ".")
	program.Env = append(os.Environ(), "BASE_URL="+os.Getenv("ISSUER"), "ADMIN_API_KEY="+os.Getenv("API_KEY"))
	output, err := program.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\"active\":true}\n{\"active\":false}\n"; string(output) != want {
		t.Errorf("printed %q, not %q", output, want)
	}
}
