package export

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/option"
)

// An object is sent to S3 in parts of partBytes, of which there are at most maxParts. A part is in
// memory twice while it is sent.
const (
	partBytes = 16 << 20
	maxParts  = 10_000
)

// partSize returns the size of the parts in which an object is sent. bytes is the estimated size of
// the object. The object may turn out to be twice as large.
func partSize(bytes int64) int64 {
	const round = 1 << 20
	return max(partBytes, (2*bytes/maxParts+round-1)/round*round)
}

// stallTime is the maximum time in which a storage receives no byte of an upload. It is long,
// because sending a part over a slow line takes minutes. It is limited, because the upload holds a
// snapshot and a connection of DuckDB.
const stallTime = 10 * time.Minute

// s3 is a place in a storage with S3's interface: a bucket, or a prefix in a bucket.
//
// It uses minio-go, which is well maintained, streams uploads of unknown length in parts, and works
// with the storages of many vendors.
type s3 struct {
	client    *minio.Client
	transport *http.Transport // the transport that client uses
	// URL of the storage, in lower case, without a trailing slash and without a default port
	endpoint string
	bucket   string
	prefix   string // beginning of the objects' paths: empty, or ends with a slash
	patience time.Duration
}

const amazon = "https://s3.amazonaws.com"

// asFolder returns a prefix with exactly one slash at its end, and none at its beginning. An empty
// prefix stays empty.
func asFolder(prefix string) string {
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return prefix
}

func (s *s3) location() string { return s.endpoint + "/" + s.bucket + "/" + s.prefix }

// identity returns the same text for the endpoints of all regions of Amazon, because a bucket's
// name is unique among all of them.
func (s *s3) identity() string {
	if strings.HasSuffix(s.endpoint, ".amazonaws.com") {
		return amazon + strings.TrimPrefix(s.location(), s.endpoint)
	}
	return s.location()
}

// s3Place parses the options that say where an export's objects are.
func s3Place(o *option.Set) (*s3, error) {
	s := &s3{endpoint: o.Text("endpoint", amazon), bucket: o.Text("bucket", ""), prefix: asFolder(o.Text("prefix", "")), patience: stallTime}
	if s.bucket == "" {
		return nil, base.Errorf(base.Invalid, "S3 needs a bucket").WithHint("S3 (bucket = 'lake', prefix = 'bids')")
	}
	u, err := url.Parse(s.endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return nil, base.Errorf(base.Invalid, "S3 endpoint = %q is not a URL like https://s3.example.com or http://127.0.0.1:9000", s.endpoint)
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == "" || port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host = strings.TrimSuffix(host, ":"+port)
	}
	s.endpoint = u.Scheme + "://" + host
	return s, nil
}

func newS3(o *option.Set) (*s3, error) {
	s, placeErr := s3Place(o)
	region := o.Text("region", os.Getenv("AWS_REGION"))
	id, token, ca := o.Text("access_key_id", ""), o.Text("session_token", ""), o.Text("tls_ca", "")
	secret, err := o.Secret("secret_access_key")
	if err != nil {
		return nil, err
	}
	if err := o.End(); err != nil {
		return nil, err
	}
	if placeErr != nil {
		return nil, placeErr
	}
	scheme, host, _ := strings.Cut(s.endpoint, "://")
	keys, err := s3Credentials(id, secret, token)
	if err != nil {
		return nil, err
	}
	if s.transport, err = s3Transport(scheme == "https", ca); err != nil {
		return nil, err
	}
	// The client decides by the endpoint whether a bucket is a part of the host name (Amazon) or a
	// folder (other vendors). It retries only twice, because its callers retry.
	s.client, err = minio.New(host, &minio.Options{Creds: keys, Secure: scheme == "https", Region: region, Transport: s.transport, MaxRetries: 2})
	if err != nil {
		return nil, base.Errorf(base.Invalid, "S3 endpoint = %q: %w", s.endpoint, err)
	}
	return s, nil
}

// s3Credentials returns the given credentials. If there are none, it returns those of the
// environment, or else those of the file ~/.aws/credentials.
func s3Credentials(id, secret, token string) (*credentials.Credentials, error) {
	if id != "" && secret != "" {
		return credentials.NewStaticV4(id, secret, token), nil
	}
	if id != "" || secret != "" || token != "" {
		return nil, base.Errorf(base.Invalid, "S3: access_key_id and secret_access_key must be given together")
	}
	for _, found := range []*credentials.Credentials{credentials.NewEnvAWS(), credentials.NewFileAWSCredentials("", "")} {
		if v, err := found.GetWithContext(nil); err == nil && v.AccessKeyID != "" && v.SecretAccessKey != "" {
			return found, nil
		}
	}
	return nil, base.Errorf(base.Invalid, "S3: there are no credentials").
		WithHint("give access_key_id and secret_access_key_file, or start the server with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or with a file ~/.aws/credentials")
}

func s3Transport(secure bool, ca string) (*http.Transport, error) {
	t, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, base.Errorf(base.Internal, "S3: %w", err)
	}
	if ca == "" {
		return t, nil
	}
	o := option.New("S3", map[string]string{"tls": "true", "tls_ca": ca})
	t.TLSClientConfig, err = o.TLS("tls")
	return t, err
}

