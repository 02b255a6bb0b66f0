// Package interop runs clients in Go, unmodified, against the service that ISSUER names.
package interop

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"mintmark.example/interop/agent"
	"mintmark.example/interop/bearer"
	exchanging "mintmark.example/interop/exchange"
	"mintmark.example/interop/mcpagent"
	"mintmark.example/interop/mcpserver"
)

const (
	orders = "https://orders.example/v1"
	mail   = "https://mail.example"
)

var (
	issuer        = os.Getenv("ISSUER")
	id            = os.Getenv("CLIENT_ID")
	secret        = os.Getenv("CLIENT_SECRET")
	introspection = bearer.Introspection{Issuer: issuer, Resource: orders, APIKey: os.Getenv("API_KEY")}
)

func configure(t *testing.T, resource string, scopes ...string) *clientcredentials.Config {
	t.Helper()
	config, err := agent.Configure(t.Context(), issuer, id, secret, resource, scopes...)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func take(t *testing.T, config *clientcredentials.Config) *oauth2.Token {
	t.Helper()
	token, err := config.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func keys(t *testing.T, resource string) *bearer.Keys {
	t.Helper()
	checked, err := bearer.NewKeys(t.Context(), issuer, resource)
	if err != nil {
		t.Fatal(err)
	}
	return checked
}

func revoke(t *testing.T, token string) {
	t.Helper()
	form := url.Values{"token": {token}, "client_id": {id}, "client_secret": {secret}}
	response, err := http.PostForm(issuer+"/oauth/revoke", form)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response, err)
	}
	response.Body.Close()
}

func TestTokenWithScopeAndResource(t *testing.T) {
	token := take(t, configure(t, orders, "db:read", "db:write"))
	if scope := token.Extra("scope"); scope != "db:read db:write" || token.TokenType != "Bearer" {
		t.Fatal(scope, token.TokenType)
	}
	claims, err := keys(t, orders).Check(t.Context(), token.AccessToken)
	if err != nil || claims.ClientID != id || !claims.Allows("db:write") {
		t.Fatal(claims, err)
	}
	if _, err := keys(t, "https://mail.example").Check(t.Context(), token.AccessToken); err == nil {
		t.Fatal("a token for another resource was taken")
	}
}

func TestTokenWithoutScopeAndResourceHasTheDefaults(t *testing.T) {
	for _, style := range []oauth2.AuthStyle{
		oauth2.AuthStyleInParams, oauth2.AuthStyleInHeader, oauth2.AuthStyleAutoDetect,
	} {
		config := configure(t, "")
		config.AuthStyle = style
		// The audience is the issuer, unless the service is configured otherwise.
		claims, err := keys(t, issuer).Check(t.Context(), take(t, config).AccessToken)
		if err != nil || claims.Scope != "db:read" {
			t.Fatal(claims, err)
		}
	}
}

func TestIntrospectionAndRevocation(t *testing.T) {
	token := take(t, configure(t, orders)).AccessToken
	found, err := introspection.Check(t.Context(), token)
	if err != nil || found.ClientID != id || !found.Allows("db:read") {
		t.Fatal(found, err)
	}
	elsewhere := introspection
	elsewhere.Resource = "https://mail.example"
	if _, err := elsewhere.Check(t.Context(), token); !errors.Is(err, bearer.ErrInactive) {
		t.Fatal(err)
	}
	revoke(t, token)
	if _, err := introspection.Check(t.Context(), token); !errors.Is(err, bearer.ErrInactive) {
		t.Fatal(err)
	}
	// What has only the keys cannot know.
	if _, err := keys(t, orders).Check(t.Context(), token); err != nil {
		t.Fatal(err)
	}
}

func exchange(t *testing.T, id, secret, received string) (*oidc.TokenExchangeResponse, error) {
	t.Helper()
	exchanger, err := exchanging.New(t.Context(), issuer, id, secret)
	if err != nil {
		t.Fatal(err)
	}
	return exchanging.Exchange(t.Context(), exchanger, received, mail)
}

