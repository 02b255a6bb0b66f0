package bearer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// ErrInactive is of a token that is expired, revoked or not for this resource.
var ErrInactive = errors.New("the token is not active")

// Introspection checks tokens by asking Mintmark: a revoked token is refused at once.
type Introspection struct {
	Issuer, Resource string
	// APIKey carries the permission tokens:introspect.
	APIKey string
}

// Audience is a string or an array of them.
type Audience []string

// UnmarshalJSON takes both forms (RFC 7519 §4.1.3).
func (a *Audience) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*a = Audience{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(a))
}

// Told is what Mintmark says of an active token.
type Told struct {
	Claims
	Active   bool     `json:"active"`
	Audience Audience `json:"aud"`
	Expiry   int64    `json:"exp"`
}

// ExpiresAt is when the token ends by itself.
func (t Told) ExpiresAt() time.Time { return time.Unix(t.Expiry, 0) }

// Check gives what Mintmark says of a token that is active and for this resource.
func (i Introspection) Check(ctx context.Context, token string) (Told, error) {
	var told Told
	form := strings.NewReader(url.Values{"token": {token}}.Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, i.Issuer+"/oauth/introspect/v2", form)
	if err != nil {
		return told, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("X-API-Key", i.APIKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return told, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return told, fmt.Errorf("introspection answered %s", response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&told); err != nil {
		return told, err
	}
	if !told.Active || !slices.Contains(told.Audience, i.Resource) {
		return told, ErrInactive
	}
	return told, nil
}
