package registry

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/framing"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
)

// fake starts a schema registry for tests, which counts its requests.
func fake(t *testing.T, opts ...srfake.Option) (*srfake.Registry, *atomic.Int64) {
	t.Helper()
	r := srfake.New(opts...)
	t.Cleanup(r.Close)
	asked := &atomic.Int64{}
	r.Intercept(func(http.ResponseWriter, *http.Request) bool {
		asked.Add(1)
		return false
	})
	return r, asked
}

func connect(t *testing.T, o Options) *Client {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func register(t *testing.T, r *srfake.Registry, subject string, s sr.Schema) int {
	t.Helper()
	id, _, err := r.RegisterSchema(subject, s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

const order = `syntax = "proto3";
package shop;
import "common/money.proto";
import "confluent/meta.proto";
import "confluent/type/decimal.proto";
import "google/protobuf/timestamp.proto";
message Order {
  map<string, string> labels = 1;
  message Line { Money price = 1; message Note { string text = 1; } }
  message Address { string city = 1 [(confluent.field_meta) = { tags: "PII" }]; }
  repeated Line lines = 2;
  google.protobuf.Timestamp at = 3;
  confluent.type.Decimal total = 4;
}
message Refund { string order = 1; }`

func TestMessage(t *testing.T) {
	r, asked := fake(t)
	register(t, r, "currency", sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3"; package shop; enum Currency { USD = 0; }`})
	register(t, r, "money", sr.Schema{Type: sr.TypeProtobuf,
		Schema:     `syntax = "proto3"; package shop; import "currency.proto"; message Money { int64 cents = 1; Currency currency = 2; }`,
		References: []sr.SchemaReference{{Name: "currency.proto", Subject: "currency", Version: 1}}})
	id := register(t, r, "orders-value", sr.Schema{Type: sr.TypeProtobuf, Schema: order,
		References: []sr.SchemaReference{{Name: "common/money.proto", Subject: "money", Version: 1}}})
	c := connect(t, Options{URLs: []string{r.URL()}})
	for _, test := range []struct {
		path []int
		want string
	}{
		{[]int{0}, "shop.Order"},
		{[]int{1}, "shop.Refund"},
		// the type for entries of the map field labels is not counted
		{[]int{0, 0}, "shop.Order.Line"},
		{[]int{0, 0, 0}, "shop.Order.Line.Note"},
		{[]int{0, 1}, "shop.Order.Address"},
	} {
		msg := append(ingesttest.ProtobufHeader(id, test.path...), "value"...)
		h, value, err := framing.CutProtobuf(msg)
		if err != nil || string(value) != "value" {
			t.Fatalf("%v: %q %v", test.path, value, err)
		}
		md, err := c.Message(t.Context(), h)
		if err != nil || string(md.FullName()) != test.want {
			t.Errorf("%v: %v %v, want %s", test.path, md, err, test.want)
		}
		before := asked.Load()
		if again, err := c.Message(t.Context(), h); again != md || err != nil {
			t.Errorf("%v: another descriptor the second time: %v", test.path, err)
		}
		if asked.Load() != before {
			t.Error("a schema is fetched again")
		}
	}
	if _, err := c.Message(t.Context(), ingesttest.ProtobufHeader(id, 2)); base.KindOf(err) != base.NotFound {
		t.Errorf("a message type that is not there: %v", err)
	}
	for name, want := range map[string]string{"": "shop.Order", "shop.Refund": "shop.Refund"} {
		if md, err := c.LatestMessage(t.Context(), "orders-value", name); err != nil || string(md.FullName()) != want {
			t.Errorf("latest %q: %v %v", name, md, err)
		}
	}
	if _, err := c.LatestMessage(t.Context(), "nothing", ""); base.KindOf(err) != base.NotFound {
		t.Errorf("a subject that is not there: %v", err)
	}
}

func TestWhoseErrorItIs(t *testing.T) {
	r, asked := fake(t)
	avro := register(t, r, "avro", sr.Schema{Type: sr.TypeAvro, Schema: `"string"`})
	r.SeedSchema("broken", 1, 77, sr.Schema{Type: sr.TypeProtobuf, Schema: "message {"})
	r.SeedSchema("gone", 1, 76, sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3";`})
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if !strings.HasPrefix(req.URL.Path, "/subjects/gone/") {
			return false
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error_code": 40401, "message": "Subject 'gone' not found."}`))
		return true
	})
	r.SeedSchema("lost", 1, 78, sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3"; message M {}`, References: []sr.SchemaReference{{Name: "gone.proto", Subject: "gone", Version: 1}}})
	c := connect(t, Options{URLs: []string{r.URL()}})
	for id, want := range map[int]base.Kind{avro: base.Invalid, 77: base.Invalid, 78: base.NotFound, 1000: base.NotFound} {
		_, err := c.Message(t.Context(), ingesttest.ProtobufHeader(id, 0))
		if base.KindOf(err) != want {
			t.Errorf("schema %d: %v, want %v", id, err, want)
		}
		before := asked.Load()
		if _, again := c.Message(t.Context(), ingesttest.ProtobufHeader(id, 0)); again == nil || again.Error() != err.Error() || asked.Load() != before {
			t.Errorf("schema %d is asked for again at once: %v", id, again)
		}
	}

	// A registry that fails is asked again, so its recovery is noticed.
	r.SeedSchema("fine", 1, 79, sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3"; message M {}`})
	// a 404 with the error page of a proxy, not with an answer of the registry
	for _, status := range []int{500, 404, 429} {
		r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(status)
			return true
		})
		if _, err := c.Message(t.Context(), ingesttest.ProtobufHeader(79, 0)); base.KindOf(err) != base.Unavailable {
			t.Errorf("status %d: %v", status, err)
		}
		r.ClearInterceptors()
	}
	if _, err := c.Message(t.Context(), ingesttest.ProtobufHeader(79, 0)); err != nil {
		t.Error("after recovery:", err)
	}
	// Different registries use different error codes for an unknown or invalid id.
	id := 200
	for _, answer := range []string{`400 {"error_code": 400, "message": "no id"}`, `404 {"error_code": 404, "message": "none"}`, `422 {"error_code": 42204, "message": "not so"}`} {
		r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
			status, _ := strconv.Atoi(answer[:3])
			w.WriteHeader(status)
			_, _ = w.Write([]byte(answer[4:]))
			return true
		})
		if _, err := c.Message(t.Context(), ingesttest.ProtobufHeader(id, 0)); base.KindOf(err) != base.NotFound {
			t.Errorf("%s: %v", answer, err)
		}
		id++
		r.ClearInterceptors()
	}
	r.Intercept(func(http.ResponseWriter, *http.Request) bool {
		t.Error("it is asked for an id that none has")
		return false
	})
	if _, err := c.Message(t.Context(), ingesttest.ProtobufHeader(math.MaxInt32+1, 0)); base.KindOf(err) != base.NotFound {
		t.Error(err)
	}
	r.ClearInterceptors()

	nobody := httptest.NewServer(nil)
	nobody.Close()
	if _, err := connect(t, Options{URLs: []string{nobody.URL}}).Message(t.Context(), ingesttest.ProtobufHeader(1, 0)); base.KindOf(err) != base.Unavailable {
		t.Error("no registry:", err)
	}
	if md, err := connect(t, Options{URLs: []string{nobody.URL, r.URL()}}).Message(t.Context(), ingesttest.ProtobufHeader(79, 0)); err != nil {
		t.Error("the second URL:", md, err)
	}
	hangs := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hangs }))
	defer silent.Close()
	defer close(hangs)
	if _, err := connect(t, Options{URLs: []string{silent.URL}, Timeout: 50 * time.Millisecond}).Message(t.Context(), ingesttest.ProtobufHeader(1, 0)); base.KindOf(err) != base.Unavailable {
		t.Error("a silent registry:", err)
	}
	started := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := connect(t, Options{URLs: []string{silent.URL}}).Message(ctx, ingesttest.ProtobufHeader(1, 0)); base.KindOf(err) == base.NotFound || err == nil || time.Since(started) > 5*time.Second {
		t.Errorf("a context's end, after %v: %v", time.Since(started), err)
	}
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range maxAnswer/1024 + 1 {
			if _, err := w.Write(make([]byte, 1024)); err != nil {
				return
			}
		}
	}))
	defer endless.Close()
	if _, err := connect(t, Options{URLs: []string{endless.URL}}).Message(t.Context(), ingesttest.ProtobufHeader(1, 0)); base.KindOf(err) != base.Unavailable {
		t.Error("an endless answer:", err)
	}
}

