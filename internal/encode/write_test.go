package encode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

var allFormats = []Format{JSON, NDJSON, CSV, Arrow, Parquet, MessagePack, Table}

// refuser is a writer that fails after it has accepted a number of bytes.
type refuser struct{ left int }

var errGone = errors.New("connection reset")

func (r *refuser) Write(p []byte) (int, error) {
	if len(p) > r.left {
		n := r.left
		r.left = 0
		return n, errGone
	}
	r.left -= len(p)
	return len(p), nil
}

func TestWriterErrorEndsTheResult(t *testing.T) {
	batches := benchBatches(-1, 64)
	for _, f := range allFormats {
		for _, accepted := range []int{0, 1, 200_000} {
			if f == Table && accepted > 1 {
				continue // the result is never this large
			}
			src := newInput(batches...)
			stats, err := Write(context.Background(), &refuser{accepted}, f, src, Options{rowGroupRows: 10_000, batchRows: 4096})
			if !errors.Is(err, errGone) {
				t.Errorf("%s: got error %v", f, err)
			}
			if stats.Bytes != int64(accepted) {
				t.Errorf("%s: %d bytes, accepted were %d", f, stats.Bytes, accepted)
			}
			if len(src.batches) == 0 && f != Table {
				t.Errorf("%s: read the source to its end for a client that is gone", f)
			}
		}
	}
}

// small is a writer that accepts only small writes: a few rows, but also the error that ends a
// result.
type small struct{ bytes.Buffer }

func (w *small) Write(p []byte) (int, error) {
	if w.Len() > 0 && len(p) > flushAt/2 {
		return 0, base.Errorf(base.Timeout, "no room")
	}
	return w.Buffer.Write(p)
}

func TestAResultThatIsTooLargeForTheWriterIsAnError(t *testing.T) {
	for _, f := range []Format{JSON, NDJSON, MessagePack} {
		var w small
		stats, err := Write(t.Context(), &w, f, newInput(benchBatches(-1, 64)...), Options{})
		if base.KindOf(err) != base.Timeout || stats.Bytes != int64(w.Len()) || w.Len() < flushAt {
			t.Errorf("%s: %d bytes, %d of them counted: %v", f, w.Len(), stats.Bytes, err)
		}
		if last := w.String()[max(0, w.Len()-200):]; !strings.Contains(last, "no room") {
			t.Errorf("%s ends with %q", f, last)
		}
	}
}

// TestAResultThatEndsWithRowsInItsBufferSaysWhy checks a result that ends with an error while rows
// are buffered. The error is written even if the writer refuses these rows.
func TestAResultThatEndsWithRowsInItsBufferSaysWhy(t *testing.T) {
	texts := array.NewStringBuilder(memory.DefaultAllocator)
	for range 22 {
		texts.Append(strings.Repeat("x", 10_000)) // 128 KiB are written, 80 KiB are still buffered
	}
	column := texts.NewArray()
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "text", Type: arrow.BinaryTypes.String}}, nil), []arrow.Array{column}, 22)
	for _, f := range []Format{JSON, NDJSON} {
		var w small
		src := newInput(rec)
		src.err = base.Errorf(base.Timeout, "others wait")
		stats, err := Write(t.Context(), &w, f, src, Options{})
		if base.KindOf(err) != base.Timeout || stats.Bytes != int64(w.Len()) || w.Len() < flushAt {
			t.Errorf("%s: %d bytes, %d of them counted: %v", f, w.Len(), stats.Bytes, err)
		}
		if last := w.String()[max(0, w.Len()-200):]; !strings.Contains(last, "others wait") {
			t.Errorf("%s ends with %q", f, last)
		}
	}
}

func TestCanceledContextEndsTheResult(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, f := range allFormats {
		var b bytes.Buffer
		stats, err := Write(ctx, &b, f, newInput(benchBatches(2, 1)...), Options{})
		if base.KindOf(err) != base.Canceled || stats.Bytes != 0 || b.Len() != 0 {
			t.Errorf("%s: %v, %d bytes", f, err, b.Len())
		}
	}
}

