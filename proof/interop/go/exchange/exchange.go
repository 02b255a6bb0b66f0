// Package exchange exchanges a token that was received for one to send on (RFC 8693).
package exchange

import (
	"context"

	"github.com/zitadel/oidc/v3/pkg/client/tokenexchange"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// New reads the issuer's metadata, and authenticates the agent that exchanges.
func New(ctx context.Context, issuer, id, secret string) (tokenexchange.TokenExchanger, error) {
	return tokenexchange.NewTokenExchangerClientCredentials(ctx, issuer, id, secret)
}

// Exchange gives a token for the resource in the name of the agent that sent the received one.
func Exchange(
	ctx context.Context, exchanger tokenexchange.TokenExchanger, received, resource string,
) (*oidc.TokenExchangeResponse, error) {
	return tokenexchange.ExchangeToken(
		ctx, exchanger, received, oidc.AccessTokenType, "", "", []string{resource}, nil, nil, oidc.AccessTokenType,
	)
}
