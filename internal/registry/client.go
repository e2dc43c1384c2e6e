package registry

import (
	"context"
	"crypto/tls"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/scoterdb/scoter/internal/base"
)

// DefaultTimeout is Options.Timeout if that is 0.
const DefaultTimeout = 10 * time.Second

const (
	// maxAnswer bounds what a registry answers, in bytes.
	maxAnswer = 16 << 20
	// maxReferences bounds how many schemas one may refer to, directly or not.
	maxReferences = 1000
	// maxKept bounds how many schemas are kept: messages choose the ids that are asked for.
	maxKept = 10_000
	// forgetAfter is how long an error that is a message's is kept. An id that is unknown may be
	// registered later, and a flood of such messages must not become one of requests.
	forgetAfter = 5 * time.Second
)

// Options say where a registry is and how to speak to it.
type Options struct {
	// URLs are of one registry; the next is asked when one does not answer.
	URLs []string
	// Username and Password, or Token, are sent if they are given.
	Username, Password, Token string
	// TLS is for https; nil stands for the system's certificates.
	TLS *tls.Config
	// Timeout is for one request. DefaultTimeout if 0.
	Timeout time.Duration
}

// Client reads schemas and keeps them. It is safe for concurrent use.
type Client struct {
	registry  *sr.Client
	transport *http.Transport

	asking chan struct{} // holds one while a schema is fetched: those who wait mostly want the same
	mu     sync.RWMutex
	kept   map[string]entry // guarded by mu
}

// entry is what is known of a schema: what it compiled to, or why there is none until when.
type entry struct {
	value  any
	err    error
	expire time.Time // of err
}

// New returns a client. It sends nothing yet. The error is base.Invalid.
func New(o Options) (*Client, error) {
	if len(o.URLs) == 0 {
		return nil, base.Errorf(base.Invalid, "a schema registry without a URL")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = o.TLS
	client := &http.Client{Transport: bounded{transport}, Timeout: o.Timeout}
	if client.Timeout <= 0 {
		client.Timeout = DefaultTimeout
	}
	urls := slices.Clone(o.URLs)
	for i, text := range urls {
		// Errors name the URL, without who asks.
		if !strings.Contains(text, "://") {
			text = "http://" + text
		}
		u, err := url.Parse(text)
		if err != nil || strings.Contains(u.Host+u.Path+u.RawQuery+u.Fragment, "@") {
			// What is wrong may be in a password, which is not to be told.
			return nil, base.Errorf(base.Invalid, "the URL of a schema registry is none that can be read").
				WithHint("in its user name and password write %%2F for a slash, %%40 for an @, and so on, or give them as options of their own")
		}
		if u.User != nil {
			if o.Username == "" && o.Password == "" {
				o.Username = u.User.Username()
				o.Password, _ = u.User.Password()
			}
			u.User = nil
			urls[i] = u.String()
		}
	}
	opts := []sr.ClientOpt{sr.URLs(urls...), sr.HTTPClient(client), sr.UserAgent("scoter")}
	if o.Username != "" || o.Password != "" {
		opts = append(opts, sr.BasicAuth(o.Username, o.Password))
	}
	if o.Token != "" {
		opts = append(opts, sr.BearerToken(o.Token))
	}
	registry, err := sr.NewClient(opts...)
	if err != nil {
		return nil, base.Errorf(base.Invalid, "schema registry: %w", err)
	}
	return &Client{registry: registry, transport: transport, asking: make(chan struct{}, 1), kept: make(map[string]entry)}, nil
}

// bounded is a transport whose answers end with an error when they are too long: the
// client reads them whole.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(req)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	}
	return resp, err
}

// Close gives back idle connections.
func (c *Client) Close() error {
	c.transport.CloseIdleConnections()
	return nil
}

// get returns what is kept under a key, or what load returns, which is kept if it is for good.
func get[T any](ctx context.Context, c *Client, key string, load func() (T, error)) (T, error) {
	if v, err, ok := find[T](c, key); ok {
		return v, err
	}
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-ctx.Done():
		var none T
		return none, base.Wrap(ctx.Err(), "wait for the schema registry")
	}
	if v, err, ok := find[T](c, key); ok {
		return v, err
	}
	v, err := load()
	e := entry{value: v, err: err}
	if kind := base.KindOf(err); err != nil {
		if kind != base.NotFound && kind != base.Invalid {
			return v, err
		}
		e.expire = time.Now().Add(forgetAfter)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= maxKept {
		clear(c.kept)
	}
	c.kept[key] = e
	return v, err
}