func TestEarlyErrorWritesNothing(t *testing.T) {
	for _, f := range allFormats {
		src := newInput(benchBatches(2, 1)...)
		src.err = base.Errorf(base.Invalid, "division by zero").WithHint("use nullif")
		src.batches = nil
		var b bytes.Buffer
		stats, err := Write(context.Background(), &b, f, src, Options{})
		if base.KindOf(err) != base.Invalid || stats.Bytes != 0 || b.Len() != 0 {
			t.Errorf("%s: %v, %d bytes", f, err, b.Len())
		}
	}
}

// failing returns the output for a source with enough rows for some bytes to be written, followed
// by an error.
func failing(t *testing.T, f Format) []byte {
	t.Helper()
	src := newInput(benchBatches(-1, 4)...)
	src.err = base.Errorf(base.Invalid, "division by \"zero\"").WithHint("use nullif")
	var b bytes.Buffer
	stats, err := Write(context.Background(), &b, f, src, Options{batchRows: 1})
	if base.KindOf(err) != base.Invalid || stats.Rows != 4*chunkRows || stats.Bytes != int64(b.Len()) || b.Len() == 0 {
		t.Fatalf("%s: %v, %+v", f, err, stats)
	}
	return b.Bytes()
}

func TestLateErrorIsInTheJSONDocument(t *testing.T) {
	var answer struct {
		Rows     []any `json:"rows"`
		RowCount *int  `json:"row_count"`
		Error    struct{ Kind, Message, Hint string }
	}
	if err := json.Unmarshal(failing(t, JSON), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.RowCount != nil || len(answer.Rows) != 4*chunkRows || answer.Error.Kind != "invalid" ||
		!strings.Contains(answer.Error.Message, `division by "zero"`) || answer.Error.Hint != "use nullif" {
		t.Errorf("got %+v, %d rows", answer.Error, len(answer.Rows))
	}
}

func TestLateErrorIsTheLastLineOfNDJSON(t *testing.T) {
	lines := bytes.Split(bytes.TrimSuffix(failing(t, NDJSON), []byte("\n")), []byte("\n"))
	var last struct {
		Error map[string]string `json:"$error"`
	}
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil || last.Error["kind"] != "invalid" {
		t.Errorf("%v: %s", err, lines[len(lines)-1])
	}
}

func TestLateErrorIsTheLastMessagePackObject(t *testing.T) {
	objects := unpack(t, failing(t, MessagePack))
	last := objects[len(objects)-1]
	if e, ok := last["error"].(map[string]any); !ok || e["kind"] != "invalid" || e["hint"] != "use nullif" || len(last) != 1 {
		t.Errorf("got %v", last)
	}
}

func TestLateErrorLeavesArrowWithoutEnd(t *testing.T) {
	end := []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}
	if bytes.HasSuffix(failing(t, Arrow), end) {
		t.Error("the stream looks complete")
	}
	if whole := written(t, Arrow, Options{}, benchBatches(2, 1)...); !bytes.HasSuffix(whole, end) {
		t.Error("a complete stream has no end")
	}
}

func TestEmptyResultHasItsColumns(t *testing.T) {
	empty := benchBatches(2, 1)[0].NewSlice(0, 0)
	for _, batches := range [][]arrow.RecordBatch{{empty}, {empty, empty}} {
		var answer struct {
			Columns []struct{ Name, Type string }
			Rows    []any
		}
		if err := json.Unmarshal(written(t, JSON, Options{}, batches...), &answer); err != nil {
			t.Fatal(err)
		}
		if len(answer.Columns) != 5 || answer.Rows == nil || len(answer.Rows) != 0 ||
			answer.Columns[0].Type != "TIMESTAMP WITH TIME ZONE" || answer.Columns[1].Type != "VARCHAR" {
			t.Errorf("got %+v", answer)
		}
		if got := string(written(t, NDJSON, Options{}, batches...)); got != "" {
			t.Errorf("NDJSON %q", got)
		}
		if got := string(written(t, CSV, Options{}, batches...)); got != "time,host,a,b,c\n" {
			t.Errorf("CSV %q", got)
		}
		if got := streamBatches(t, written(t, Arrow, Options{}, batches...)); len(got) != 0 {
			t.Errorf("%d Arrow batches", len(got))
		}
		if got := parquetBatches(t, written(t, Parquet, Options{}, batches...)); len(got) != 0 {
			t.Errorf("%d Parquet batches", len(got))
		}
		if got := unpack(t, written(t, MessagePack, Options{}, batches...)); len(got) != 2 {
			t.Errorf("%d MessagePack objects", len(got))
		}
		if got := string(written(t, Table, Options{}, batches...)); !strings.Contains(got, "0 rows") {
			t.Errorf("table %s", got)
		}
	}
}

