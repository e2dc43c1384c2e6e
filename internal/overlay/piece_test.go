package overlay

import (
	"context"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// longTexts returns a table with 20,000 rows of 6 KB in a part, and 5,000 such rows in a memtable.
// Half of the rows have a new value in their column of numbers.
func longTexts(f *fixture) *patchedTable {
	p := newPatchedTable(f, newTable(f.t, schema.Of(schema.BigInt), schema.Of(schema.Varchar)), 9)
	p.digits = 6144
	p.addPart(10, 20_000)
	p.addMemtable(11, 5_000)
	for id, rows := range p.rows {
		p.update(id, p.some(id, rows/2), p.now.Schema.Columns[0])
	}
	return p
}

func TestLongTextsAreReadInPieces(t *testing.T) {
	f := newFixture(t)
	p := longTexts(f)
	f.cacheBytes = 10 << 20
	sources := func() (all []lazyRows) {
		r, err := f.overlay.Relation(context.Background(), &p.now, nil, RelationOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		lazyScans.Range(func(_, s any) bool {
			all = s.(*lazyScan).rowsets
			return false
		})
		return all
	}()
	for _, s := range sources {
		id, rows := s.address()
		pieces := 0
		for from := 0; from < len(rows); pieces++ {
			values, err := s.piece(context.Background(), p.now.Schema.Columns, from, len(rows))
			if err != nil {
				t.Fatal(err)
			}
			n := values[0].Len()
			if bytes := n * p.digits; n == 0 || n != values[1].Len() || bytes > pieceBytes+(17<<10)*p.digits || bytes < pieceBytes && from+n < len(rows) {
				t.Fatalf("source %d: %d and %d rows from %d on of %d", id, n, values[1].Len(), from, len(rows))
			}
			from += n
		}
		if want := map[base.RowsetID]int{10: 2, 11: 1}[id]; pieces < want {
			t.Errorf("source %d: %d pieces of %d rows", id, pieces, len(rows))
		}
	}
	queries := func() {
		p.compare("FROM {}")
		p.compare("SELECT v1, max(v0) FROM {} GROUP BY v1 HAVING count(*) = 1")
		p.compare("SELECT * FROM (SELECT source, ordinal, v1 FROM {} LIMIT 20000) ORDER BY ALL LIMIT 0")
		p.compare("SELECT v0 % 1000, list(v1 ORDER BY source, ordinal) FROM {} WHERE v1 LIKE '%77%' GROUP BY ALL")
	}
	queries()
	// Half of the rows also have a new text, which is joined with the others.
	for id, rows := range p.rows {
		p.update(id, p.some(id, rows/2), p.now.Schema.Columns[1])
	}
	queries()
	_, bytes := p.cachedOf(1)
	if room := f.cacheBytes; bytes > room {
		t.Errorf("%d bytes are kept of at most %d", bytes, room)
	}
}

// TestPiecesOfColumnsThatAreReadApart reads a column on its own, because its type changed, together
// with one that takes a whole piece.
func TestPiecesOfColumnsThatAreReadApart(t *testing.T) {
	f := newFixture(t)
	p := newPatchedTable(f, newTable(t, schema.Of(schema.BigInt), schema.Of(schema.Varchar), schema.Of(schema.Date)), 9)
	p.digits = 6144
	p.addPart(10, 15_000)
	p.update(10, p.some(10, 15_000), p.now.Schema.Columns[0])
	next, err := p.now.Schema.ChangeType("v2", schema.Of(schema.Timestamp))
	if err != nil {
		t.Fatal(err)
	}
	p.exec("ALTER TABLE judge ALTER v2 TYPE TIMESTAMP")
	p.now.Schema = next
	p.now.Version++
	f.cacheBytes = 0
	p.compare("FROM {}")
}

// TestPiecesEndWithTheirQuery cancels a query that reads in pieces.
func TestPiecesEndWithTheirQuery(t *testing.T) {
	f := newFixture(t)
	p := longTexts(f)
	f.cacheBytes = 0
	ctx, cancel := context.WithCancelCause(context.Background())
	r, err := f.overlay.Relation(ctx, &p.now, nil, RelationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cancel(base.Errorf(base.Timeout, "enough"))
	// The connection's own query is not affected: the query that reads for it fails.
	rows, err := f.conn.Query(context.Background(), "SELECT sum(hash(v1)) FROM ("+r.SQL+")")
	if err == nil {
		rows.Close()
		t.Fatal("what was canceled is read")
	}
	if base.KindOf(err) != base.Timeout {
		t.Errorf("%v: %v", base.KindOf(err), err)
	}
}
