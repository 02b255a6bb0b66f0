// Package follow refuses revoked tokens without a request for each: it verifies them by their signature and follows
// Mintmark's revocation feed (docs/apis/feed-protocol.md) by long poll.
package follow

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"mintmark.example/interop/bearer"
)

var (
	// ErrStale says that nobody knows whether the token was revoked: respond 503.
	ErrStale = errors.New("the revocations are not known to be complete: try again")
	// ErrEnded says that the token was revoked, or is no access token for this resource: respond 401.
	ErrEnded     = errors.New("the token is not active")
	errStartOver = errors.New("the feed starts over")
)

const (
	documentBytesMax = 64 << 20
	snapshotWithin   = time.Minute
	keysFor          = 5 * time.Minute
)

// The API key goes nowhere else: redirects are not followed.
var client = &http.Client{
	Timeout:       snapshotWithin,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Follower verifies tokens for one resource.
type Follower struct {
	bearer.Introspection
	staleness  time.Duration
	feed, jwks string

	mu        sync.RWMutex
	facts     facts // only the goroutine that follows changes them
	confirmed time.Time
	known, at time.Time // what time it was at the service, and here
	keys      oidc.KeySet
	keysRead  time.Time
}

// Start reads the metadata, and follows until the context ends. A fault of the feed is reported, and lets staleness grow.
func Start(ctx context.Context, of bearer.Introspection, staleness time.Duration, report func(error)) (*Follower, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, client), of.Issuer)
	if err != nil {
		return nil, err
	}
	var metadata struct {
		Feed string `json:"revocation_feed_endpoint"`
		JWKS string `json:"jwks_uri"`
	}
	if err := provider.Claims(&metadata); err != nil || metadata.Feed == "" {
		return nil, fmt.Errorf("the metadata of %s names no revocation_feed_endpoint", of.Issuer)
	}
	f := &Follower{Introspection: of, staleness: staleness, feed: metadata.Feed, jwks: metadata.JWKS}
	go f.follow(ctx, report)
	return f, nil
}

// change makes a change that Verify sees as a whole.
func (f *Follower) change(how func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how()
}

// follow ends with its context only: whatever the fault, what was held still holds.
func (f *Follower) follow(ctx context.Context, report func(error)) {
	for ctx.Err() == nil {
		if err := f.poll(ctx); err != nil && ctx.Err() == nil {
			if errors.Is(err, errStartOver) || !f.facts.isWhole() {
				f.change(func() { f.facts, f.confirmed = facts{}, time.Time{} })
			}
			report(err)
			pause(ctx, min(time.Second, f.staleness/4))
		}
	}
}

// poll confirms the position by a head that was asked for before the position was reached, and waits for changes. A head that
// is behind, or of another epoch, confirms nothing: the response to the request for changes decides whether to start over.
func (f *Follower) poll(ctx context.Context) error {
	for !f.facts.isWhole() {
		if err := f.step(ctx, 0); err != nil {
			return err
		}
	}
	sent, before := time.Now(), f.facts.position
	body, err := f.get(ctx, "", f.patience(0))
	if err != nil {
		return err
	}
	var head document
	if err := json.Unmarshal(body, &head); err != nil || head.Position == nil || head.Now == nil {
		return errors.Join(err, errMalformed)
	}
	if head.Epoch == f.facts.epoch && *head.Position >= before {
		for f.facts.position < *head.Position {
			if err := f.step(ctx, 0); err != nil {
				return err
			} else if age(sent) > f.staleness { // it would confirm nothing any more
				return nil
			}
		}
		f.change(func() { f.confirmed, f.known, f.at = sent, time.UnixMilli(int64(*head.Now)), sent })
	}
	return f.step(ctx, min(25, int(0.4*f.staleness.Seconds())))
}

// patience is how long a response may take: a later one confirms next to nothing.
func (f *Follower) patience(waitSeconds int) time.Duration {
	return time.Duration(waitSeconds)*time.Second + max(time.Second, f.staleness/2)
}

