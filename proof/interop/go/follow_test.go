package interop

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"mintmark.example/interop/agent"
	"mintmark.example/interop/follow"
	"mintmark.example/interop/followtest"
)

// noIntrospection makes each introspection fail: what the follower then says, it knows from the feed.
type noIntrospection struct{ http.RoundTripper }

func (n noIntrospection) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.URL.Path, "/introspect/v2") {
		return nil, errors.New("this test introspects nothing")
	}
	return n.RoundTripper.RoundTrip(request)
}

func followService(t *testing.T, resource string) *follow.Follower {
	t.Helper()
	before := http.DefaultTransport
	http.DefaultTransport = noIntrospection{before}
	t.Cleanup(func() { http.DefaultTransport = before })
	of := introspection
	of.Resource = resource
	follower, err := follow.Start(t.Context(), of, 10*time.Second, func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	return follower
}

// administer sends an order to the administration.
func administer(t *testing.T, path, body string) (answer map[string]any) {
	t.Helper()
	return administerBy(t, os.Getenv("WRITER_API_KEY"), path, body)
}

func administerBy(t *testing.T, apiKey, path, body string) (answer map[string]any) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, issuer+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", apiKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode >= 300 {
		t.Fatal(response.Status, answer, err)
	}
	return answer
}

func TestFollowerRefusesARevokedTokenAndNoOther(t *testing.T) {
	follower := followService(t, orders)
	one, other := take(t, configure(t, orders)).AccessToken, take(t, configure(t, orders)).AccessToken
	followtest.Until(t, follower, one, nil, follow.ErrStale)
	revoke(t, one)
	followtest.Until(t, follower, one, follow.ErrEnded, nil)
	followtest.Until(t, follower, other, nil, nil)
	// One that starts later finds it in the snapshot, or in the changes after that.
	late := followService(t, orders)
	followtest.Until(t, late, one, follow.ErrEnded, follow.ErrStale)
	followtest.Until(t, late, other, nil, nil)
}

func TestFollowerRefusesATokenWhoseParentWasRevoked(t *testing.T) {
	follower := followService(t, mail)
	received := take(t, configure(t, orders)).AccessToken
	answer, err := exchange(t, os.Getenv("ORDERS_CLIENT_ID"), os.Getenv("ORDERS_CLIENT_SECRET"), received)
	if err != nil {
		t.Fatal(err)
	}
	followtest.Until(t, follower, answer.AccessToken, nil, follow.ErrStale)
	revoke(t, received)
	followtest.Until(t, follower, answer.AccessToken, follow.ErrEnded, nil)
}

// tokenForAPerson exchanges the ID token of the person who signed in.
func tokenForAPerson(t *testing.T) string {
	t.Helper()
	response, err := http.PostForm(issuer+"/oauth/token", url.Values{
		"grant_type":         {"urn:ietf:params:oauth:grant-type:token-exchange"},
		"subject_token":      {os.Getenv("ID_TOKEN")},
		"subject_token_type": {"urn:ietf:params:oauth:token-type:id_token"},
		"client_id":          {os.Getenv("PERSON_CLIENT_ID")},
		"client_secret":      {os.Getenv("PERSON_CLIENT_SECRET")},
		"resource":           {orders},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response.Status, err)
	}
	return answer.AccessToken
}

func TestFollowerRefusesWhatActedForAPersonOnceThatIsRevoked(t *testing.T) {
	follower := followService(t, orders)
	one := tokenForAPerson(t)
	followtest.Until(t, follower, one, nil, follow.ErrStale)
	administerBy(t, os.Getenv("LEAVERS_API_KEY"), "/api/v1/revocations", `{"subject": "people:alice"}`)
	followtest.Until(t, follower, one, follow.ErrEnded, nil)
	followtest.Until(t, follower, tokenForAPerson(t), nil, nil)
}

func TestFollowerRefusesTheTokensOfADisabledAgent(t *testing.T) {
	follower := followService(t, orders)
	made := administer(t, "/api/v1/agents", `{"name": "followed", "scope": "db:read", "default_scope": "db:read", "resources": ["*"]}`)
	config, err := agent.Configure(t.Context(), issuer, made["client_id"].(string), made["client_secret"].(string), orders)
	if err != nil {
		t.Fatal(err)
	}
	tokens := []string{take(t, config).AccessToken, take(t, config).AccessToken}
	followtest.Until(t, follower, tokens[0], nil, follow.ErrStale)
	administer(t, "/api/v1/agents/"+made["agent_id"].(string)+"/disable", `{}`)
	for _, token := range tokens {
		followtest.Until(t, follower, token, follow.ErrEnded, nil)
	}
	administer(t, "/api/v1/agents/"+made["agent_id"].(string)+"/enable", `{}`)
	later := take(t, config).AccessToken
	followtest.Until(t, follower, later, nil, nil)
	followtest.Until(t, follower, tokens[0], follow.ErrEnded, follow.ErrEnded)
}
