package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
)

// crossSiteCheck protects the server from web pages of other sites that run in a user's browser. A
// browser may send a request with a plain-text body for such a page without asking the server
// first. The request takes effect, although the page cannot read the response.
type crossSiteCheck struct {
	// foreign recognizes requests of pages by the headers that browsers send. Other clients do not
	// send these headers.
	foreign *http.CrossOriginProtection
	// requiresHost says that the Host header of a request must have the server's own name. It is
	// true if clients need no token. Without this check a site could use DNS rebinding: it loads
	// its page, and then changes the address of its own name to this machine's, so that the page
	// counts as the server's own.
	requiresHost bool
	name         string // the host name on which the server listens
}

func newCrossSiteCheck(settings config.Server) crossSiteCheck {
	// The error is ignored, since the configuration was checked.
	name, _, _ := net.SplitHostPort(settings.Listen)
	return crossSiteCheck{foreign: http.NewCrossOriginProtection(), requiresHost: len(settings.Tokens) == 0 && !settings.AllowOpen, name: name}
}

// setIsolationHeaders sets headers that protect a response from pages of other sites. Browsers then
// show the response only to pages of this server, and use it only as what its Content-Type says.
// Otherwise a page could load a response as a script or an image, and learn something about it.
func setIsolationHeaders(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// check returns a Forbidden error for a request that a page of another site sent. Requests that
// only read are refused too, because they cost as much as a query, and a page has many ways to send
// one.
func (b crossSiteCheck) check(r *http.Request) error {
	posted := *r
	// The check treats each request as a POST, because http.CrossOriginProtection lets GET and
	// other safe methods pass from all sites.
	posted.Method = http.MethodPost
	if b.foreign.Check(&posted) != nil {
		return base.Errorf(base.Forbidden, "a page of another site sent this request").
			WithHint("send requests from the site's own server, not from its pages")
	}
	if !b.requiresHost || r.Host == "" {
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
	return base.Errorf(base.Forbidden, "%q is not a name of this server", host).
		WithHint("a server without tokens accepts only its IP address or localhost as the host; add a token (scoter token), or use --allow-open if a proxy passes on its own name")
}