// step applies the next document.
func (f *Follower) step(ctx context.Context, waitSeconds int) error {
	sent, before, within := time.Now(), f.facts.position, snapshotWithin
	if f.facts.isWhole() {
		within = f.patience(waitSeconds)
	}
	body, err := f.get(ctx, f.facts.next(waitSeconds), within)
	if err != nil {
		return err
	}
	var d document
	config := oidc.Config{SkipClientIDCheck: true, SkipExpiryCheck: true}
	if _, err := f.open(ctx, string(body), "revocations+jwt", config, &d); err != nil {
		return err
	}
	f.change(func() {
		if err = f.facts.apply(d); slices.ContainsFunc(d.CutOffs, isOfKey) {
			f.keys = nil
		}
	})
	if err == nil && f.facts.position == before && f.facts.isWhole() {
		pause(ctx, f.staleness/10-time.Since(sent)) // lest a server that does not wait is asked without end
	}
	return err
}

func (f *Follower) get(ctx context.Context, path string, within time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.feed+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-API-Key", f.APIKey)
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK: // of a longer one the rest is missing, and so its signature is wrong
		return io.ReadAll(io.LimitReader(response.Body, documentBytesMax))
	case http.StatusConflict:
		return nil, errStartOver
	}
	return nil, fmt.Errorf("the feed responded %s", response.Status)
}

// pause spreads the requests of many followers that failed at one time.
func pause(ctx context.Context, about time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(about/2 + rand.N(max(1, about))):
	}
}

// keySet is read again after keysFor, and once a key is cut off: go-oidc itself never forgets a key.
func (f *Follower) keySet() (keys oidc.KeySet) {
	f.change(func() {
		if f.keys == nil || age(f.keysRead) > keysFor {
			f.keys, f.keysRead = oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), client), f.jwks), time.Now()
		}
		keys = f.keys
	})
	return keys
}

// open verifies signature, issuer and type of a JWT, and what config asks for, and reads its claims.
func (f *Follower) open(ctx context.Context, text, typ string, config oidc.Config, claims any) (header members, err error) {
	config.SupportedSigningAlgs = []string{oidc.ES256, oidc.RS256}
	verified, err := oidc.NewVerifier(f.Issuer, f.keySet(), &config).Verify(ctx, text)
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(text, ".")
	bytes, err := base64.RawURLEncoding.DecodeString(first)
	if err = errors.Join(err, json.Unmarshal(bytes, &header)); err == nil && header["typ"] != typ {
		err = fmt.Errorf("the JWT is of the type %v, and not %s", header["typ"], typ)
	}
	return header, errors.Join(err, verified.Claims(claims))
}

// age is the greater of the time counted, which stands still while a machine is suspended, and that by the wall clock.
func age(since time.Time) time.Duration {
	return max(time.Since(since), time.Now().Round(0).Sub(since.Round(0)))
}

// now is the time of the service: the clock of this machine may be set ahead, and every live token would be expired.
func (f *Follower) now() time.Time {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.known.Add(time.Since(f.at))
}

// judge is Ask for each token where the facts are stale.
func (f *Follower) judge(header, claims members) (verdict Verdict, isStale bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.facts.judge(header, claims), age(f.confirmed) > f.staleness
}

// Verify gives the claims of a token that is valid and not revoked; otherwise the error is ErrEnded or ErrStale.
func (f *Follower) Verify(ctx context.Context, token string) (members, error) {
	if _, isStale := f.judge(nil, nil); isStale {
		return nil, ErrStale
	}
	claims := members{}
	header, err := f.open(ctx, token, "at+jwt", oidc.Config{ClientID: f.Resource, Now: f.now}, &claims)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEnded, err)
	} else if claims["sub"] == nil || claims["client_id"] == nil || claims["cnf"] != nil {
		return nil, fmt.Errorf("%w: it lacks sub or client_id, or is bound to a key, whose proof is not checked here", ErrEnded)
	}
	verdict, isStale := f.judge(header, claims)
	if !isStale && verdict == Ask {
		if _, err := f.Check(ctx, token); err == nil {
			return claims, nil
		} else if !errors.Is(err, bearer.ErrInactive) {
			return nil, fmt.Errorf("%w: %w", ErrStale, err)
		}
		verdict = Ended
	}
	switch {
	case isStale:
		return nil, ErrStale
	case verdict == Ended:
		return nil, ErrEnded
	}
	return claims, nil
}
