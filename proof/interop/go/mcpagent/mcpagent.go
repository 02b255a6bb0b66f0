// Package mcpagent calls an MCP server: the SDK asks the server who issues its tokens, and gets one from there.
package mcpagent

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Connect opens a session. The issuer is the only authorization server that ever sees the secret.
func Connect(ctx context.Context, server, issuer, id, secret string) (*mcp.ClientSession, error) {
	handler, err := extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{
		Credentials: &oauthex.ClientCredentials{
			ClientID:         id,
			ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: secret},
			Issuer:           issuer,
		},
	})
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0.0"}, nil)
	return client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: server, OAuthHandler: handler}, nil)
}
