package follow

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Verdict is what a fact says of a token: the greatest of several counts. Of several conditions the least counts.
type Verdict int

// Ask means that it is not known: introspect or refuse.
const (
	Live Verdict = iota
	Ask
	Ended
)

type members = map[string]any

// document is the payload of a snapshot, a segment or changes; what it lacks is nil.
type document struct {
	Epoch                   string
	Now, Position, From, To *uint64
	Segments                [][2]uint64
	Ended                   map[uint64]string
	CutOffs                 []members `json:"cut_offs"`
}

// facts are what a follower holds of one epoch: of none yet, if that is empty.
type facts struct {
	epoch         string
	now, position uint64
	missing       [][2]uint64
	ended         map[uint64]map[uint64]bool // tails by exp
	cutOffs       []members
}

var errMalformed = errors.New("the document is malformed, or does not continue what is held")

// isWhole says whether the snapshot is complete.
func (f *facts) isWhole() bool { return f.epoch != "" && len(f.missing) == 0 }

// next is the request for the next document.
func (f *facts) next(waitSeconds int) string {
	switch {
	case f.epoch == "":
		return "/snapshot"
	case len(f.missing) > 0:
		return fmt.Sprintf("/segments/%s/%d-%d", f.epoch, f.missing[0][0], f.missing[0][1])
	}
	return fmt.Sprintf("/changes?epoch=%s&position=%d&wait=%d", f.epoch, f.position, waitSeconds)
}

// apply adds the next document as a whole or not at all.
func (f *facts) apply(d document) error {
	if f.epoch == "" {
		return f.begin(d)
	} else if d.Epoch != f.epoch || d.Now == nil || d.From == nil || d.To == nil || d.Ended == nil || d.CutOffs == nil ||
		*d.From > f.position || *d.To < f.position || len(f.missing) > 0 && f.missing[0] != [2]uint64{*d.From, *d.To} {
		return errMalformed
	}
	read := map[uint64][]byte{}
	for exp, tails := range d.Ended {
		bytes, err := base64.RawURLEncoding.Strict().DecodeString(tails)
		if err != nil || len(bytes)%8 != 0 {
			return errMalformed
		}
		read[exp] = bytes
	}
	for _, cutOff := range d.CutOffs {
		if number(cutOff["seq"]) < 0 || number(cutOff["until"]) < 0 {
			return errMalformed
		}
	}
	for exp, bytes := range read {
		if f.ended[exp] == nil {
			f.ended[exp] = map[uint64]bool{}
		}
		for tail := range slices.Chunk(bytes, 8) {
			f.ended[exp][binary.BigEndian.Uint64(tail)] = true
		}
	}
	f.cutOffs, f.position = append(f.cutOffs, d.CutOffs...), *d.To
	f.missing = f.missing[min(1, len(f.missing)):]
	f.pass(*d.Now)
	return nil
}

func (f *facts) begin(snapshot document) error {
	end := uint64(0)
	for _, segment := range snapshot.Segments {
		if segment[0] != end || segment[1] <= end {
			return errMalformed
		}
		end = segment[1]
	}
	if snapshot.Epoch == "" || snapshot.Now == nil || snapshot.Segments == nil || snapshot.Position == nil || *snapshot.Position != end {
		return errMalformed
	}
	*f = facts{snapshot.Epoch, *snapshot.Now, 0, snapshot.Segments, map[uint64]map[uint64]bool{}, nil}
	return nil
}

// pass moves the time of the service on, and forgets what is over by it.
func (f *facts) pass(now uint64) {
	f.now = max(f.now, now)
	maps.DeleteFunc(f.ended, func(exp uint64, _ map[uint64]bool) bool { return 1000*float64(exp) < float64(f.now) })
	f.cutOffs = slices.DeleteFunc(f.cutOffs, func(c members) bool { return 1000*number(c["until"]) < float64(f.now) })
}

func isOfKey(cutOff members) bool {
	_, found := cutOff["key"]
	return found
}

// subject is a token or an ancestor. Numbers are -1, and what else is not known is missing.
type subject struct {
	id       []byte
	exp, seq float64
	items    map[string][]string // scope items, and digests of everything else
	parent   *subject
}

// number is -1 for what is no whole number from 0.
func number(value any) float64 {
	if n, ok := value.(float64); ok && n >= 0 && n == math.Trunc(n) {
		return n
	}
	return -1
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:8])
}

// texts reads an array of texts.
func texts(value any) (read []string, ok bool) {
	list, ok := value.([]any)
	for _, item := range list {
		text, isText := item.(string)
		read, ok = append(read, text), ok && isText
	}
	return read, ok
}

// newSubject takes what a lineage says of an ancestor, or the same of a token.
func newSubject(of members, parent *subject) *subject {
	s := &subject{exp: number(of["exp"]), seq: number(of["seq"]), items: map[string][]string{}, parent: parent}
	if id, ok := of["id"].(string); ok && len(id) == 36 {
		if bytes, err := hex.DecodeString(strings.ReplaceAll(id, "-", "")); err == nil && len(bytes) == 16 {
			s.id, s.items["root"] = bytes, []string{base64.RawURLEncoding.EncodeToString(bytes[8:])}
		}
	}
	if parent != nil && parent.items["root"] != nil {
		s.items["root"] = parent.items["root"]
	} else if parent != nil {
		delete(s.items, "root")
	}
	for claim, name := range map[string]string{"agent": "agent_id", "credential": "credential_id", "key": "kid"} {
		if text, ok := of[name].(string); ok {
			s.items[claim] = []string{digest(text)}
		}
	}
	return s
}