func TestReceivedTokenIsExchangedAndEndsWithTheFirst(t *testing.T) {
	received := take(t, configure(t, orders)).AccessToken
	answer, err := exchange(t, os.Getenv("ORDERS_CLIENT_ID"), os.Getenv("ORDERS_CLIENT_SECRET"), received)
	if err != nil || answer.IssuedTokenType != oidc.AccessTokenType || answer.Scopes.String() != "db:read" {
		t.Fatal(answer, err)
	}
	there := introspection
	there.Resource = mail
	if found, err := there.Check(t.Context(), answer.AccessToken); err != nil || found.ClientID == id {
		t.Fatal(found, err)
	}
	revoke(t, received)
	if _, err := there.Check(t.Context(), answer.AccessToken); !errors.Is(err, bearer.ErrInactive) {
		t.Fatal(err)
	}
}

func TestWhoMayNotExchangeHearsSo(t *testing.T) {
	_, err := exchange(t, id, secret, take(t, configure(t, orders)).AccessToken)
	if refused := (*oidc.Error)(nil); !errors.As(err, &refused) || refused.ErrorType != "unauthorized_client" {
		t.Fatal(err)
	}
}

func TestForgedTokenIsRefused(t *testing.T) {
	token := take(t, configure(t, orders)).AccessToken
	forged := token[:strings.LastIndex(token, ".")+1] + strings.Repeat("A", 86)
	if _, err := keys(t, orders).Check(t.Context(), forged); err == nil {
		t.Fatal("a forged token was taken")
	}
	if _, err := introspection.Check(t.Context(), forged); !errors.Is(err, bearer.ErrInactive) {
		t.Fatal(err)
	}
}

func TestRefusalsAreRead(t *testing.T) {
	wrongSecret := configure(t, "")
	wrongSecret.ClientSecret = "wrong"
	for code, config := range map[string]*clientcredentials.Config{
		"invalid_client": wrongSecret,
		"invalid_scope":  configure(t, "", "mail:send"),
		"invalid_target": configure(t, "not-a-uri"),
	} {
		var refused *oauth2.RetrieveError
		if _, err := config.Token(t.Context()); !errors.As(err, &refused) || refused.ErrorCode != code {
			t.Fatal(code, err)
		}
	}
}

func TestClientSendsItsToken(t *testing.T) {
	resource := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if _, err := keys(t, orders).Check(r.Context(), token); err != nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer resource.Close()
	client, err := agent.New(t.Context(), issuer, id, secret, orders, "db:read")
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Get(resource.URL)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response, err)
	}
	response.Body.Close()
}

// startMCP starts a server whose tokens are for the given audience.
func startMCP(t *testing.T, audience func(origin string) string) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	origin := "http://" + server.Listener.Addr().String()
	checks := introspection
	checks.Resource = audience(origin)
	server.Config.Handler = mcpserver.New(origin, checks)
	server.Start()
	t.Cleanup(server.Close)
	return origin + "/mcp"
}

func whoami(ctx context.Context, session *mcp.ClientSession) (string, error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "whoami"})
	if err != nil {
		return "", err
	}
	return result.Content[0].(*mcp.TextContent).Text, nil
}

func TestMCPClientCredentials(t *testing.T) {
	// The handler sends no resource: the audience is the default one, here the issuer.
	server := startMCP(t, func(string) string { return issuer })
	session, err := mcpagent.Connect(t.Context(), server, issuer, id, secret)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if who, err := whoami(t.Context(), session); err != nil || who != id {
		t.Fatal(who, err)
	}
}

func TestMCPServerRefusesATokenForAnotherAudience(t *testing.T) {
	server := startMCP(t, func(origin string) string { return origin + "/mcp" })
	if _, err := mcpagent.Connect(t.Context(), server, issuer, id, secret); err == nil {
		t.Fatal("a token for another audience was taken")
	}
}

func TestMCPClientReadsTheRefusalOfAWrongSecret(t *testing.T) {
	server := startMCP(t, func(string) string { return issuer })
	_, err := mcpagent.Connect(t.Context(), server, issuer, id, "wrong")
	if err == nil || !strings.Contains(err.Error(), "invalid_client") {
		t.Fatal(err)
	}
}
