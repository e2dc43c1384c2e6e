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
	"github.com/scoterdb/scoter/internal/ingest/avro"
	"github.com/scoterdb/scoter/internal/ingest/protobuf"
)

// DefaultTimeout is the value of Options.Timeout if that is 0.
const DefaultTimeout = 10 * time.Second

const (
	// maxAnswer is the largest answer of a registry, in bytes.
	maxAnswer = 16 << 20
	// maxReferences is the largest number of schemas that a schema may refer to, directly or
	// indirectly.
	maxReferences = 1000
	// maxCached is the largest number of cached schemas. The limit is needed because messages
	// choose the ids.
	maxCached = 10_000
	// forgetAfter is how long an error that belongs to a message is cached. An unknown id may be
	// registered later, so the error must expire. But many messages with an unknown id must not
	// cause as many requests.
	forgetAfter = 5 * time.Second
)

// Options say where a registry is and how to connect to it.
type Options struct {
	// URLs are the addresses of one registry. If one does not answer, the next is tried.
	URLs []string
	// Username and Password, or Token, are sent if they are set.
	Username, Password, Token string
	// TLS is used for https. nil means the system's certificates.
	TLS *tls.Config
	// Timeout limits one request. 0 means DefaultTimeout.
	Timeout time.Duration
}

// The formats' interfaces of a schema registry.
var (
	_ avro.Registry     = (*Client)(nil)
	_ protobuf.Registry = (*Client)(nil)
)

// Client reads and caches schemas. It is safe for concurrent use.
type Client struct {
	registry  *sr.Client
	transport *http.Transport

	// asking has one element while a schema is fetched. Other callers wait, because they mostly
	// want the same schema.
	asking chan struct{}
	mu     sync.RWMutex
	cached map[string]entry // guarded by mu
}

// entry is a cached schema: its compiled value, or the error of getting it.
type entry struct {
	value  any
	err    error
	expire time.Time // when err expires
}

// New returns a client. It sends no request yet. Errors are base.Invalid.
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
		// Errors contain the URL, so it must not have a user name and password.
		if !strings.Contains(text, "://") {
			text = "http://" + text
		}
		u, err := url.Parse(text)
		if err != nil || strings.Contains(u.Host+u.Path+u.RawQuery+u.Fragment, "@") {
			// The invalid part may be in a password, so the message must not repeat the URL.
			return nil, base.Errorf(base.Invalid, "invalid URL of a schema registry").
				WithHint("in its user name and password write %%2F for a slash, %%40 for an @, and so on, or set the user name and password as separate options")
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
	return &Client{registry: registry, transport: transport, asking: make(chan struct{}, 1), cached: make(map[string]entry)}, nil
}

// bounded is a transport that returns an error for answers above maxAnswer. The client reads
// answers into memory as a whole.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(req)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	}
	return resp, err
}

// Close closes idle connections.
func (c *Client) Close() error {
	c.transport.CloseIdleConnections()
	return nil
}

// get returns the cached value of a key. If there is none it calls load, and caches the result
// unless the error is temporary.
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
	if len(c.cached) >= maxCached {
		clear(c.cached)
	}
	c.cached[key] = e
	return v, err
}

func find[T any](c *Client, key string) (value T, err error, cached bool) {
	c.mu.RLock()
	e, ok := c.cached[key]
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

// refusing are the HTTP statuses of answers for an id that does not exist or that the client may
// not read.
var refusing = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}

// byID returns a schema and all schemas that it refers to, directly or indirectly. Each is preceded
// by the schemas that it refers to itself.
func (c *Client) byID(ctx context.Context, id uint32, want sr.SchemaType) (sr.Schema, []reference, error) {
	if id > math.MaxInt32 {
		return sr.Schema{}, nil, base.Errorf(base.NotFound, "schema %d: ids of a schema registry are not above %d", id, math.MaxInt32)
	}
	s, err := c.registry.SchemaByID(ctx, int(id))
	if err != nil {
		err = kindOf(err)
		// Whatever the error code is, the registry says that the schema does not exist. An answer
		// without a code, such as a proxy's error page, is not the registry's.
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

// reference is a schema that another schema refers to by name. The name is the path in the import
// for Protobuf, and the full name of the type for Avro.
type reference struct {
	name string
	text string
}

// complete returns the schemas that s refers to, see byID. They must all have the type want.
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

// kindOf returns an error of the registry, or of the connection to it, with its kind.
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
