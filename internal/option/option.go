// Package option parses the options of statements, which are written name = 'value', ...
package option

import (
	"crypto/tls"
	"crypto/x509"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// Set has the options of one clause. Its methods read options by name. Options that are never read
// are unknown. Set remembers the first error, which End returns.
type Set struct {
	What   string
	values map[string]string
	used   map[string]bool
	err    error
}

// New returns a set of options. The argument what is the name of the clause in errors.
func New(what string, values map[string]string) *Set {
	return &Set{What: what, values: values, used: map[string]bool{}}
}

// Text returns the value of an option. If the option is not set, it returns the argument value.
func (o *Set) Text(name, value string) string {
	o.used[name] = true
	if v, ok := o.values[name]; ok {
		return v
	}
	return value
}

func (o *Set) has(name string) bool {
	_, ok := o.values[name]
	return ok
}

// List returns the items of an option that is a list separated by commas. Spaces around items are
// removed, and so are empty items.
func (o *Set) List(name string) []string {
	var all []string
	for item := range strings.SplitSeq(o.Text(name, ""), ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// OneOf returns the value of an option in lower case. It must be one of the given values. If the
// option is not set, OneOf returns the argument value.
func (o *Set) OneOf(name, value string, values ...string) string {
	v := strings.ToLower(o.Text(name, value))
	if !slices.Contains(values, v) {
		o.Fail("%s %s = %q is not one of %s", o.What, name, v, strings.Join(values, ", "))
	}
	return v
}

// Parsed returns the value of an option, parsed by the function parse. If the option is not set, it
// returns the argument value.
func Parsed[T any](o *Set, name string, value T, parse func(string) (T, error)) T {
	text := o.Text(name, "")
	if !o.has(name) {
		return value
	}
	v, err := parse(text)
	if err != nil {
		o.Fail("%s %s = %q: %w", o.What, name, text, err)
		return value
	}
	return v
}

// Fail records an error, which End returns. It does nothing if an earlier error was recorded.
func (o *Set) Fail(format string, args ...any) {
	if o.err == nil {
		o.err = base.Errorf(base.Invalid, format, args...)
	}
}

// End returns the first error that occurred when options were read. If there was none, it returns
// an error if an option was never read, because that option is unknown.
func (o *Set) End() error {
	if o.err != nil {
		return o.err
	}
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		if !o.used[name] {
			known := slices.Sorted(maps.Keys(o.used))
			if near := base.Nearest(name, known); near != "" {
				return base.Errorf(base.Invalid, "%s has no option %q: did you mean %q?", o.What, name, near).WithHint("options: %s", strings.Join(known, ", "))
			}
			return base.Errorf(base.Invalid, "%s has no option %q", o.What, name).WithHint("options: %s", strings.Join(known, ", "))
		}
	}
	return nil
}

// TLS returns the TLS configuration of a group of options whose names begin with prefix. It returns
// nil if TLS is off.
func (o *Set) TLS(prefix string) (*tls.Config, error) {
	on := Parsed(o, prefix, false, strconv.ParseBool)
	ca, cert, key, name := o.Text(prefix+"_ca", ""), o.Text(prefix+"_cert", ""), o.Text(prefix+"_key", ""), o.Text(prefix+"_server_name", "")
	if !on {
		if ca != "" || cert != "" || key != "" || name != "" {
			return nil, base.Errorf(base.Invalid, "%s: TLS options are set, but not %s = true", o.What, prefix)
		}
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: name}
	if ca != "" {
		text, err := os.ReadFile(ca)
		if err != nil {
			return nil, base.Errorf(base.Invalid, "%s %s_ca: %w", o.What, prefix, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, base.Errorf(base.Invalid, "%s %s_ca: %s does not contain a certificate (PEM)", o.What, prefix, ca)
		}
	}
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, base.Errorf(base.Invalid, "%s %s_cert and %s_key: %w", o.What, prefix, prefix, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// Secret returns the value of a secret option such as password. If the option with the suffix _file
// is set instead (such as password_file), Secret returns the content of the file with that path.
func (o *Set) Secret(name string) (string, error) {
	file := name + "_file"
	value, path := o.Text(name, ""), o.Text(file, "")
	switch {
	case !o.has(file):
		return value, nil
	case o.has(name):
		return "", base.Errorf(base.Invalid, "%s: %s and %s are both set", o.What, name, file)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", base.Errorf(base.Invalid, "%s %s_file: %w", o.What, name, err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}
