package server

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// parameters lists the parameters that a route accepts in its URL. Any other parameter is an error,
// because otherwise a misspelled one would be ignored.
type parameters struct {
	what  string   // name of the route, for errors
	names []string // names of the parameters, in the order in which error messages list them
	// all has the parameters in names, and those in which InfluxDB clients send a user name and a
	// token.
	all []string
}

func (e endpoint) known() parameters {
	return parameters{e.pattern, e.parameters, append([]string{"u", "p"}, e.parameters...)}
}

// check returns an error for the first unknown parameter in the query of a URL. It also returns an
// error if the query has a part that url.ParseQuery would ignore.
func (k parameters) check(query string) error {
	if query == "" {
		return nil
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return base.Errorf(base.Invalid, "the URL's query: %w", err).WithHint("write %%3B for a semicolon, %%25 for a percent sign and %%26 for an ampersand")
	}
	return k.only(values)
}

// The method only checks the parameters in the query of a URL (the argument values). It returns an
// error if the route does not accept one of them. If there are several such parameters, the error
// names the first one in alphabetical order.
func (k parameters) only(values url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(k.all, name) {
			return k.unknown(name)
		}
	}
	return nil
}

func (k parameters) unknown(name string) error {
	err := base.Errorf(base.Invalid, "%s has no parameter %q", k.what, name)
	if near := base.Nearest(name, k.names); near != "" {
		err = base.Errorf(base.Invalid, "%s has no parameter %q: did you mean %q?", k.what, name, near)
	}
	switch {
	case strings.HasSuffix(k.what, " /{$}"):
		return base.Errorf(base.Invalid, "the page / takes no parameters, but %q was sent", name).WithHint(sqlHint)
	case len(k.names) == 0:
		return err.WithHint("it has none")
	case k.what == "POST /api/v1/sql" && name == "q":
		return err.WithHint("the body is the statement; GET takes it from ?q=")
	}
	return err.WithHint("it has %s", strings.Join(k.names, ", "))
}
