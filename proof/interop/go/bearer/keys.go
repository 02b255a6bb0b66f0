// Package bearer checks Mintmark's access tokens at a resource server.
package bearer

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// Claims are those of an access token (RFC 9068) that a resource server decides by.
type Claims struct {
	Subject  string `json:"sub"`
	ClientID string `json:"client_id"`
	Scope    string `json:"scope"`
	// Bound names the key to which the token is bound: without proof of it, it may be stolen.
	Bound json.RawMessage `json:"cnf"`
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
	if typeOf(token) != "at+jwt" || claims.ClientID == "" {
		return claims, errors.New("not an access token")
	}
	if claims.Bound != nil {
		return claims, errors.New("the token is bound to a key, whose proof is not checked here")
	}
	return claims, nil
}

// typeOf gives the typ of a JWT's header, which go-oidc does not check.
func typeOf(token string) string {
	var header struct {
		Type string `json:"typ"`
	}
	first, _, _ := strings.Cut(token, ".")
	if text, err := base64.RawURLEncoding.DecodeString(first); err != nil || json.Unmarshal(text, &header) != nil {
		return ""
	}
	return header.Type
}