func TestCredentials(t *testing.T) {
	r, _ := fake(t, srfake.WithAuth("Basic dTpw"))
	r.SeedSchema("s", 1, 1, sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3"; message M {}`})
	if _, err := connect(t, Options{URLs: []string{r.URL()}, Username: "u", Password: "p"}).Message(t.Context(), ingesttest.ProtobufHeader(1, 0)); err != nil {
		t.Error(err)
	}
	if _, err := connect(t, Options{URLs: []string{r.URL()}}).Message(t.Context(), ingesttest.ProtobufHeader(1, 0)); base.KindOf(err) != base.Unauthenticated {
		t.Error(err)
	}
	withUser := func(password string) string { return strings.Replace(r.URL(), "://", "://u:"+password+"@", 1) }
	if _, err := connect(t, Options{URLs: []string{withUser("p")}}).Message(t.Context(), ingesttest.ProtobufHeader(1, 0)); err != nil {
		t.Error(err)
	}
	r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusInternalServerError)
		return true
	})
	if _, err := connect(t, Options{URLs: []string{withUser("secret")}}).Message(t.Context(), ingesttest.ProtobufHeader(1, 0)); err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	for _, odd := range []string{"http://u:secret/x@a", "http://u:1/secret@a", "http://u:x@secret/y@a", "u:secret/@a"} {
		if _, err := New(Options{URLs: []string{odd}}); base.KindOf(err) != base.Invalid || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", odd, err)
		}
	}
	token, _ := fake(t, srfake.WithAuth("Bearer secret"))
	token.SeedSchema("s", 1, 1, sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3"; message M {}`})
	if _, err := connect(t, Options{URLs: []string{token.URL()}, Token: "secret"}).Message(t.Context(), ingesttest.ProtobufHeader(1, 0)); err != nil {
		t.Error(err)
	}
}

