package kafka

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
	"google.golang.org/protobuf/encoding/protowire"

	program "github.com/scoterdb/scoter/tests/binary"
)

// framed puts a schema's header before a message, for the first message type of the file.
func framed(id int, msg []byte) []byte {
	return append(append(binary.BigEndian.AppendUint32([]byte{0}, uint32(id)), 0), msg...)
}

// metrics returns the metrics of the source orders, and of rows from Kafka, by name.
func metrics(t *testing.T, s *program.Server) map[string]float64 {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/metrics", nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	all := map[string]float64{}
	for l := range strings.Lines(string(text)) {
		for _, labels := range []string{`{source="default.main.orders"} `, `{way="kafka"} `} {
			if name, value, ok := strings.Cut(strings.TrimSpace(l), labels); ok {
				all[name], err = strconv.ParseFloat(value, 64)
				must(t, err)
			}
		}
	}
	return all
}

// TestWhatCannotBeStoredIsADeadLetter sends invalid messages between valid ones. The stream
// continues, new fields become columns, and messages whose schema was unknown can be replayed.
func TestWhatCannotBeStoredIsADeadLetter(t *testing.T) {
	k := kafka(t)
	must(t, k.CreateTopic(t.Context(), topic, 1))
	registry := srfake.New()
	defer registry.Close()
	const unknown = 99
	first := sr.Schema{Type: sr.TypeProtobuf, Schema: orderProto}
	registry.SeedSchema("orders-value", 1, 1, first)
	registry.SeedSchema("orders-value", 2, 2, sr.Schema{Type: sr.TypeProtobuf, Schema: strings.Replace(orderProto, "string note = 4;", "string note = 4;\n  int32 priority = 5;", 1)})
	registry.SeedSchema("other-value", 1, 3, sr.Schema{Type: sr.TypeProtobuf, Schema: strings.Replace(orderProto, "int64 id = 1;", "Item id = 1;", 1)})

	s := program.Serve(t, t.TempDir(), asAdmin(t)...)
	s.Token = token
	run(t, s, fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = '%s', max_age = '100ms')
		FORMAT protobuf (registry = '%s') INTO TABLE orders METADATA (offset)`, k.Addr, topic, registry.URL()))
	struct3 := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), []byte{0x10, 1})
	priority := protowire.AppendVarint(protowire.AppendTag(order(2), 5, protowire.VarintType), 7)
	var records []*kgo.Record
	for _, value := range [][]byte{framed(1, order(1)), framed(1, []byte{0xff}), nil, framed(unknown, order(5)), framed(3, struct3), []byte("{}"), framed(2, priority), framed(1, order(3))} {
		records = append(records, &kgo.Record{Topic: topic, Key: []byte("k"), Value: value})
	}
	send(t, client(t, k), records...)
	eventually(t, s, "SELECT count(*) FROM orders", "3")
	eventually(t, s, "SELECT count(*) FROM scoter.dead_letters", "5")
	if got := line(t, s, "SELECT string_agg(id || ':' || coalesce(priority::VARCHAR, '-') || ':' || _offset, ' ' ORDER BY id) FROM orders"); got != "1:-:0 2:7:6 3:-:7" {
		t.Error(got)
	}
	reasons := s.Rows(t, `SELECT "offset", reason, value IS NULL, schema_id FROM scoter.dead_letters ORDER BY "offset"`)
	for i, want := range []string{"1 byte 1", "2 a tombstone", "3 schema 99", "4 ", "5 a message of 2 bytes"} {
		if got := fmt.Sprintf("%v %v", reasons[i][0], reasons[i][1]); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s...", got, want)
		}
	}
	if reasons[1][2] != true || reasons[0][2] != false || reasons[2][3] != float64(unknown) {
		t.Errorf("%v", reasons)
	}
	if got := line(t, s, "SELECT state FROM scoter.sources"); got != "running" {
		t.Error(got)
	}

	// The metrics have the same numbers.
	measured := metrics(t, s)
	for name, want := range map[string]float64{"messages_total": 8, "rows_total": 3, "dead_letters_total": 5, "errors_total": 0, "lag_messages": 0, "lag_seconds": 0, "queue_bytes": 0, "running": 1} {
		if got, ok := measured["scoter_source_"+name]; !ok || got != want {
			t.Errorf("scoter_source_%s is %v (%v), want %v", name, got, ok, want)
		}
	}
	for _, name := range []string{"bytes_total", "messages_per_second", "rows_per_second", "bytes_per_second"} {
		if measured["scoter_source_"+name] <= 0 {
			t.Errorf("no scoter_source_%s", name)
		}
	}

	if got := measured["scoter_rows_written_total"]; got != 3+5 { // dead letters are rows too
		t.Errorf("%v rows were written from Kafka", got)
	}

	// The schema is registered after its first message.
	registry.SeedSchema("late-value", 1, unknown, first)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Second) {
		run(t, s, "REPLAY SOURCE orders")
		if line(t, s, "SELECT count(*) FROM scoter.dead_letters") == "4" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the letter stays", s.Rows(t, "SELECT reason FROM scoter.dead_letters"))
		}
	}
	if got := line(t, s, "SELECT string_agg(id, ' ' ORDER BY id) FROM orders"); got != "1 2 3 5" {
		t.Error(got)
	}

	// If the registry is not reachable, messages do not become dead letters: the stream waits.
	registry.Intercept(unavailable)
	send(t, client(t, k), &kgo.Record{Topic: topic, Value: framed(4, order(4))})
	eventually(t, s, "SELECT state FROM scoter.sources", "waiting")
	registry.SeedSchema("fourth-value", 1, 4, first)
	registry.ClearInterceptors()
	eventually(t, s, "SELECT count(*) FROM orders", "5")
	if got := line(t, s, "SELECT count(*) FROM scoter.dead_letters"); got != "4" {
		t.Error(got, "dead letters")
	}
}