func TestZeroColumns(t *testing.T) {
	rec := array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, 2)
	want := map[Format]string{
		JSON:   "{\"columns\":[],\n\"rows\":[\n[],\n[]],\n\"row_count\":2}\n",
		NDJSON: "{}\n{}\n",
		CSV:    "\n\n\n",
		Table:  "2 rows\n",
	}
	for _, f := range allFormats {
		got := written(t, f, Options{}, rec)
		if text, ok := want[f]; ok && string(got) != text {
			t.Errorf("%s: got %q, want %q", f, got, text)
		}
	}
}

func TestMaxRowsCutsTheResult(t *testing.T) {
	batches := benchBatches(2, 3)
	for _, f := range allFormats {
		for _, max := range []int64{1, chunkRows, chunkRows + 1, 3 * chunkRows, 3*chunkRows + 1} {
			var b bytes.Buffer
			stats, err := Write(context.Background(), &b, f, newInput(batches...), Options{MaxRows: max})
			if err != nil {
				t.Fatal(err)
			}
			if want := min(max, 3*chunkRows); stats.Rows != want || stats.Truncated != (max < 3*chunkRows) {
				t.Errorf("%s, at most %d rows: %+v", f, max, stats)
			}
			if f == JSON && bytes.Contains(b.Bytes(), []byte(`"truncated":true`)) != stats.Truncated {
				t.Errorf("at most %d rows: the tail is %s", max, b.Bytes()[b.Len()-50:])
			}
		}
	}
}

func TestTailHasTimeAndRowsRead(t *testing.T) {
	opt := Options{Elapsed: func() time.Duration { return 1500 * time.Microsecond }, RowsRead: func() int64 { return 42 }}
	rec := oneColumn(arrayOf(t, arrow.PrimitiveTypes.Int32, `[1]`))
	want := "{\"columns\":[{\"name\":\"v\",\"type\":\"INTEGER\"}],\n\"rows\":[\n[1]],\n\"row_count\":1,\"rows_read\":42,\"elapsed_ms\":1.500}\n"
	if got := string(written(t, JSON, opt, rec)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	objects := unpack(t, written(t, MessagePack, opt, rec))
	if last := loose(objects[2]); !reflect.DeepEqual(last, map[string]any{"row_count": int64(1), "rows_read": int64(42), "elapsed_ms": 1.5}) {
		t.Errorf("got %v", last)
	}
}

// TestEverythingIsReleased checks that all arrays are released, because the garbage collector does
// not free the memory of DuckDB's arrays.
func TestEverythingIsReleased(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}
	fields := []arrow.Field{
		{Name: "d", Type: dt, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.BinaryTypes.StringView), Nullable: true},
		{Name: "a", Type: arrow.FixedSizeListOf(1, arrow.PrimitiveTypes.Int32), Nullable: true},
	}
	texts := []string{`["a","b"]`, `[["x"],null]`, `[[1],null]`}
	for _, f := range allFormats {
		for _, sourceErr := range []error{nil, errors.New("failed")} {
			for _, accepted := range []int{0, 1 << 30} {
				checked := memory.NewCheckedAllocator(memory.NewGoAllocator())
				src := &sliceInput{schema: arrow.NewSchema(fields, nil), err: sourceErr}
				for range 3 {
					var columns []arrow.Array
					for i, field := range fields {
						arr, _, err := array.FromJSON(checked, field.Type, strings.NewReader(texts[i]))
						if err != nil {
							t.Fatal(err)
						}
						columns = append(columns, arr)
					}
					src.batches = append(src.batches, batchOf(fields, columns...))
					for _, column := range columns {
						column.Release()
					}
				}
				batches := src.batches
				for _, batchRows := range []int{0, 1} {
					src.batches = batches
					_, err := Write(context.Background(), &refuser{accepted}, f, src, Options{batchRows: batchRows, MaxRows: 5})
					if (err == nil) != (sourceErr == nil && accepted > 0) && f != Table && sourceErr == nil {
						t.Errorf("%s: %v", f, err)
					}
				}
				for _, rec := range batches {
					rec.Release()
				}
				checked.AssertSize(t, 0)
			}
		}
	}
}

