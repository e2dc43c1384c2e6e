package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
)

// browsers keeps pages of other sites from using a server that their readers reach. What a page sends as text is sent without asking the
// server first, and does its work there even though the page may not read the answer.
type browsers struct {
	foreign *http.CrossOriginProtection // knows a browser by its headers; other clients have none of these
	// named is set where whoever reaches the server may use it: then a request must call it by its own name. Otherwise a
	// site whose name is given this machine's address, once its page is loaded, has a page of the server's own (DNS rebinding).
	named bool
	name  string // that it listens on
}

func newBrowsers(settings config.Server) browsers {
	name, _, _ := net.SplitHostPort(settings.Listen) // the configuration was checked
	return browsers{foreign: http.NewCrossOriginProtection(), named: len(settings.Tokens) == 0 && !settings.AllowOpen, name: name}
}

// isolate tells browsers to hand an answer to pages of this server alone, and to take it for
// nothing but what its Content-Type says. Without that a page of another site may run an answer as
// a script, or show it as a picture, and see some of it.
func isolate(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// check refuses a request that a page of another site sent: Forbidden. Requests that only read are
// among them: they cost what a query costs, and a page has many ways to send one.
func (b browsers) check(r *http.Request) error {
	posted := *r
	posted.Method = http.MethodPost // http.CrossOriginProtection lets all others pass
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
