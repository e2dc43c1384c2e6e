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

// DefaultTimeout is the time limit of a request if Options.Timeout is 0.
const DefaultTimeout = 10 * time.Second

const (
	// maxAnswer is the maximum size in bytes of a registry's response.
	maxAnswer = 16 << 20
	// maxReferences is the maximum number of schemas to which a schema may refer, directly or
	// indirectly.
	maxReferences = 1000
	// maxCached is the maximum number of cached schemas. Without it, messages could fill the
	// memory, because they choose the schema ids.
	maxCached = 10_000
	// forgetAfter is how long an error about a schema, such as an unknown id, is cached. The error
	// is cached because many messages with the same unknown id must not cause as many requests. It
	// must expire because the id may be registered later.
	forgetAfter = 5 * time.Second
)

// Options say where a schema registry is and how to connect to it.
type Options struct {
	// URLs are the addresses of one registry. If the registry does not answer at one address, the
	// client tries the next.
	URLs []string
	// Username and Password are for HTTP basic authentication, and Token is a bearer token.
	// Credentials that are empty are not sent.
	Username, Password, Token string
	// TLS is the configuration for https. If it is nil, the certificates of the operating system
	// are used.
	TLS *tls.Config
	// Timeout is the time limit of one request. 0 means DefaultTimeout.
	Timeout time.Duration
}

// Each wire format that uses a schema registry declares an interface for it. Client implements
// these interfaces.
var (
	_ avro.Registry     = (*Client)(nil)
	_ protobuf.Registry = (*Client)(nil)
)

// Client reads schemas from a registry, and caches them. It is safe for concurrent use.
type Client struct {
	registry  *sr.Client
	transport *http.Transport

	// asking is used as a lock: it has one element while a schema is fetched from the registry.
	// Other callers whose schema is not cached wait meanwhile, because most of them need the same
	// one.
	asking chan struct{}
	mu     sync.RWMutex
	cached map[string]entry // guarded by mu
}

// entry is a cached schema in its compiled form, or the error of fetching or compiling it.
type entry struct {
	value  any
	err    error
	expire time.Time // when the cached error err is dropped; not used if err is nil
}

// New returns a client for a schema registry. It does not send a request yet. Errors are
// base.Invalid.
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
		// Error messages contain the URL, so the user name and the password are removed from it.
		if !strings.Contains(text, "://") {
			text = "http://" + text
		}
		u, err := url.Parse(text)
		if err != nil || strings.Contains(u.Host+u.Path+u.RawQuery+u.Fragment, "@") {
			// The invalid text may be a part of a password, so the error message must not contain
			// the URL.
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

// bounded is an HTTP transport that returns an error for responses larger than maxAnswer, because
// the client reads whole responses into memory.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(req)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	}
	return resp, err
}

// Close closes idle connections to the registry.
func (c *Client) Close() error {
	c.transport.CloseIdleConnections()
	return nil
}

// get returns the cached value or error of a key. If there is none, it calls load, and caches the
// result. It does not cache errors of the registry, such as a failed connection.
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

// refusing are the HTTP statuses with which a registry responds to a request for a schema id that
// does not exist, or that the client may not read.
var refusing = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}

// byID returns the schema with an id, and a list of all schemas to which it refers, directly or
// indirectly. In the list, each schema comes after the schemas to which it refers. The argument
// want is the type that all of these schemas must have.
func (c *Client) byID(ctx context.Context, id uint32, want sr.SchemaType) (sr.Schema, []reference, error) {
	if id > math.MaxInt32 {
		return sr.Schema{}, nil, base.Errorf(base.NotFound, "schema %d: ids of a schema registry are not above %d", id, math.MaxInt32)
	}
	s, err := c.registry.SchemaByID(ctx, int(id))
	if err != nil {
		err = kindOf(err)
		// A response with an error code is from the registry, and says that the schema does not
		// exist, whatever the code is. A response without an error code, such as the error page of
		// a proxy, is not from the registry.
		var answer *sr.ResponseError
		if errors.As(err, &answer) && answer.ErrorCode != 0 && slices.Contains(refusing, answer.StatusCode) {
			err = base.Errorf(base.NotFound, "the schema registry does not have it: %w", answer)
		}
		return s, nil, base.Wrap(err, "schema %d", id)
	}
	refs, err := c.complete(ctx, s, want)
	return s, refs, base.Wrap(err, "schema %d", id)
}

// latest returns the newest version of a subject's schema, and a list of all schemas to which it
// refers, directly or indirectly, in the same order as byID.
func (c *Client) latest(ctx context.Context, subject string, want sr.SchemaType) (sr.Schema, []reference, error) {
	const newest = -1
	s, err := c.registry.SchemaByVersion(ctx, subject, newest)
	if err != nil {
		return s.Schema, nil, base.Wrap(kindOf(err), "schema of subject %q", subject)
	}
	refs, err := c.complete(ctx, s.Schema, want)
	return s.Schema, refs, base.Wrap(err, "schema of subject %q", subject)
}

// reference is a schema to which another schema refers by name. In Protobuf, the name is the path
// in the import statement. In Avro, it is the full name of the type.
type reference struct {
	name string
	text string
}

// complete returns a list of all schemas to which the schema s refers, directly or indirectly. In
// the list, each schema comes after the schemas to which it refers. The argument want is the type
// that s and all of these schemas must have.
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

// kindOf converts an error of the registry, or of the connection to it, to a base.Error. The kind
// is NotFound if the schema does not exist, Unauthenticated or Forbidden if the credentials are
// refused, Canceled if the context was canceled, and Unavailable otherwise.
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