// newToken takes a verified token and its ancestors, and says whether these can be read.
func newToken(header, claims members) (token *subject, verdict Verdict) {
	if lineage, ok := claims["lineage"]; ok {
		ancestors, _ := lineage.([]any)
		if len(ancestors) == 0 {
			verdict = Ask
		}
		for _, ancestor := range slices.Backward(ancestors) {
			of, _ := ancestor.(members)
			token = newSubject(of, token)
		}
	}
	holder := claims
	if act, ok := claims["act"]; ok {
		holder, _ = act.(members)
	}
	token = newSubject(members{"id": claims["jti"], "exp": claims["exp"], "seq": claims["seq"],
		"agent_id": holder["sub"], "credential_id": claims["credential_id"], "kid": header["kid"]}, token)
	if scope, ok := claims["scope"].(string); ok {
		token.items["scope"] = strings.Split(scope, " ")
	}
	audiences, ok := texts(claims["aud"])
	if one, isText := claims["aud"].(string); isText {
		audiences, ok = []string{one}, true
	}
	if ok {
		token.items["audience"] = []string{}
	}
	for _, audience := range audiences {
		token.items["audience"] = append(token.items["audience"], digest(audience))
	}
	// The subject of ancestors is that of the token. An agent's id has no colon, and so no issuer.
	if sub, ok := claims["sub"].(string); ok {
		issuers := []string{}
		if alias, _, isOfIssuer := strings.Cut(sub, ":"); isOfIssuer {
			issuers = append(issuers, digest(alias))
		}
		for s := token; s != nil; s = s.parent {
			s.items["subject"], s.items["issuer"] = []string{digest(sub)}, issuers
		}
	}
	return token, verdict
}

// claimOf names the claim that a condition is about.
var claimOf = map[string]string{
	"agent": "agent", "subject": "subject", "issuer": "issuer", "credential": "credential", "key": "key", "root": "root", "scope": "scope", "audience": "audience",
	"agents": "agent", "keep_scopes": "scope", "keep_audiences": "audience", // whose values are arrays
}

// isDigest is the form of what the feed has in place of ids.
var isDigest = regexp.MustCompile(`^[A-Za-z0-9_-]{11}$`)

// holds says whether a condition holds: Ended, Live or Ask. It is not ok where the condition is not known.
func (s *subject) holds(name string, value any) (verdict Verdict, ok bool) {
	claim, found := claimOf[name]
	switch {
	case found:
		if claim == name {
			value = []any{value}
		}
		values, ok := texts(value)
		if claim != "scope" {
			ok = ok && !slices.ContainsFunc(values, func(one string) bool { return !isDigest.MatchString(one) })
		}
		items, known := s.items[claim]
		return when(known, slices.ContainsFunc(items, func(item string) bool {
			isMatched := slices.ContainsFunc(values, func(pattern string) bool { return matches(item, pattern) })
			return isMatched != strings.HasPrefix(name, "keep_")
		})), ok
	case name == "before":
		return when(s.id != nil, s.id != nil && float64(binary.BigEndian.Uint64(s.id)>>16) < number(value)), number(value) >= 0
	case name == "from_another" && s.parent != nil:
		own, parents := s.items["agent"], s.parent.items["agent"]
		return when(own != nil && parents != nil, !slices.Equal(own, parents)), value == true
	case name == "from_another":
		return Live, value == true
	}
	return Ask, name == "opened" && value == true // what ended before the feed was opened is not known
}

func when(known, holds bool) Verdict {
	switch {
	case !known:
		return Ask
	case holds:
		return Ended
	}
	return Live
}

// matches compares an item with a pattern. A digest has neither ':' nor '*', so it matches itself alone.
func matches(item, pattern string) bool {
	resource, isAll := strings.CutSuffix(pattern, "*")
	return item == pattern || pattern == "*" || isAll && strings.HasSuffix(resource, ":") && strings.HasPrefix(item, resource)
}

func (s *subject) compare(cutOff members) Verdict {
	if s.seq >= number(cutOff["seq"]) {
		return Live
	}
	verdict, isKnown := Ended, true
	if s.seq < 0 {
		verdict = Ask
	}
	for name, value := range cutOff {
		if name != "seq" && name != "until" {
			holds, ok := s.holds(name, value)
			verdict, isKnown = min(verdict, holds), isKnown && ok
		}
	}
	if !isKnown {
		verdict = Ask
	}
	if verdict == Ask && s.exp > number(cutOff["until"]) {
		return Live
	}
	return verdict
}

// judge compares a token, whose signature and claims were verified, with all facts.
func (f *facts) judge(header, claims members) Verdict {
	if !f.isWhole() {
		return Ask
	} else if exp := number(claims["exp"]); exp >= 0 && 1000*exp < float64(f.now) {
		return Ended // by the time of the service: its end may be forgotten
	}
	token, verdict := newToken(header, claims)
	for ; token != nil; token = token.parent {
		if token.id == nil || token.exp < 0 {
			verdict = max(verdict, Ask)
		} else if f.ended[uint64(token.exp)][binary.BigEndian.Uint64(token.id[8:])] {
			return Ended
		}
		for _, cutOff := range f.cutOffs {
			verdict = max(verdict, token.compare(cutOff))
		}
	}
	return verdict
}