func TestWrongBatchIsAnErrorNotAPanic(t *testing.T) {
	good := oneColumn(arrayOf(t, arrow.PrimitiveTypes.Int32, `[1]`))
	for _, bad := range []arrow.RecordBatch{
		oneColumn(arrayOf(t, arrow.BinaryTypes.String, `["1"]`)),
		array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, 1),
	} {
		for _, f := range allFormats {
			_, err := Write(context.Background(), io.Discard, f, newInput(good, bad), Options{})
			if base.KindOf(err) != base.Internal || err == nil {
				t.Errorf("%s: got %v", f, err)
			}
		}
	}
}

// defective is a source that panics, as the libraries for formats may do.
type defective struct{ *sliceInput }

func (defective) Next(context.Context) (arrow.RecordBatch, error) { panic("unimplemented") }

func TestAPanicIsAnError(t *testing.T) {
	for _, f := range allFormats {
		var b bytes.Buffer
		_, err := Write(context.Background(), &b, f, defective{newInput(benchBatches(2, 1)...)}, Options{})
		if err == nil || base.KindOf(err) != base.Internal || !strings.Contains(err.Error(), "unimplemented") || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", f, err, b.Len())
		}
	}
}

func TestJSONValuesBreakNoLine(t *testing.T) {
	arr := bytesArray(arrow.BinaryTypes.String, jsonType(), "{\"a\u2028b\": [1,\r\n\"\u2029\u0085é日\"]}", "\n\"plain\"\n")(t)
	want := "{\"v\":{\"a\\u2028b\": [1,\"\\u2029\\u0085é日\"]}}\n{\"v\":\"plain\"}\n"
	if got := string(written(t, NDJSON, Options{}, oneColumn(arr))); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestKeysThatAreJSONAreNoNames checks that a map with JSON keys is written as a list of pairs.
func TestKeysThatAreJSONAreNoNames(t *testing.T) {
	for key, want := range map[arrow.DataType]string{
		jsonType():               "[{\"key\":{\"a\":1},\"value\":1},{\"key\":\"x\",\"value\":2}]",
		arrow.BinaryTypes.String: "{\"{\\\"a\\\":1}\":1,\"\\\"x\\\"\":2}",
	} {
		pairs := arrayOf(t, arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), `[[{"key":"{\"a\":1}","value":1},{"key":"\"x\"","value":2}]]`).(*array.Map)
		mt := arrow.MapOf(key, arrow.PrimitiveTypes.Int32)
		keys := pairs.Keys().Data()
		entries := newArray(mt.Elem(), keys.Len(), []*memory.Buffer{nil}, []arrow.ArrayData{
			array.NewData(key, keys.Len(), keys.Buffers(), nil, 0, 0), pairs.Items().Data()}, 0, 0)
		rec := oneColumn(newArray(mt, 1, pairs.Data().Buffers(), []arrow.ArrayData{entries.Data()}, 0, 0))
		if got := jsonRows(t, written(t, JSON, Options{}, rec)); got[0] != want {
			t.Errorf("keys of type %s: got %s, want %s", key, got[0], want)
		}
		_, list := packRows(t, written(t, MessagePack, Options{}, rec))[0].([]any)
		if list != (want[0] == '[') {
			t.Errorf("keys of type %s in MessagePack: a list is %t", key, list)
		}
	}
}

func TestRepeatedColumnNamesStayApart(t *testing.T) {
	one := arrayOf(t, arrow.PrimitiveTypes.Int32, `[1]`)
	f := func(name string) arrow.Field {
		return arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int32, Nullable: true}
	}
	rec := batchOf([]arrow.Field{f("a"), f("a"), f("a_1"), f("a")}, one, one, one, one)
	if got := string(written(t, NDJSON, Options{}, rec)); got != "{\"a\":1,\"a_2\":1,\"a_1\":1,\"a_3\":1}\n" {
		t.Errorf("got %s", got)
	}
	names := parquetBatches(t, written(t, Parquet, Options{}, rec))[0].Schema().Fields()
	if names[1].Name != "a_2" || names[3].Name != "a_3" {
		t.Errorf("Parquet columns %v", names)
	}
}