func TestAvro(t *testing.T) {
	r, asked := fake(t)
	register(t, r, "money", sr.Schema{Type: sr.TypeAvro, Schema: `{"type":"record","name":"Money","namespace":"shop","fields":[{"name":"cents","type":"long"}]}`})
	id := register(t, r, "orders-value", sr.Schema{Type: sr.TypeAvro,
		Schema:     `{"type":"record","name":"Order","namespace":"shop","fields":[{"name":"price","type":"shop.Money"}]}`,
		References: []sr.SchemaReference{{Name: "shop.Money", Subject: "money", Version: 1}}})
	c := connect(t, Options{URLs: []string{r.URL()}})
	s, err := c.Avro(t.Context(), uint32(id))
	if err != nil || !strings.Contains(s.String(), "shop.Money") {
		t.Fatal(s, err)
	}
	before := asked.Load()
	if again, err := c.Avro(t.Context(), uint32(id)); again != s || err != nil || asked.Load() != before {
		t.Error("a schema is fetched again", err)
	}
	if latest, err := c.LatestAvro(t.Context(), "orders-value"); err != nil || latest.String() != s.String() {
		t.Error(latest, err)
	}
	r.SeedSchema("proto", 1, 99, sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3";`})
	if _, err := c.Avro(t.Context(), 99); base.KindOf(err) != base.Invalid {
		t.Error(err)
	}
	if _, err := c.Avro(t.Context(), 1000); base.KindOf(err) != base.NotFound {
		t.Error(err)
	}
}
