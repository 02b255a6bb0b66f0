package follow_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"mintmark.example/interop/bearer"
	"mintmark.example/interop/follow"
	"mintmark.example/interop/followtest"
)

const orders = "https://orders.example/v1"

type members map[string]any

// control orders something of a publisher of testkit/feed/publisher.ts.
func control(t *testing.T, issuer, what string, order members) (answer members) {
	t.Helper()
	if order == nil {
		order = members{}
	}
	order["do"] = what
	body, _ := json.Marshal(order)
	response, err := http.Post(issuer+"/control", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_ = json.NewDecoder(response.Body).Decode(&answer)
	return answer
}

func publisher(t *testing.T) string {
	t.Helper()
	t.Parallel()
	main := os.Getenv("PUBLISHER")
	if main == "" {
		t.Skip("PUBLISHER names no publisher: npm run interop starts one")
	}
	return control(t, main, "spawn", nil)["issuer"].(string)
}

type issued struct {
	token  string
	claims members
	kid    string
}

func issue(t *testing.T, issuer string, claims members) issued {
	t.Helper()
	answer := control(t, issuer, "issue", members{"claims": claims})
	return issued{answer["token"].(string), answer["claims"].(map[string]any), answer["kid"].(string)}
}

func end(t *testing.T, issuer string, one issued) {
	t.Helper()
	control(t, issuer, "end", members{"token": one.token, "jti": one.claims["jti"], "exp": one.claims["exp"]})
}

func start(t *testing.T, issuer string, staleness time.Duration) *follow.Follower {
	t.Helper()
	of := bearer.Introspection{Issuer: issuer, Resource: orders, APIKey: "key"}
	follower, err := follow.Start(t.Context(), of, staleness, func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	return follower
}

func expect(t *testing.T, follower *follow.Follower, token string, expected error) {
	t.Helper()
	if _, err := follower.Verify(t.Context(), token); !errors.Is(err, expected) {
		t.Fatalf("verifying gave %v and not %v", err, expected)
	}
}

func TestRevokedTokenIsRefusedAndOthersAreNot(t *testing.T) {
	issuer := publisher(t)
	follower := start(t, issuer, 10*time.Second)
	one, other := issue(t, issuer, nil), issue(t, issuer, nil)
	followtest.Until(t, follower, one.token, nil, follow.ErrStale)
	end(t, issuer, one)
	followtest.Until(t, follower, one.token, follow.ErrEnded, nil)
	expect(t, follower, other.token, nil)
}

func TestManyCallersSeeOneEnd(t *testing.T) {
	issuer := publisher(t)
	follower := start(t, issuer, 10*time.Second)
	one := issue(t, issuer, nil)
	followtest.Until(t, follower, one.token, nil, follow.ErrStale)
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			for ended := false; t.Context().Err() == nil; {
				_, err := follower.Verify(t.Context(), one.token)
				if ended && err == nil {
					t.Error("a token that had ended was accepted")
				} else if ended {
					return
				}
				ended = errors.Is(err, follow.ErrEnded)
			}
		})
	}
	end(t, issuer, one)
	callers.Wait()
}

func TestSnapshotHoldsWhatEndedBefore(t *testing.T) {
	issuer := publisher(t)
	all := []issued{}
	for range 5 { // two segments, and one position beyond them
		all = append(all, issue(t, issuer, nil))
		end(t, issuer, all[len(all)-1])
	}
	follower := start(t, issuer, 10*time.Second)
	for _, one := range all {
		followtest.Until(t, follower, one.token, follow.ErrEnded, follow.ErrStale)
	}
	expect(t, follower, issue(t, issuer, nil).token, nil)
}

func TestClockThatIsAheadExpiresNoToken(t *testing.T) {
	issuer := publisher(t)
	control(t, issuer, "pass", members{"ms": -600_000}) // the service is ten minutes behind this machine
	follower := start(t, issuer, 10*time.Second)
	one := issue(t, issuer, nil)
	followtest.Until(t, follower, one.token, nil, follow.ErrStale)
	expect(t, follower, issue(t, issuer, members{"exp": one.claims["iat"]}).token, follow.ErrEnded)
}

func TestFollowerStartsOver(t *testing.T) {
	issuer := publisher(t)
	follower := start(t, issuer, 10*time.Second)
	one := issue(t, issuer, nil)
	followtest.Until(t, follower, one.token, nil, follow.ErrStale)
	control(t, issuer, "epoch_changed", nil)
	followtest.Until(t, follower, one.token, follow.ErrStale, nil)
	followtest.Until(t, follower, one.token, nil, follow.ErrStale)
	end(t, issuer, one)
	followtest.Until(t, follower, one.token, follow.ErrEnded, nil)
}

