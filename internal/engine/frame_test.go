package engine

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// everyType is a table that has a column for every way in which values are stored.
var everyType = schema.Table{Database: "d", Schema: "main", Name: "every", Columns: []schema.Column{
	{Name: "b", Type: schema.Of(schema.Boolean)},
	{Name: "i", Type: schema.Of(schema.SmallInt)},
	{Name: "u", Type: schema.Of(schema.UBigInt)},
	{Name: "f", Type: schema.Of(schema.Float)},
	{Name: "dec", Type: schema.DecimalOf(38, 3)},
	{Name: "s", Type: schema.Of(schema.Varchar)},
	{Name: "j", Type: schema.Of(schema.JSON)},
	{Name: "blob", Type: schema.Of(schema.Blob)},
	{Name: "uuid", Type: schema.Of(schema.UUID)},
	{Name: "day", Type: schema.Of(schema.Date)},
	{Name: "clock", Type: schema.Of(schema.Time)},
	{Name: "at", Type: schema.Of(schema.TimestampTZ)},
	{Name: "ns", Type: schema.Of(schema.TimestampNS)},
	{Name: "l", Type: schema.ListOf(schema.Of(schema.Varchar))},
	{Name: "st", Type: schema.StructOf(schema.Field{Name: "x", Type: schema.Of(schema.Double)}, schema.Field{Name: "y", Type: schema.ListOf(schema.Of(schema.Boolean))})},
	{Name: "m", Type: schema.MapOf(schema.Of(schema.Varchar), schema.Of(schema.Integer))},
}}

const everyRow = `{"b":true,"i":-7,"u":18446744073709551615,"f":0.5,"dec":"12345678901234567890.125","s":"text","j":"[1]","blob":"AAEC",
	"uuid":"00000000-0000-0000-0000-000000000007","day":"2024-02-29","clock":"12:34:56.000001","at":"2024-02-29T12:34:56.000001Z","ns":"2024-02-29T12:34:56.000000001",
	"l":["a",null,""],"st":{"x":1.5,"y":[true,null]},"m":[{"key":"k","value":1}]}`

func TestRowsOfEveryTypeSurviveTheLogAndTheFlush(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	must(t, e.CreateDatabase(ctx, "d", false))
	table, err := e.CreateTable(ctx, everyType, false)
	must(t, err)
	text := "[" + everyRow + ",{}," + strings.Repeat(everyRow+",", 3) + "{}]"
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, table.Arrow(), strings.NewReader(text))
	must(t, err)
	for _, cut := range [][2]int64{{0, 6}, {1, 2}, {3, 6}} {
		_, err := e.Append(ctx, []TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{record.NewSlice(cut[0], cut[1])}}}, AppendOptions{})
		must(t, err)
	}
	read := func(e *Engine) []string {
		s, err := e.Snapshot(table.ID)
		must(t, err)
		defer s.Release()
		rows, err := rowsOf(e, s.Tables[table.ID])
		must(t, err)
		return rows
	}
	want := read(e)
	if len(want) != 10 || !strings.Contains(want[9], "12345678901234567890.125") {
		t.Fatalf("rows before: %q", want)
	}
	crashed := mustOpen(t, disk.CrashClone(rand.New(rand.NewPCG(1, 1)), 0))
	if got := read(crashed); !slices.Equal(got, want) {
		t.Fatalf("rows after a crash:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	must(t, crashed.Flush(ctx))
	if got := read(crashed); !slices.Equal(got, want) {
		t.Fatalf("rows after the flush:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	mustEnd(t, crashed)
	mustEnd(t, e)
}

var testProgress = &Progress{Source: 4, Ranges: []OffsetRange{
	{Topic: "t", TopicID: [16]byte{1, 15: 2}, Partition: 1 << 20, From: 1 << 40, Next: 1<<40 + 1, Epoch: -1, Reset: true},
	{Topic: "", From: 0, Next: 0, Epoch: 1<<31 - 1},
}}

// frameOf returns the encoded frame of a request with two batches of one table.
func frameOf(t testing.TB) []byte {
	var encoded body
	must(t, encoded.add(numbersBatch("a", 0, 3)))
	must(t, encoded.add(numbersBatch("b", 0, 2)))
	r := &request{counts: Counts{Inserted: 2, Updated: 1, Deleted: 2}, idempotency: &idempotencyRecord{key: "k", hash: []byte{1, 2}, expires: time.UnixMicro(7)},
		tables: []tableRows{{id: 3, version: 2, rows: make([]*memtable.Rows, 2)}}}
	r.progress = testProgress
	return append(encodeFrameHeader(r, func(base.TableID) base.RowsetID { return 9 }), bytes.Join(encoded.slices, nil)...)
}

func TestFramesAreReadAsTheyWereWritten(t *testing.T) {
	f, err := decodeFrame(frameOf(t))
	must(t, err)
	if f.key != "k" || !bytes.Equal(f.hash, []byte{1, 2}) || f.counts != (Counts{Inserted: 2, Updated: 1, Deleted: 2}) || f.expires.UnixMicro() != 7 || len(f.tables) != 1 || f.tables[0] != (frameTable{3, 2, 9, 2}) {
		t.Fatalf("header %+v", f)
	}
	if !reflect.DeepEqual(f.progress, testProgress) {
		t.Fatalf("progress %+v", f.progress)
	}
	rows := 0
	must(t, f.eachStream(func(_ frameTable, stream []byte) error {
		record, err := decodeBatch(stream)
		must(t, err)
		rows += int(record.NumRows())
		record.Release()
		return nil
	}))
	if rows != 5 {
		t.Fatalf("%d rows", rows)
	}
}

// TestARequestIsMeasuredAsItIsEncoded prepares a request whose estimated size is 0, but whose
// encoded size exceeds a frame. It must be refused before the log, where it would fail its whole
// group. To save memory it consists of the same batch of zeros many times.
func TestARequestIsMeasuredAsItIsEncoded(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	const bytes = 64 << 20
	column := array.NewInt64Data(array.NewData(arrow.PrimitiveTypes.Int64, bytes/8, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, bytes))}, nil, 0, 0))
	zeros := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{column}, bytes/8)
	for _, c := range []struct {
		batches int
		long    bool
	}{{1, false}, {maxBodyBytes/bytes + 1, true}} {
		p := preparation{request: newRequest(AppendOptions{}), patches: slices.Repeat([]arrow.RecordBatch{zeros}, c.batches)}
		err := e.fill(ctx, &p, nil)
		if c.long {
			wantKind(t, err, base.TooLarge)
			continue
		}
		must(t, err)
		if used := e.memory.Rows.Used(); used < bytes {
			t.Errorf("%d bytes are charged", used)
		}
		p.request.release()
	}
	mustEnd(t, e)
}

