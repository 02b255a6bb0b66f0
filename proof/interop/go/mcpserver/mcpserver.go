// Package mcpserver is an MCP server that takes only Mintmark's tokens for itself.
package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"mintmark.example/interop/bearer"
)

// New serves MCP at origin + "/mcp" to callers whose tokens Mintmark says are active.
func New(origin string, introspection bearer.Introspection) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "whoami", Description: "The client that calls"}, whoami)

	const metadata = "/.well-known/oauth-protected-resource/mcp"
	check := auth.RequireBearerToken(verifier(introspection), &auth.RequireBearerTokenOptions{
		ResourceMetadataURL: origin + metadata,
		Scopes:              []string{"db:read"},
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", check(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)))
	mux.Handle(metadata, auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource:             origin + "/mcp",
		AuthorizationServers: []string{introspection.Issuer},
	}))
	return mux
}

func verifier(introspection bearer.Introspection) auth.TokenVerifier {
	return func(ctx context.Context, token string, request *http.Request) (*auth.TokenInfo, error) {
		// Of two lines the SDK reads the first, and what stands behind it may read the second.
		if len(request.Header.Values("Authorization")) > 1 {
			return nil, auth.ErrInvalidToken
		}
		found, err := introspection.Check(ctx, token)
		if errors.Is(err, bearer.ErrInactive) {
			return nil, fmt.Errorf("%w: %w", auth.ErrInvalidToken, err)
		}
		if err != nil {
			return nil, err
		}
		return &auth.TokenInfo{
			Scopes:     strings.Fields(found.Scope),
			Expiration: found.ExpiresAt(),
			UserID:     found.ClientID,
		}, nil
	}
}

func whoami(_ context.Context, request *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	text := request.Extra.TokenInfo.UserID
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}
