package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
)

// browsers protects the server from pages of other sites in a user's browser. A browser sends a
// page's request with a plain-text body without asking the server first. The request takes effect,
// even if the page may not read the response.
type browsers struct {
	// Recognizes browsers by their headers; other clients do not send these.
	foreign *http.CrossOriginProtection
	// named is set if any client that reaches the server may use it. Then a request must have the
	// server's own name in its Host header. Otherwise a site could first load its page, and then
	// let its own name resolve to this machine's address, so that the page counts as the server's
	// own (DNS rebinding).
	named bool
	name  string // the name on which the server listens
}

func newBrowsers(settings config.Server) browsers {
	name, _, _ := net.SplitHostPort(settings.Listen) // the configuration was checked
	return browsers{foreign: http.NewCrossOriginProtection(), named: len(settings.Tokens) == 0 && !settings.AllowOpen, name: name}
}

// isolate makes browsers show a response only to pages of this server, and only as what its
// Content-Type says. Otherwise a page of another site could load a response as a script or an
// image, and learn something about it.
func isolate(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// check returns a Forbidden error for a request that a page of another site sent. This includes
// requests that only read: they cost as much as a query, and a page has many ways to send one.
func (b browsers) check(r *http.Request) error {
	posted := *r
	posted.Method = http.MethodPost // http.CrossOriginProtection accepts requests with safe methods
	if b.foreign.Check(&posted) != nil {
		return base.Errorf(base.Forbidden, "a page of another site sent this request").
			WithHint("pages reach the server through their own site's server alone")
	}
	if !b.named || r.Host == "" {
		return nil
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err == nil || strings.EqualFold(host, "localhost") || strings.EqualFold(host, b.name) {
		return nil
	}
	return base.Errorf(base.Forbidden, "the server is not called %q", host).
		WithHint("without tokens it is asked by its IP address or as localhost; add a token (scoter token), or --allow-open if a proxy in front passes its own name on")
}
