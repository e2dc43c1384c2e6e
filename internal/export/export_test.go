package export

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

func TestWhenTheTimeOfAPartitionIsOver(t *testing.T) {
	f := func(partition, want string, by ...schema.Transform) {
		t.Helper()
		table := schema.Table{}
		for i, transform := range by {
			table.PartitionBy = append(table.PartitionBy, schema.PartitionField{Column: base.ColumnID(i + 1), Transform: transform})
		}
		over, ok := end(table, partition)
		got := "never"
		if ok {
			got = over.Format("2006-01-02 15:04")
		}
		if got != want {
			t.Errorf("%s: %s, want %s", partition, got, want)
		}
	}
	f("", "never")
	f("hour=2024-12-31-23", "2025-01-01 00:00", schema.Hour)
	f("day=2024-02-28", "2024-02-29 00:00", schema.Day)
	f("month=2024-12", "2025-01-01 00:00", schema.Month)
	f("year=1969", "1970-01-01 00:00", schema.Year)
	f("region=eu", "never", schema.Identity)
	f("region=2024", "never", schema.Identity)
	f("region=a%2Fb/day=2024-03-09", "2024-03-10 00:00", schema.Identity, schema.Day)
	f("day=2024-03-09/time_hour=2024-03-09-05", "2024-03-09 06:00", schema.Day, schema.Hour)
	f("hour=__HIVE_DEFAULT_PARTITION__", "never", schema.Hour)
}

