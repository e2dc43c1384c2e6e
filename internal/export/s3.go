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

// partBytes is how much of an object is sent at once, and held in memory twice meanwhile. An object has at most 10,000 such parts.
const partBytes = 16 << 20

// stallTime is how long a storage may take no byte of an upload: a part over a slow line takes minutes. The upload has a snapshot and a connection to DuckDB.
const stallTime = 10 * time.Minute

// s3 is a bucket of a storage with S3's interface, or a part of one.
//
// minio-go is kept well, streams uploads of unknown length in parts, and works with the storages of many vendors.
type s3 struct {
	client   *minio.Client
	endpoint string
	bucket   string
	prefix   string // empty, or with a slash at its end
	patience time.Duration
}

const amazon = "https://s3.amazonaws.com"

// asFolder returns a prefix without slashes but one at its end; none of an empty one.
func asFolder(prefix string) string {
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return prefix
}

func s3Location(endpoint, bucket, prefix string) string {
	return strings.TrimRight(endpoint, "/") + "/" + bucket + "/" + asFolder(prefix)
}

func newS3(o *option.Set) (*s3, error) {
	s := &s3{endpoint: o.Text("endpoint", amazon), bucket: o.Text("bucket", ""), prefix: asFolder(o.Text("prefix", "")), patience: stallTime}
	region := o.Text("region", os.Getenv("AWS_REGION"))
	id, token, ca := o.Text("access_key_id", ""), o.Text("session_token", ""), o.Text("tls_ca", "")
	secret, err := o.Secret("secret_access_key")
	if err != nil {
		return nil, err
	}
	if err := o.End(); err != nil {
		return nil, err
	}
	if s.bucket == "" {
		return nil, base.Errorf(base.Invalid, "S3 needs a bucket").WithHint("S3 (bucket = 'lake', prefix = 'bids')")
	}
	u, err := url.Parse(s.endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return nil, base.Errorf(base.Invalid, "S3 endpoint = %q is no URL like https://s3.example.com or http://127.0.0.1:9000", s.endpoint)
	}
	s.endpoint = u.Scheme + "://" + u.Host
	keys, err := s3Credentials(id, secret, token)
	if err != nil {
		return nil, err
	}
	transport, err := s3Transport(u.Scheme == "https", ca)
	if err != nil {
		return nil, err
	}
	// Buckets of Amazon are hosts, those of others folders: the client tells them apart by the endpoint. It is not to try for minutes, since
	// whoever calls it does.
	s.client, err = minio.New(u.Host, &minio.Options{Creds: keys, Secure: u.Scheme == "https", Region: region, Transport: transport, MaxRetries: 2})
	if err != nil {
		return nil, base.Errorf(base.Invalid, "S3 endpoint = %q: %w", s.endpoint, err)
	}
	return s, nil
}

// s3Credentials returns those that are given, or else those of the environment, or else those of the file ~/.aws/credentials.
func s3Credentials(id, secret, token string) (*credentials.Credentials, error) {
	if id != "" && secret != "" {
		return credentials.NewStaticV4(id, secret, token), nil
	}
	if id != "" || secret != "" || token != "" {
		return nil, base.Errorf(base.Invalid, "S3: access_key_id and secret_access_key are given both or not at all")
	}
	for _, found := range []*credentials.Credentials{credentials.NewEnvAWS(), credentials.NewFileAWSCredentials("", "")} {
		if v, err := found.GetWithContext(nil); err == nil && v.AccessKeyID != "" && v.SecretAccessKey != "" {
			return found, nil
		}
	}
	return nil, base.Errorf(base.Invalid, "S3: there are no credentials").
		WithHint("give access_key_id and secret_access_key_file, or start the server with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or with a file ~/.aws/credentials")
}

func s3Transport(secure bool, ca string) (http.RoundTripper, error) {
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

// failed gives an error of the client its kind, and says where it happened.
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
	// The context ends the listing, which else goes on in the background.
	listing, stop := context.WithCancel(ctx)
	defer stop()
	for o := range s.client.ListObjectsIter(listing, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix, Recursive: true}) {
		if o.Err != nil {
			return s.failed(o.Err, "list objects")
		}
		if strings.HasSuffix(o.Key, ".parquet") {
			return errNotEmpty(s3Location(s.endpoint, s.bucket, s.prefix), o.Key)
		}
	}
	const probe = "_scoter_probe"
	if _, err := s.client.PutObject(ctx, s.bucket, s.prefix+probe, strings.NewReader(""), 0, minio.PutObjectOptions{}); err != nil {
		return s.failed(err, "write an object")
	}
	return s.remove(ctx, probe)
}

// put sends what fits into one part as one request, so that most objects take no more than that.
func (s *s3) put(ctx context.Context, path string, write func(io.Writer) error) (object, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	from, to := io.Pipe()
	stalled := time.AfterFunc(s.patience, func() { stop(base.Errorf(base.Unavailable, "the storage took nothing for %s", s.patience)) })
	defer stalled.Stop()
	written := make(chan error, 1)
	go func() {
		err := write(to)
		to.CloseWithError(err)
		written <- err
	}()
	info, err := s.send(ctx, s.prefix+path, &watched{from, stalled, s.patience})
	from.CloseWithError(errors.Join(err, context.Canceled)) // the writer is not to wait for somebody who is gone
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

// watched is a reader whose user is given so much time between two reads.
type watched struct {
	io.Reader
	timer    *time.Timer
	patience time.Duration
}

func (w *watched) Read(b []byte) (int, error) {
	w.timer.Stop() // what is waited for now is the query
	defer w.timer.Reset(w.patience)
	return w.Reader.Read(b)
}

func (s *s3) send(ctx context.Context, key string, from io.Reader) (minio.UploadInfo, error) {
	// Of an upload that a killed process began. Not every storage lets everybody look; then they stay until its own rules remove them.
	_ = s.client.RemoveIncompleteUpload(ctx, s.bucket, key)
	options := minio.PutObjectOptions{ContentType: "application/vnd.apache.parquet", PartSize: partBytes, NumThreads: 1}
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
