// Package agent gets Mintmark's access tokens.
package agent

import (
	"context"
	"net/http"
	"net/url"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// New gives a client that sends a token for the resource with every request, and gets the next one in time.
func New(ctx context.Context, issuer, id, secret, resource string, scopes ...string) (*http.Client, error) {
	config, err := Configure(ctx, issuer, id, secret, resource, scopes...)
	if err != nil {
		return nil, err
	}
	return config.Client(ctx), nil
}

// Configure reads the token endpoint from the issuer's metadata. Without a resource or scopes the agent gets its defaults.
func Configure(
	ctx context.Context, issuer, id, secret, resource string, scopes ...string,
) (*clientcredentials.Config, error) {
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return nil, err
	}
	config := &clientcredentials.Config{
		ClientID:     id,
		ClientSecret: secret,
		TokenURL:     provider.Endpoint().TokenURL,
		Scopes:       scopes,
		// Otherwise the library finds out by trying Basic first.
		AuthStyle: oauth2.AuthStyleInHeader,
	}
	if resource != "" {
		config.EndpointParams = url.Values{"resource": {resource}}
	}
	return config, nil
}