func find[T any](c *Client, key string) (value T, err error, kept bool) {
	c.mu.RLock()
	e, ok := c.kept[key]
	c.mu.RUnlock()
	var none T
	switch {
	case !ok:
		return none, nil, false
	case e.err != nil:
		return none, e.err, time.Now().Before(e.expire)
	}
	return e.value.(T), nil, true
}

// refusing are the statuses with which registries answer for an id that they do not have, or would not give.
var refusing = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}

// byID returns a schema and all that it refers to, each before those that refer to it.
func (c *Client) byID(ctx context.Context, id uint32, want sr.SchemaType) (sr.Schema, []reference, error) {
	if id > math.MaxInt32 {
		return sr.Schema{}, nil, base.Errorf(base.NotFound, "schema %d: ids of a schema registry are not above %d", id, math.MaxInt32)
	}
	s, err := c.registry.SchemaByID(ctx, int(id))
	if err != nil {
		err = kindOf(err)
		// Whatever the code of it, the registry says that there is no such schema. A page without one is not its answer.
		var answer *sr.ResponseError
		if errors.As(err, &answer) && answer.ErrorCode != 0 && slices.Contains(refusing, answer.StatusCode) {
			err = base.Errorf(base.NotFound, "the schema registry does not have it: %w", answer)
		}
		return s, nil, base.Wrap(err, "schema %d", id)
	}
	refs, err := c.complete(ctx, s, want)
	return s, refs, base.Wrap(err, "schema %d", id)
}

// latest is byID for a subject's newest version.
func (c *Client) latest(ctx context.Context, subject string, want sr.SchemaType) (sr.Schema, []reference, error) {
	const newest = -1
	s, err := c.registry.SchemaByVersion(ctx, subject, newest)
	if err != nil {
		return s.Schema, nil, base.Wrap(kindOf(err), "schema of subject %q", subject)
	}
	refs, err := c.complete(ctx, s.Schema, want)
	return s.Schema, refs, base.Wrap(err, "schema of subject %q", subject)
}

// reference is a schema that another one refers to by a name: in Protobuf the path in the
// import, in Avro the type's full name.
type reference struct {
	name string
	text string
}

// complete returns what a schema of that type refers to.
func (c *Client) complete(ctx context.Context, s sr.Schema, want sr.SchemaType) ([]reference, error) {
	var all []reference
	seen := make(map[string]struct{})
	var add func(s sr.Schema) error
	add = func(s sr.Schema) error {
		if s.Type != want {
			return base.Errorf(base.Invalid, "is of type %s, not %s", s.Type, want)
		}
		for _, r := range s.References {
			if _, ok := seen[r.Name]; ok {
				continue
			}
			if seen[r.Name] = struct{}{}; len(seen) > maxReferences {
				return base.Errorf(base.TooLarge, "refers to more than %d schemas", maxReferences)
			}
			found, err := c.registry.SchemaByVersion(ctx, r.Subject, r.Version)
			if err == nil {
				err = add(found.Schema)
			} else {
				err = kindOf(err)
			}
			if err != nil {
				return base.Wrap(err, "reference %q (subject %q, version %d)", r.Name, r.Subject, r.Version)
			}
			all = append(all, reference{name: r.Name, text: found.Schema.Schema})
		}
		return nil
	}
	err := add(s)
	if base.KindOf(err) == base.TooLarge {
		err = base.Errorf(base.Invalid, "%w", err)
	}
	return all, err
}

// kindOf gives an error of the registry or of the way to it its kind.
func kindOf(err error) error {
	var answer *sr.ResponseError
	switch {
	case !errors.As(err, &answer):
		if errors.Is(err, context.Canceled) {
			return base.Errorf(base.Canceled, "%w", err)
		}
		return base.Errorf(base.Unavailable, "schema registry: %w", err)
	case sr.IsNotFoundError(answer.ErrorCode):
		return base.Errorf(base.NotFound, "the schema registry does not have it: %w", err)
	case answer.StatusCode == http.StatusUnauthorized:
		return base.Errorf(base.Unauthenticated, "schema registry: %w", err).WithHint("check its user name and password, or its token")
	case answer.StatusCode == http.StatusForbidden:
		return base.Errorf(base.Forbidden, "schema registry: %w", err)
	}
	return base.Errorf(base.Unavailable, "schema registry: %s answers %d: %w", answer.URL, answer.StatusCode, err)
}