func TestCSVTellsNullFromEmpty(t *testing.T) {
	text := arrayOf(t, arrow.BinaryTypes.String, `["", null, "NA", "a,b"]`)
	number := arrayOf(t, arrow.PrimitiveTypes.Int32, `[1, null, 3, 4]`)
	rec := batchOf([]arrow.Field{{Name: "t,x", Type: text.DataType(), Nullable: true}, {Name: "n", Type: number.DataType(), Nullable: true}}, text, number)
	if got, want := string(written(t, CSV, Options{}, rec)), "\"t,x\",n\n\"\",1\n,\nNA,3\n\"a,b\",4\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFloatsReadBackTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	c := &floatCell[float64]{bitSize: 64, short: true}
	single := &floatCell[float32]{bitSize: 32}
	for range 200_000 {
		single.values = []float32{math.Float32frombits(random.Uint32())}
		if v := single.values[0]; v-v == 0 {
			text := string(single.append(nil, 0))
			if back, err := strconv.ParseFloat(text, 32); err != nil || float32(back) != v || digits(text) != digits(strconv.FormatFloat(float64(v), 'g', -1, 32)) || !strings.ContainsAny(text, ".e") {
				t.Fatalf("%v printed as %s reads as %v, %v", v, text, back, err)
			}
		}
		v := math.Float64frombits(random.Uint64())
		switch random.IntN(4) {
		case 0:
			v = float64(random.IntN(2_000_000)-1_000_000) / 1e4
		case 1:
			v = math.Nextafter(float64(random.IntN(2_000_000)-1_000_000)/1e3, 0)
		}
		if v-v != 0 {
			continue
		}
		c.values = []float64{v}
		text := string(c.append(nil, 0))
		if back, err := strconv.ParseFloat(text, 64); err != nil || math.Float64bits(back) != math.Float64bits(v) {
			t.Fatalf("%v printed as %s reads as %v, %v", v, text, back, err)
		}
		if shortest := strconv.FormatFloat(v, 'g', -1, 64); digits(text) != digits(shortest) {
			t.Fatalf("%s is not the shortest text, %s is", text, shortest)
		}
		if !strings.ContainsAny(text, ".e") {
			t.Fatalf("%s looks like an integer", text)
		}
	}
}

// digits returns a number's significant digits.
func digits(text string) string {
	text, _, _ = strings.Cut(text, "e")
	return strings.Trim(noDigits.Replace(text), "0")
}

var noDigits = strings.NewReplacer(".", "", "-", "")

func TestTable(t *testing.T) {
	name := arrayOf(t, arrow.BinaryTypes.String, `["duck", null, "日本\u001b[31m"]`)
	number := arrayOf(t, arrow.PrimitiveTypes.Int64, `[1, 22, null]`)
	rec := batchOf([]arrow.Field{{Name: "name", Type: name.DataType(), Nullable: true}, {Name: "n", Type: number.DataType(), Nullable: true}}, name, number)
	want := `
┌────────────────┬────────┐
│      name      │   n    │
│    VARCHAR     │ BIGINT │
├────────────────┼────────┤
│ duck           │      1 │
│ NULL           │     22 │
│ 日本\u001b[31m │   NULL │
└────────────────┴────────┘
3 rows
`
	if got := "\n" + string(written(t, Table, Options{}, rec)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	long := string(written(t, Table, Options{}, benchBatches(2, 1)...))
	if lines := strings.Split(long, "\n"); len(lines) != 4+tableRows+4 || lines[4+tableRows+1] != "… 2,008 more rows" || lines[4+tableRows+2] != "2,048 rows" {
		t.Errorf("got\n%s", long)
	}
}

func TestTablesCutTheNamesOfTypes(t *testing.T) {
	rec := oneColumn(arrayOf(t, arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String}), `[]`))
	want := `
┌──────────────────────────┐
│            v             │
│ STRUCT(a BIGINT, b VARC… │
├──────────────────────────┤
└──────────────────────────┘
0 rows
`
	if got := "\n" + string(written(t, Table, Options{}, rec)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPlansAreDrawn(t *testing.T) {
	key, value := arrayOf(t, arrow.BinaryTypes.String, `["logical", "physical"]`), arrayOf(t, arrow.BinaryTypes.String, `["┌──┐\n│\u001b[31m│\n", null]`)
	named := func(name string) arrow.RecordBatch {
		return batchOf([]arrow.Field{{Name: name, Type: key.DataType(), Nullable: true}, {Name: "explain_value", Type: value.DataType(), Nullable: true}}, key, value)
	}
	if got, want := string(written(t, Table, Options{}, named("explain_key"))), "┌──┐\n│\\u001b[31m│\nNULL\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := string(written(t, Table, Options{}, named("key"))); !strings.Contains(got, "2 rows") {
		t.Errorf("got\n%s", got)
	}
}

