package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/session"
)

// caller is the sender of a request: the name of its token, and its role.
type caller struct {
	name string
	role session.Role
}

type token struct {
	caller
	hash [sha256.Size]byte
}

// tokens are the tokens that the configuration lists. They identify callers. If there are none,
// every caller that can reach the server (by default only from this machine) is a writer.
type tokens []token

func newTokens(configured []config.Token) tokens {
	var out tokens
	for _, c := range configured {
		t := token{caller: caller{c.Name, roles[c.Role]}}
		// The error is ignored. The configuration was checked, so all hashes are valid and have the
		// right length.
		_, _ = hex.Decode(t.hash[:], []byte(c.SHA256))
		out = append(out, t)
	}
	return out
}

var roles = map[string]session.Role{"reader": session.Reader, "writer": session.Writer, "admin": session.Admin}

func roleName(r session.Role) string {
	for name, role := range roles {
		if role == r {
			return name
		}
	}
	return "nobody"
}

func (t tokens) identify(r *http.Request) (caller, error) {
	if len(t) == 0 {
		return caller{"anonymous", session.Writer}, nil
	}
	secret := credential(r)
	if secret == "" {
		return caller{}, base.Errorf(base.Unauthenticated, "this server needs a token").
			WithHint("send it as Authorization: Bearer TOKEN")
	}
	hash := sha256.Sum256([]byte(secret))
	for i := range t {
		if subtle.ConstantTimeCompare(hash[:], t[i].hash[:]) == 1 {
			return t[i].caller, nil
		}
	}
	return caller{}, base.Errorf(base.Unauthenticated, "unknown token")
}

// credential returns the token of a request. It looks for the token where different clients send
// it: InfluxDB 2's "Token", InfluxDB 1's password (in basic authentication or ?p=), and the
// x-api-key of clients of Arc (a database server whose write formats Scoter accepts).
func credential(r *http.Request) string {
	if scheme, value, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok {
		switch strings.ToLower(scheme) {
		case "bearer", "token":
			return strings.TrimSpace(value)
		case "basic":
			_, password, _ := r.BasicAuth()
			return password
		}
	}
	if key := r.Header.Get("X-Api-Key"); key != "" {
		return key
	}
	return r.URL.Query().Get("p")
}