// failed converts an error of the client to a base.Error with a suitable kind. The argument doing
// is a description of the failed operation, for the message.
func (s *s3) failed(err error, doing string) error {
	answer := minio.ToErrorResponse(err)
	kind := base.Unavailable
	switch {
	case errors.Is(err, context.Canceled):
		kind = base.Canceled
	case answer.StatusCode == http.StatusNotFound:
		kind = base.NotFound
	case answer.StatusCode >= 400 && answer.StatusCode < 500 && answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusRequestTimeout:
		kind = base.Invalid
	}
	code := ""
	if answer.Code != "" {
		code = " (" + answer.Code + ")"
	}
	return base.Errorf(kind, "S3 %s, bucket %q: %s: %w%s", s.endpoint, s.bucket, doing, err, code)
}

func (s *s3) begin(ctx context.Context) error {
	// Canceling the context ends the listing, which would otherwise continue in the background.
	listing, stop := context.WithCancel(ctx)
	defer stop()
	for o := range s.client.ListObjectsIter(listing, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix, Recursive: true}) {
		if o.Err != nil {
			return s.failed(o.Err, "list objects")
		}
		if strings.HasSuffix(o.Key, ".parquet") {
			return errNotEmpty(s.location(), o.Key)
		}
	}
	const probe = "_scoter_probe"
	if _, err := s.client.PutObject(ctx, s.bucket, s.prefix+probe, strings.NewReader(""), 0, minio.PutObjectOptions{}); err != nil {
		return s.failed(err, "write an object")
	}
	return s.remove(ctx, probe)
}

func (s *s3) mark(ctx context.Context) (string, error) {
	o, err := s.client.GetObject(ctx, s.bucket, s.prefix+markName, minio.GetObjectOptions{})
	if err != nil {
		return "", s.failed(err, "read "+s.prefix+markName)
	}
	text, err := io.ReadAll(io.LimitReader(o, maxMark))
	if closeErr := o.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", s.failed(err, "read "+s.prefix+markName)
	}
	return markIn(text), nil
}

func (s *s3) setMark(ctx context.Context, text string) error {
	text = marking + text + "\n"
	if _, err := s.client.PutObject(ctx, s.bucket, s.prefix+markName, strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{ContentType: "text/plain"}); err != nil {
		return s.failed(err, "write "+s.prefix+markName)
	}
	return nil
}

// put sends an object. If the object fits into one part, as most objects do, it sends the object in
// one request.
func (s *s3) put(ctx context.Context, path string, size int64, write func(io.Writer) error) (object, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	from, to := io.Pipe()
	stalled := time.AfterFunc(s.patience, func() { stop(base.Errorf(base.Unavailable, "the storage accepted no data for %s", s.patience)) })
	defer stalled.Stop()
	written := make(chan error, 1)
	go func() {
		err := write(to)
		to.CloseWithError(err)
		written <- err
	}()
	info, err := s.send(ctx, s.prefix+path, partSize(size), &watched{from, stalled, s.patience})
	// The pipe is closed, because the writer would block forever if nothing reads from it.
	from.CloseWithError(errors.Join(err, context.Canceled))
	if writeErr := <-written; writeErr != nil && (err == nil || errors.Is(err, writeErr)) {
		return object{}, writeErr
	}
	if cause := context.Cause(ctx); err != nil && base.KindOf(cause) == base.Unavailable {
		err = cause
	}
	if err != nil {
		return object{}, s.failed(err, "write "+s.prefix+path)
	}
	return object{info.Size, info.ETag}, nil
}

// watched is a reader that stops a timer during Read and starts it again afterwards. The timer
// fires if too much time passes between two calls of Read.
type watched struct {
	io.Reader
	timer    *time.Timer
	patience time.Duration
}

func (w *watched) Read(b []byte) (int, error) {
	w.timer.Stop() // the time in which the query computes rows does not count
	defer w.timer.Reset(w.patience)
	return w.Reader.Read(b)
}

func (s *s3) send(ctx context.Context, key string, part int64, from io.Reader) (minio.UploadInfo, error) {
	// A process that was killed may have left an incomplete upload, which is removed here. If the
	// storage does not allow that, the upload stays until the storage's own rules remove it.
	_ = s.client.RemoveIncompleteUpload(ctx, s.bucket, key)
	options := minio.PutObjectOptions{ContentType: "application/vnd.apache.parquet", PartSize: uint64(part), NumThreads: 1}
	var first bytes.Buffer
	n, err := io.CopyN(&first, from, partBytes)
	switch {
	case err == nil:
		return s.client.PutObject(ctx, s.bucket, key, io.MultiReader(&first, from), -1, options)
	case errors.Is(err, io.EOF):
		return s.client.PutObject(ctx, s.bucket, key, bytes.NewReader(first.Bytes()), n, options)
	default:
		return minio.UploadInfo{}, err
	}
}

func (s *s3) stat(ctx context.Context, path string) (object, error) {
	info, err := s.client.StatObject(ctx, s.bucket, s.prefix+path, minio.StatObjectOptions{})
	if err != nil {
		return object{}, s.failed(err, "look at "+s.prefix+path)
	}
	return object{info.Size, info.ETag}, nil
}

func (s *s3) remove(ctx context.Context, path string) error {
	if err := s.client.RemoveObject(ctx, s.bucket, s.prefix+path, minio.RemoveObjectOptions{}); err != nil {
		return s.failed(err, "remove "+s.prefix+path)
	}
	return nil
}

func (s *s3) close() { s.transport.CloseIdleConnections() }
