package bearer_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"mintmark.example/interop/bearer"
)

func TestRedirectCarriesTheAPIKeyNowhere(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
			t.Errorf("after a %d the other host was sent %s", status, request.Header)
		}))
		issuer := httptest.NewServer(http.RedirectHandler(elsewhere.URL, status))
		of := bearer.Introspection{Issuer: issuer.URL, Resource: "https://orders.example/v1", APIKey: "key"}
		if _, err := of.Check(t.Context(), "token"); err == nil || errors.Is(err, bearer.ErrInactive) {
			t.Errorf("a %d gave %v", status, err)
		}
		issuer.Close()
		elsewhere.Close()
	}
}
