// Gets a token, asks whether it is active, revokes it, and asks again.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
)

type answer struct {
	AccessToken string `json:"access_token"`
	Active      bool   `json:"active"`
}

// post sends a form; the API key may be empty.
func post(path string, form url.Values, apiKey string) answer {
	request, err := http.NewRequest("POST", os.Getenv("BASE_URL")+path, strings.NewReader(form.Encode()))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if apiKey != "" {
		request.Header.Set("X-API-Key", apiKey)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		log.Fatalf("%s answers %s", path, response.Status)
	}
	var found answer
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		log.Fatal(err)
	}
	return found
}

func introspect(token string) {
	found := post("/oauth/introspect/v2", url.Values{"token": {token}}, os.Getenv("ADMIN_API_KEY"))
	fmt.Printf("{\"active\":%t}\n", found.Active)
}

func main() {
	client := url.Values{"client_id": {os.Getenv("CLIENT_ID")}, "client_secret": {os.Getenv("CLIENT_SECRET")}}
	with := func(more url.Values) url.Values {
		for name, values := range client {
			more[name] = values
		}
		return more
	}
	token := post("/oauth/token", with(url.Values{"grant_type": {"client_credentials"}, "scope": {"db:read"}}), "").AccessToken
	introspect(token)
	post("/oauth/revoke", with(url.Values{"token": {token}}), "")
	introspect(token)
}
