// Package bearer checks Mintmark's access tokens at a resource server.
package bearer

import (
	"context"
	"errors"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// Claims are those of an access token (RFC 9068) that a resource server decides by.
type Claims struct {
	Subject  string `json:"sub"`
	ClientID string `json:"client_id"`
	Scope    string `json:"scope"`
}

// Allows says whether the token carries a scope.
func (c Claims) Allows(scope string) bool {
	for _, item := range strings.Fields(c.Scope) {
		if item == scope {
			return true
		}
	}
	return false
}

// Keys checks tokens by the published keys alone: no request a token, and a revoked token passes until its exp.
type Keys struct{ verifier *oidc.IDTokenVerifier }

// NewKeys reads the metadata of the issuer. The resource is the audience that a token must have.
func NewKeys(ctx context.Context, issuer, resource string) (*Keys, error) {
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return nil, err
	}
	// Said here, because go-oidc takes RS256 alone where it is not configured otherwise.
	config := &oidc.Config{ClientID: resource, SupportedSigningAlgs: []string{oidc.ES256, oidc.RS256}}
	return &Keys{provider.VerifierContext(ctx, config)}, nil
}

// Check gives the claims of a token of this issuer for this resource.
func (k *Keys) Check(ctx context.Context, token string) (Claims, error) {
	var claims Claims
	verified, err := k.verifier.Verify(ctx, token)
	if err != nil {
		return claims, err
	}
	if err := verified.Claims(&claims); err != nil {
		return claims, err
	}
	// go-oidc does not look at the header's typ: only an access token has a client and a scope.
	if claims.ClientID == "" || claims.Scope == "" {
		return claims, errors.New("not an access token")
	}
	return claims, nil
}