func TestParseFormat(t *testing.T) {
	for _, c := range []struct {
		accept, query string
		want          Format
		ok            bool
	}{
		{"", "", JSON, true},
		{"*/*", "", JSON, true},
		{"text/csv", "", CSV, true},
		{"text/csv", "parquet", Parquet, true},
		{"", "MsgPack", MessagePack, true},
		{"", "xml", JSON, false},
		{"application/x-ndjson", "", NDJSON, true},
		{"application/vnd.apache.arrow.stream;q=0.9, text/csv;q=0.5", "", Arrow, true},
		{"text/csv;q=0.5, application/vnd.apache.arrow.stream; q=0.9", "", Arrow, true},
		{"*/*, application/msgpack", "", MessagePack, true},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "", JSON, true},
		{"text/*", "", CSV, true},
		{"application/json;q=0, */*", "", NDJSON, true},
		{"APPLICATION/JSON; charset=utf-8", "", JSON, true},
		{"text/html", "", JSON, false},
		{"text/csv;q=0", "", JSON, false},
		{"text/csv;q=nonsense", "", JSON, false},
		{",;/,a/,/b", "", JSON, false},
	} {
		got, err := ParseFormat(c.accept, c.query)
		if got != c.want || (err == nil) != c.ok || err != nil && base.KindOf(err) != base.Invalid {
			t.Errorf("Accept %q, ?format=%q: %v, %v", c.accept, c.query, got, err)
		}
	}
}

func TestColumnTypes(t *testing.T) {
	columns := arrow.NewSchema([]arrow.Field{
		{Name: "h", Type: arrow.PrimitiveTypes.Int64, Metadata: arrow.NewMetadata([]string{schema.TypeKey}, []string{"ENUM('a', 'b')"})},
		{Name: "d", Type: &arrow.Decimal128Type{Precision: 10, Scale: 2}},
		{Name: "o", Type: opaque(fixed16, "hugeint")},
		{Name: "u", Type: arrow.SparseUnionOf(unionFields, []arrow.UnionTypeCode{0, 1})},
		{Name: "l", Type: arrow.ListOf(arrow.FixedWidthTypes.MonthDayNanoInterval)},
		{Name: "t", Type: timestamps(arrow.Nanosecond, "")},
	}, nil)
	var got []string
	for _, f := range columns.Fields() {
		got = append(got, typeName(f))
	}
	want := []string{"ENUM('a', 'b')", "DECIMAL(10,2)", "HUGEINT", "UNION(num INTEGER, str VARCHAR)", "INTERVAL[]", "TIMESTAMP_NS"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzJSONString(f *testing.F) {
	for _, seed := range []string{"", "plain", "\x00\"\\\u2028\xff", "1234567\"", "12345678é"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		text := appendJSONString(nil, s)
		var back string
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%q is written as %s: %v", s, text, err)
		}
		if want := string(appendValid(nil, s)); back != want {
			t.Fatalf("%q reads back as %q", s, back)
		}
		if plain := isPlainJSON(s); plain != plainByByte(s) {
			t.Fatalf("%q is plain: %t", s, plain)
		}
	})
}

func plainByByte(s []byte) bool {
	for _, c := range s {
		if !plainJSON[c] {
			return false
		}
	}
	return true
}
