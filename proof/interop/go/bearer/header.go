package bearer

import (
	"net/http"
	"strings"
)

// Token gives the token of a request, or "" where there is none, or more than one line that could hold it.
func Token(header http.Header) string {
	lines := header.Values("Authorization")
	if len(lines) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(lines[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}
