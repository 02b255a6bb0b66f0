package interop

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"mintmark.example/interop/bearer"
	"mintmark.example/interop/follow"
	"mintmark.example/interop/followtest"
)

// holdToTable sends the table of requests to a server that is a recipe.
func holdToTable(t *testing.T, address, resource, kind, checks string) {
	t.Helper()
	program := exec.Command(os.Getenv("NODE"), "../requests/run.ts",
		"--address", address, "--resource", resource, "--kind", kind, "--checks", checks)
	if output, err := program.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
}

type check func(ctx context.Context, token string) (bearer.Claims, error)

// serve answers 401 to a token that the check refuses, and 403 to one without db:read.
func serve(t *testing.T, check check) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		claims, err := check(r.Context(), bearer.Token(r.Header))
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
		} else if !claims.Allows("db:read") {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestTableByKeys(t *testing.T) {
	holdToTable(t, serve(t, keys(t, orders).Check), orders, "api", "keys")
}

func TestTableByIntrospection(t *testing.T) {
	address := serve(t, func(ctx context.Context, token string) (bearer.Claims, error) {
		found, err := introspection.Check(ctx, token)
		return found.Claims, err
	})
	holdToTable(t, address, orders, "api", "introspection")
}

func TestTableByMCPServer(t *testing.T) {
	resource := startMCP(t, func(origin string) string { return origin + "/mcp" })
	holdToTable(t, resource, resource, "mcp", "introspection")
}

func TestTableByFollower(t *testing.T) {
	follower, err := follow.Start(t.Context(), introspection, 10*time.Second, func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	followtest.Until(t, follower, take(t, configure(t, orders)).AccessToken, nil, follow.ErrStale)
	address := serve(t, func(ctx context.Context, token string) (bearer.Claims, error) {
		claims, err := follower.Verify(ctx, token)
		scope, _ := claims["scope"].(string)
		return bearer.Claims{Scope: scope}, err
	})
	holdToTable(t, address, orders, "api", "feed")
}