func TestFaultsOfTheFeedMakeTokensStaleAndAreSurvived(t *testing.T) {
	for _, fault := range []string{"hang", "unavailable", "cut", "garbage", "wrong_type", "wrong_issuer", "wrong_key", "gap"} {
		t.Run(fault, func(t *testing.T) {
			issuer := publisher(t)
			follower := start(t, issuer, 3*time.Second)
			one, other := issue(t, issuer, nil), issue(t, issuer, nil)
			followtest.Until(t, follower, one.token, nil, follow.ErrStale)
			control(t, issuer, "fault", members{"kind": fault})
			end(t, issuer, one)
			followtest.Until(t, follower, one.token, follow.ErrStale, nil)
			expect(t, follower, other.token, follow.ErrStale)
			control(t, issuer, "fault", members{"kind": "none"})
			followtest.Until(t, follower, one.token, follow.ErrEnded, follow.ErrStale)
			followtest.Until(t, follower, other.token, nil, follow.ErrStale)
		})
	}
}

func TestDocumentsThatEndBeforeTheHeadConfirmNothing(t *testing.T) {
	issuer := publisher(t)
	follower := start(t, issuer, 3*time.Second)
	one := issue(t, issuer, nil)
	followtest.Until(t, follower, one.token, nil, follow.ErrStale)
	control(t, issuer, "fault", members{"kind": "hang"})
	control(t, issuer, "limit", members{"positions": 1})
	for range 200 {
		end(t, issuer, issue(t, issuer, nil))
	}
	end(t, issuer, one)
	followtest.Until(t, follower, one.token, follow.ErrStale, nil)
	control(t, issuer, "fault", members{"kind": "none"})
	followtest.Until(t, follower, one.token, follow.ErrEnded, follow.ErrStale)
}

func TestHeadThatIsWrongConfirmsNothingAndIsSurvived(t *testing.T) {
	for _, fault := range []string{"head_behind", "head_ahead"} {
		t.Run(fault, func(t *testing.T) {
			issuer := publisher(t)
			follower := start(t, issuer, 3*time.Second)
			one, other := issue(t, issuer, nil), issue(t, issuer, nil)
			followtest.Until(t, follower, one.token, nil, follow.ErrStale)
			end(t, issuer, one)
			followtest.Until(t, follower, one.token, follow.ErrEnded, nil)
			control(t, issuer, "fault", members{"kind": fault})
			followtest.Until(t, follower, other.token, follow.ErrStale, nil)
			control(t, issuer, "fault", members{"kind": "none"})
			followtest.Until(t, follower, other.token, nil, follow.ErrStale)
		})
	}
}

func TestUnknownCutOffIsIntrospected(t *testing.T) {
	issuer := publisher(t)
	follower := start(t, issuer, 10*time.Second)
	one := issue(t, issuer, nil)
	followtest.Until(t, follower, one.token, nil, follow.ErrStale)
	later := issue(t, issuer, members{"seq": 11})
	control(t, issuer, "forget", members{"token": one.token})
	control(t, issuer, "forget", members{"token": later.token})
	control(t, issuer, "cut_off", members{"cut_off": members{"seq": 11, "until": one.claims["exp"], "planet": "mars"}})
	followtest.Until(t, follower, one.token, follow.ErrEnded, nil)
	expect(t, follower, later.token, nil)
	expect(t, follower, issue(t, issuer, nil).token, nil)
}

func TestTokenOfAKeyThatWasCutOffIsRefusedWhateverItsSeq(t *testing.T) {
	issuer := publisher(t)
	follower := start(t, issuer, 10*time.Second)
	forged := issue(t, issuer, members{"seq": 1_000_000})
	followtest.Until(t, follower, forged.token, nil, follow.ErrStale)
	control(t, issuer, "drop_key", nil)
	control(t, issuer, "cut_off", members{"cut_off": members{"seq": 20, "until": forged.claims["exp"], "key": "AAAAAAAAAAA"}})
	followtest.Until(t, follower, forged.token, follow.ErrEnded, nil)
}

func TestTokenThatIsExpiredByTheTimeOfTheServiceIsRefused(t *testing.T) {
	issuer := publisher(t)
	follower := start(t, issuer, 10*time.Second)
	one := issue(t, issuer, nil)
	followtest.Until(t, follower, one.token, nil, follow.ErrStale)
	control(t, issuer, "pass", members{"ms": 301_000})
	followtest.Until(t, follower, one.token, follow.ErrEnded, nil)
}

func TestOtherJWTsAndTokensForOthersAreRefused(t *testing.T) {
	issuer := publisher(t)
	follower := start(t, issuer, 10*time.Second)
	followtest.Until(t, follower, issue(t, issuer, nil).token, nil, follow.ErrStale)
	expect(t, follower, issue(t, issuer, members{"aud": "https://mail.example"}).token, follow.ErrEnded)
	expect(t, follower, issue(t, issuer, members{"exp": 1_795_000_000}).token, follow.ErrEnded)
	expect(t, follower, control(t, issuer, "issue", members{"typ": "revocations+jwt"})["token"].(string), follow.ErrEnded)
	expect(t, follower, "", follow.ErrEnded)
	expect(t, follower, "a.b.c", follow.ErrEnded)
}