func TestDurationsHaveDaysToo(t *testing.T) {
	f := func(text string, want time.Duration) {
		t.Helper()
		got, err := parseDuration(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	f("7d", 7*24*time.Hour)
	f("100ms", 100*time.Millisecond)
	f("1h30m", 90*time.Minute)
	for _, text := range []string{"", "d", "7", "7 d", "-1d", "-5m", "0s", "1ns", "1.5d", "100001d", "9999999999999999999d"} {
		f(text, 0)
	}
}

func TestDefinitionsThatCannotBe(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	f := func(want, storage string, options ...string) {
		t.Helper()
		d := Definition{Storage: storage, Options: map[string]string{}}
		for _, o := range options {
			name, value, _ := strings.Cut(o, "=")
			d.Options[name] = value
		}
		_, err := newPlan(d)
		if err == nil || base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %q: %v, want %q", storage, options, err, want)
		}
	}
	keys := func(more ...string) []string { return append(more, "access_key_id=a", "secret_access_key=b") }
	f("expected S3 or FOLDER", "GCS")
	f("S3 needs a bucket", "S3", keys()...)
	f(`S3 has no option "buckt"`, "S3", keys("buckt=b")...)
	f("there are no credentials", "S3", "bucket=b")
	f("must be given together", "S3", "bucket=b", "access_key_id=a")
	f("secret_access_key_file", "S3", "bucket=b", "access_key_id=a", "secret_access_key_file=/not/there")
	f("tls_ca", "S3", keys("bucket=b", "endpoint=https://s3", "tls_ca=/not/there")...)
	for _, endpoint := range []string{"s3.example.com", "ftp://h", "http://h/path", "http://user:pass@h", "http://"} {
		f("is not a URL like", "S3", keys("bucket=b", "endpoint="+endpoint)...)
	}
	f("is not an absolute path", "FOLDER", "path=a/b")
	f("is not an absolute path", "FOLDER")
	f(`FOLDER has no option "bucket"`, "FOLDER", "path=/a", "bucket=b")
}

func TestCredentialsOfTheEnvironmentAndOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(file, []byte("[default]\naws_access_key_id = of-file\naws_secret_access_key = s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	for _, want := range []string{"of-file", "of-environment"} {
		keys, err := s3Credentials("", "", "")
		if err != nil {
			t.Fatal(err)
		}
		if v, err := keys.GetWithContext(nil); err != nil || v.AccessKeyID != want {
			t.Fatalf("%q, %v; want %q", v.AccessKeyID, err, want)
		}
		t.Setenv("AWS_ACCESS_KEY_ID", "of-environment")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	}
}

func TestPlacesAreToldApart(t *testing.T) {
	f := func(location, identity string, d Definition) {
		t.Helper()
		p, err := d.place()
		if err != nil {
			t.Fatal(err)
		}
		if p.location() != location || p.identity() != identity {
			t.Errorf("%s and %s, want %s and %s", p.location(), p.identity(), location, identity)
		}
	}
	bucket := func(more ...string) Definition {
		d := Definition{Storage: "S3", Options: map[string]string{"bucket": "b"}}
		for i := 0; i < len(more); i += 2 {
			d.Options[more[i]] = more[i+1]
		}
		return d
	}
	f("https://s3.amazonaws.com/b/", "https://s3.amazonaws.com/b/", bucket())
	f("https://s3.eu-west-1.amazonaws.com/b/p/", "https://s3.amazonaws.com/b/p/", bucket("endpoint", "https://S3.eu-west-1.AmazonAWS.com", "prefix", "p"))
	f("http://h:1/b/a/c/", "http://h:1/b/a/c/", bucket("endpoint", "http://h:1/", "prefix", "/a/c/"))
	f("https://h/b/", "https://h/b/", bucket("endpoint", "https://H:443"))
	f("http://h:443/b/", "http://h:443/b/", bucket("endpoint", "http://h:443"))
	dir := t.TempDir()
	if err := os.Symlink(dir, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	f(filepath.Join(dir, "link", "a", "b")+"/", filepath.Join(root, "a", "b")+"/", Definition{Storage: "FOLDER", Options: map[string]string{"path": filepath.Join(dir, "link") + "/a//b/"}})
}

// TestPartsAreAsLargeAsAnObjectNeeds checks that no object needs more than 10,000 parts.
func TestPartsAreAsLargeAsAnObjectNeeds(t *testing.T) {
	for bytes, want := range map[int64]int64{0: 16 << 20, 80 << 30: 17 << 20, 1 << 40: 210 << 20} {
		if got := partSize(bytes); got != want || got*maxParts < 2*bytes {
			t.Errorf("%d bytes: parts of %d, want %d", bytes, got, want)
		}
	}
}

func TestAFolderHasWholeObjectsOnly(t *testing.T) {
	ctx := context.Background()
	p, err := newPlan(Definition{Storage: "FOLDER", Options: map[string]string{"path": filepath.Join(t.TempDir(), "a", "b")}})
	if err != nil {
		t.Fatal(err)
	}
	f := p.storage.(*folder)
	if err := f.begin(ctx); err != nil {
		t.Fatal(err)
	}
	text := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, writeErr := io.WriteString(w, text)
			return errors.Join(writeErr, err)
		}
	}
	failure := errors.New("the query fails")
	if _, err := f.put(ctx, "day=1/1.parquet", 0, text("half", failure)); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	if _, err := f.stat(ctx, "day=1/1.parquet"); base.KindOf(err) != base.NotFound {
		t.Fatalf("half an object: %v", err)
	}
	for _, content := range []string{"first", "the second"} {
		o, err := f.put(ctx, "day=1/1.parquet", 0, text(content, nil))
		if err != nil || o.bytes != int64(len(content)) {
			t.Fatal(o, err)
		}
	}
	if _, err := f.put(ctx, "day=1/1.parquet", 0, text("half", failure)); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	if o, err := f.stat(ctx, "day=1/1.parquet"); err != nil || o.bytes != int64(len("the second")) {
		t.Fatal(o, err)
	}
	if err := f.begin(ctx); base.KindOf(err) != base.Conflict || !strings.Contains(err.Error(), "day=1") {
		t.Fatalf("a folder with objects: %v", err)
	}
	for range 2 {
		if err := f.remove(ctx, "day=1/1.parquet"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAPlaceIsTheExportsWhileItsMarkIs checks that an export writes only while its mark is in the
// place. The mark is missing if a disk is not mounted, and is another one if another export has
// taken over the place.
func TestAPlaceIsTheExportsWhileItsMarkIs(t *testing.T) {
	ctx := context.Background()
	p, err := newPlan(Definition{Storage: "FOLDER", Options: map[string]string{"path": t.TempDir()}, Mark: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	check := func(want string) {
		t.Helper()
		err := owned(ctx, p)
		if want == "" && err != nil || want != "" && (base.KindOf(err) != base.Unavailable || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	check("is not the place")
	for mark, want := range map[string]string{"mine": "", "theirs": "took over"} {
		if err := p.storage.setMark(ctx, mark); err != nil {
			t.Fatal(err)
		}
		check(want)
	}
	p.Mark = "" // like an export from before there were marks
	check("")
}

// stuck returns a storage that accepts no data and never responds.
func stuck(t *testing.T) *s3 {
	t.Helper()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			<-release
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(func() { close(release); server.Close() })
	p, err := newPlan(Definition{Storage: "S3", Options: map[string]string{"bucket": "lake", "endpoint": server.URL, "region": "r", "access_key_id": "a", "secret_access_key": "b"}})
	if err != nil {
		t.Fatal(err)
	}
	return p.storage.(*s3)
}

func TestAPlanThatIsClosedKeepsNoConnection(t *testing.T) {
	var open atomic.Int64
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed:
			open.Add(-1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	p, err := newPlan(Definition{Storage: "S3", Options: map[string]string{"bucket": "lake", "endpoint": server.URL, "region": "r", "access_key_id": "a", "secret_access_key": "b"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.storage.stat(context.Background(), "1.parquet"); base.KindOf(err) != base.NotFound || open.Load() == 0 {
		t.Fatal(err, open.Load())
	}
	p.close()
	for deadline := time.Now().Add(10 * time.Second); open.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are open", open.Load())
		}
	}
}

func TestAnUploadThatStallsIsGivenUp(t *testing.T) {
	s := stuck(t)
	s.patience = 50 * time.Millisecond
	_, err := s.put(context.Background(), "1.parquet", 0, func(w io.Writer) error {
		time.Sleep(200 * time.Millisecond) // the query takes longer than the limit for the storage
		_, err := io.WriteString(w, "rows")
		return err
	})
	if base.KindOf(err) != base.Unavailable || !strings.Contains(err.Error(), "accepted no data for 50ms") || !strings.Contains(err.Error(), "lake") {
		t.Fatal(err)
	}
}

// TestAQueryThatFailsLeavesNoObject checks an export whose query fails, however much of the object
// was sent: no object is written, and the error is the query's.
func TestAQueryThatFailsLeavesNoObject(t *testing.T) {
	s := stuck(t)
	failure := base.Errorf(base.Invalid, "the query fails: %w", io.ErrUnexpectedEOF)
	for _, size := range []int{0, 10} {
		_, err := s.put(context.Background(), "1.parquet", 0, func(w io.Writer) error {
			_, writeErr := w.Write(make([]byte, size))
			return errors.Join(failure, writeErr)
		})
		if !errors.Is(err, failure) {
			t.Fatalf("%d bytes: %v", size, err)
		}
	}
}
