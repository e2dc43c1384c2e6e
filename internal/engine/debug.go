package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/mapped"
	"github.com/scoterdb/scoter/internal/schema"
)

// DebugString returns the definitions, the rowsets of every table, and the generations as text.
// Equal states give equal texts. So the text leaves out times, and sizes that vary from run to run.
func (e *Engine) DebugString() string {
	tables := e.Tables()
	views := e.Views()
	schemas := e.Schemas()
	e.mu.RLock()
	defer e.mu.RUnlock()
	var b strings.Builder
	fmt.Fprintf(&b, "seq %d\n", e.seq)
	for _, s := range schemas {
		fmt.Fprintf(&b, "schema %s.%s\n", schema.Quote(s.Database), schema.Quote(s.Name))
	}
	for _, s := range tables {
		t := e.tables[s.ID]
		if t == nil {
			continue // the table was dropped meanwhile
		}
		fmt.Fprintf(&b, "table %d %s version %d", t.id, s.QualifiedName(), s.Version)
		if t.truncatedSeq > 0 {
			fmt.Fprintf(&b, " truncated at %d", t.truncatedSeq)
		}
		if t.dedup != nil {
			fmt.Fprintf(&b, " deduplicated up to %d", t.dedup.dedupedThrough)
		}
		b.WriteByte('\n')
		for _, c := range s.Columns {
			fmt.Fprintf(&b, "  column %d %s %s\n", c.ID, schema.Quote(c.Name), c.Type)
		}
		for _, p := range t.current.parts {
			fmt.Fprintf(&b, "  part %d version %d rows %d level %d seq %d-%d", p.ID, p.SchemaVersion, p.Rows, p.Level, p.MinSeq, p.MaxSeq)
			if p.Partition != "" {
				fmt.Fprintf(&b, " partition %s", p.Partition)
			}
			writePatches(&b, t, p.ID)
			b.WriteByte('\n')
		}
		for _, r := range t.current.memtables {
			v := r.mem.View()
			fmt.Fprintf(&b, "  memtable %d generation %d version %d rows %d batches %d", v.Rowset, r.generation, v.Schema.Version, v.Rows, len(v.Batches))
			writePatches(&b, t, v.Rowset)
			b.WriteByte('\n')
		}
	}
	for _, v := range views {
		fmt.Fprintf(&b, "view %s.%s.%s AS %s\n", schema.Quote(v.Name.Database), schema.Quote(v.Name.Schema), schema.Quote(v.Name.Name), v.SQL)
	}
	for _, id := range slices.Sorted(maps.Keys(e.sources)) {
		s := e.sources[id]
		fmt.Fprintf(&b, "source %d %s", id, schema.Quote(s.Name.Name))
		if s.Paused {
			b.WriteString(" paused")
		}
		b.WriteByte('\n')
		for _, o := range s.offsets.sorted() {
			fmt.Fprintf(&b, "  topic %s %x partition %d next %d epoch %d\n", o.Topic, o.TopicID[:1], o.Partition, o.Next, o.Epoch)
		}
	}
	for _, g := range e.generations {
		fmt.Fprintf(&b, "generation %d frozen: %d frames, %d keys, tables %v\n", g.segment, g.frames, len(g.keys), g.tables())
	}
	if e.active != nil {
		fmt.Fprintf(&b, "generation %d active: %d frames, %d keys, tables %v\n", e.active.segment, e.active.frames, len(e.active.keys), e.active.tables())
	}
	e.keysMu.Lock()
	defer e.keysMu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(e.keys)) {
		c := e.keys[key]
		fmt.Fprintf(&b, "key %q rows %d seq %d\n", key, c.result.Rows(), c.result.Seq)
	}
	if err := e.failure.Load(); err != nil {
		fmt.Fprintf(&b, "%v\n", err)
	}
	return b.String()
}

// writePatches writes how many rows of a rowset are deleted or have new values, as text.
func writePatches(b *strings.Builder, t *table, rowset base.RowsetID) {
	set := t.patches[rowset]
	if set == nil {
		return
	}
	fmt.Fprintf(b, " deleted %d patched %d", set.DeletedRows(), set.PatchedRows())
	if n := len(t.catalogPatches[rowset]); n > 0 {
		fmt.Fprintf(b, " patches %d", n)
	}
}

// Status is a short summary of the engine's state for operators.
type Status struct {
	// MemoryBytes is the memory of memtables, running requests and changes of rows, in bytes.
	MemoryBytes int64
	KeyBytes    int64 // memory of the key indexes of parts, in bytes
	// MappedBytes is the memory mapped from the operating system for rows, including unused memory.
	MappedBytes  int64
	Generations  int   // number of generations that are frozen and not flushed yet
	Refusing     error // error that all writes get at present; nil if writes succeed
	FlushFailing error // error of the last flush; nil if it succeeded
	DamagedParts int   // number of parts in which damage was found
	ScrubBytes   int64 // number of bytes that the scrubber has read since Open
}

// Status returns the present state of the engine.
func (e *Engine) Status() Status {
	s := Status{MemoryBytes: e.memory.Rows.Used(), MappedBytes: mapped.Shared.Bytes()}
	_, s.KeyBytes = e.keyFinder.Cached()
	e.mu.RLock()
	s.Generations = len(e.generations)
	s.DamagedParts, s.ScrubBytes = len(e.files.Damaged()), e.scrubBytes.Load()
	e.mu.RUnlock()
	if err := e.flushFailure.Load(); err != nil {
		s.FlushFailing = err
		if e.starved() {
			s.Refusing = base.Wrap(err, "no memory for more rows, because rows in memory cannot be written to disk")
		}
	}
	if err := e.refusal.Load(); err != nil {
		s.Refusing = err
	}
	if err := e.failure.Load(); err != nil {
		s.Refusing = err
	}
	return s
}
