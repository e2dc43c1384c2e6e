package engine

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/vfs"
	"github.com/scoterdb/scoter/internal/wal"
)

// rowsWithAddresses returns the rows of a table in order, with their addresses.
func rowsWithAddresses(t *testing.T, e *Engine, id base.TableID) []string {
	t.Helper()
	s, err := e.Snapshot(id)
	must(t, err)
	defer s.Release()
	var rows []string
	must(t, eachRow(e, s.Tables[id], func(at base.RowAddress, row map[string]string) {
		rows = append(rows, fmt.Sprint(at, row))
	}))
	return rows
}

// TestALongLogIsReplayedAsItWas replays two segments with many runs of frames. They have
// alternating tables, single rows and many rows, columns that are dictionaries in some frames, one
// batch that is longer than a run, and a table that was truncated in between.
func TestALongLogIsReplayedAsItWas(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	first, err := createNumbers(e, "numbers")
	must(t, err)
	second, err := e.CreateTable(ctx, metrics, false)
	must(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 3000 {
		switch {
		case i == 1000:
			_, err = truncate(e, first.ID)
		case i == 2000:
			err = e.commit(ctx, e.freeze)
		case i%2 == 0:
			_, err = appendNumbers(e, "numbers", fmt.Sprint("w", i%7), i, 1+i%3, AppendOptions{Async: true})
		default:
			rows := 1 + random.IntN(30)
			if i == 1501 {
				rows = runBytes / 25
			}
			_, err = e.Append(ctx, []TableRows{{Table: TableName{"d", "main", "metrics"}, Batches: []arrow.RecordBatch{metricsBatch(random, rows)}}}, AppendOptions{Async: true})
		}
		must(t, err)
	}
	want := [][]string{rowsWithAddresses(t, e, first.ID), rowsWithAddresses(t, e, second.ID)}
	must(t, e.Close())
	e = mustOpen(t, disk)
	for i, table := range []base.TableID{first.ID, second.ID} {
		if got := rowsWithAddresses(t, e, table); !slices.Equal(got, want[i]) {
			t.Errorf("table %d: %d rows, want %d, or others", i, len(got), len(want[i]))
		}
	}
	mustEnd(t, e)
}

// TestAFrameThatIsNoneEndsTheReplay has a payload with a correct checksum between valid frames,
// which is invalid: either it is not a frame, or its rows are not an Arrow stream.
func TestAFrameThatIsNoneEndsTheReplay(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"format": func(b []byte) []byte { b[0] = 77; return b },
		"schema": func(b []byte) []byte {
			return bytes.Replace(b, []byte("\xff\xff\xff\xff"), []byte("\xff\xff\xff\xfe"), 1)
		},
		"rows": func(b []byte) []byte { // another message in place of the end of the stream
			copy(b[len(b)-8:], "\xff\xff\xff\xff\x08\x00\x00\x00")
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			disk := vfs.NewCrashable()
			e := mustOpen(t, disk)
			table, err := createNumbers(e, "numbers")
			must(t, err)
			rowset := base.RowsetID(0)
			for i := range 100 {
				if i == 50 {
					s, err := e.Snapshot(table.ID)
					must(t, err)
					rowset = s.Tables[table.ID].Memtables[0].Rowset
					s.Release()
					must(t, e.commit(ctx, func() error {
						e.seq++
						return e.writeLog([]wal.Frame{{Seq: e.seq, Payload: [][]byte{damage(numbersFrame(t, table.ID, table.Version, rowset))}}}, true)
					}))
				}
				_, err := appendNumbers(e, "numbers", "w", i, 1, AppendOptions{})
				must(t, err)
			}
			must(t, e.Close())
			for range 2 {
				_, err := tryOpen(disk, newManualClock())
				wantKind(t, err, base.Corrupt)
				if !strings.Contains(err.Error(), "segment 1: edit") {
					t.Errorf("error %v", err)
				}
			}
		})
	}
}

// numbersFrame encodes a request with one batch of the test's table.
func numbersFrame(t *testing.T, table base.TableID, version uint32, rowset base.RowsetID) []byte {
	var encoded body
	must(t, encoded.add(numbersBatch("x", 7, 3)))
	r := &request{counts: Counts{Inserted: 3}, tables: []tableRows{{id: table, version: version, rows: make([]*memtable.Rows, 1)}}}
	return append(encodeFrameHeader(r, func(base.TableID) base.RowsetID { return rowset }), slices.Concat(encoded.slices...)...)
}
