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

// ErrInactive is of a token that is expired, revoked, bound to a key or not for this resource.
var ErrInactive = errors.New("the token is not active")

// The API key and the token go to the issuer alone: net/http would send X-API-Key along with a redirect to another host.
var client = &http.Client{
	Timeout:       10 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

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

// ActiveToken is what Mintmark states about an active token.
type ActiveToken struct {
	Claims
	Active   bool     `json:"active"`
	Audience Audience `json:"aud"`
	Expiry   int64    `json:"exp"`
}

// ExpiresAt is when the token ends by itself.
func (t ActiveToken) ExpiresAt() time.Time { return time.Unix(t.Expiry, 0) }

// Check gives what Mintmark says of a bearer token that is active and for this resource.
func (i Introspection) Check(ctx context.Context, token string) (ActiveToken, error) {
	var found ActiveToken
	form := strings.NewReader(url.Values{"token": {token}}.Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, i.Issuer+"/oauth/introspect/v2", form)
	if err != nil {
		return found, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("X-API-Key", i.APIKey)
	response, err := client.Do(request)
	if err != nil {
		return found, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return found, fmt.Errorf("introspection answered %s", response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		return found, err
	}
	if !found.Active || found.Bound != nil || !slices.Contains(found.Audience, i.Resource) {
		return found, ErrInactive
	}
	return found, nil
}