// TestFramesOfEarlierFormatsAreRead reads frames of formats 1 and 2. They have one row count, and
// in format 1 the tables end the header.
func TestFramesOfEarlierFormatsAreRead(t *testing.T) {
	r := &request{counts: Counts{Inserted: 5}, tables: []tableRows{{id: 3, version: 2}}}
	now := encodeFrameHeader(r, func(base.TableID) base.RowsetID { return 9 })
	second := append([]byte{2}, now[1:4]...) // without the counts of updated and deleted rows
	second = append(second, now[6:]...)
	first := append([]byte{1}, second[1:len(second)-1]...) // without sections
	for _, payload := range [][]byte{first, second} {
		f, err := decodeFrame(payload)
		must(t, err)
		if f.counts != (Counts{Inserted: 5}) || len(f.tables) != 1 || f.tables[0] != (frameTable{3, 2, 9, 0}) || f.progress != nil || len(f.body) != 0 {
			t.Fatalf("format %d: %+v", payload[0], f)
		}
	}
}

func TestSectionsThatDoNotFitAreCorrupt(t *testing.T) {
	header := encodeFrameHeader(&request{}, nil)
	header = header[:len(header)-1]
	good := testProgress.encode()
	for name, sections := range map[string][]byte{
		"unknown tag":   appendSection([]byte{1}, 99, nil),
		"missing":       {1},
		"cut":           appendSection([]byte{1}, sectionProgress, good)[:20],
		"too short":     appendSection([]byte{1}, sectionProgress, good[:len(good)-1]),
		"too long":      appendSection([]byte{1}, sectionProgress, append(good, 0)),
		"second of two": appendSection([]byte{2}, sectionProgress, good),
	} {
		_, err := decodeFrame(append(bytes.Clone(header), sections...))
		if err == nil || base.KindOf(err) != base.Corrupt {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzFrame(f *testing.F) {
	good := frameOf(f)
	f.Add(good)
	f.Add(good[:30])
	f.Add([]byte{frameFormat, 0, 0, 0, 0, 1, 1, 1, 1, 1, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, payload []byte) {
		decoded, err := decodeFrame(payload)
		if err == nil {
			err = decoded.eachStream(func(_ frameTable, stream []byte) error {
				if len(stream) > len(payload) {
					t.Fatalf("a batch of %d bytes in a frame of %d", len(stream), len(payload))
				}
				return nil
			})
		}
		var e *base.Error
		if err != nil && (!errors.As(err, &e) || e.Kind != base.Corrupt) {
			t.Fatalf("error %v", err)
		}
	})
}
