package catalog

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/ncruces/go-sqlite3"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// maxFindings is the maximum number of violations that Check lists.
const maxFindings = 100

// Check reads the whole catalog file and verifies that its content is consistent. If not, the error
// is Corrupt and lists the violations.
func (c *Catalog) Check() error { return c.read("check", c.check) }

func (c *Catalog) check() error {
	var findings []string
	err := c.query(fmt.Sprintf(`PRAGMA integrity_check(%d)`, maxFindings), func(row *sqlite3.Stmt) error {
		if text := row.ColumnText(0); text != "ok" {
			findings = append(findings, text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = c.query(`PRAGMA foreign_key_check`, func(row *sqlite3.Stmt) error {
		findings = append(findings, fmt.Sprintf("a row of %s refers to a missing row of %s", row.ColumnText(0), row.ColumnText(2)))
		return nil
	})
	if err != nil {
		return err
	}
	state, err := c.load()
	if err != nil {
		return err
	}
	findings = append(findings, state.findings()...)
	if len(findings) > 0 {
		return base.Errorf(base.Corrupt, "%d findings: %q", len(findings), findings[:min(len(findings), maxFindings)])
	}
	return nil
}

// findings lists the rules that a catalog's content violates, apart from those that exportFindings,
// expressionFindings and patchFindings check.
func (s State) findings() (all []string) {
	report := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, t := range s.Tables {
		if t.Schema.ID >= s.Counters.NextTable {
			report("table %d is not below the next id %d", t.Schema.ID, s.Counters.NextTable)
		}
		if t.TruncatedSeq >= s.Counters.NextSeq {
			report("table %d is truncated at %d, not below the next sequence number %d", t.Schema.ID, t.TruncatedSeq, s.Counters.NextSeq)
		}
		if t.DedupedSeq >= s.Counters.NextSeq {
			report("table %d is deduplicated up to %d, not below the next sequence number %d", t.Schema.ID, t.DedupedSeq, s.Counters.NextSeq)
		}
	}
	for _, stream := range s.Sources {
		if stream.ID >= s.Counters.NextSource {
			report("source %d is not below the next id %d", stream.ID, s.Counters.NextSource)
		}
	}
	for _, o := range s.Offsets {
		if o.Next < 0 || o.Partition < 0 || o.Epoch < -1 {
			report("source %d topic %q partition %d: offset %d, epoch %d", o.Source, o.Topic, o.Partition, o.Next, o.Epoch)
		}
	}
	for _, p := range s.Parts {
		if p.ID >= s.Counters.NextRowset {
			report("part %d is not below the next id %d", p.ID, s.Counters.NextRowset)
		}
		if p.Rows <= 0 || p.Bytes <= 0 || p.MinSeq > p.MaxSeq || p.Level < 0 {
			report("part %d: rows %d, bytes %d, seq %d to %d, level %d", p.ID, p.Rows, p.Bytes, p.MinSeq, p.MaxSeq, p.Level)
		}
		versions := s.TableVersions[p.Table]
		i := slices.IndexFunc(versions, func(t schema.Table) bool { return t.Version == p.SchemaVersion })
		if i < 0 {
			report("part %d: table %d has no version %d", p.ID, p.Table, p.SchemaVersion)
			continue
		}
		for column, stats := range p.Stats {
			if versions[i].ColumnByID(column) < 0 {
				report("part %d: statistics of column %d, which its table does not have", p.ID, column)
			}
			if order, ok := stats.Min.Compare(stats.Max); stats.Nulls < 0 || stats.Nulls > p.Rows || ok && order > 0 {
				report("part %d column %d: min %s, max %s, nulls %d of %d", p.ID, column, stats.Min, stats.Max, stats.Nulls, p.Rows)
			}
		}
	}
	return slices.Concat(all, s.patchFindings(), s.expressionFindings(), s.exportFindings())
}

// Inspect prints the catalog as text. Equal contents give equal text.
func (c *Catalog) Inspect(w io.Writer) error {
	state, err := c.State()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, state.String())
	return err
}

// String returns the text that Inspect prints.
func (s State) String() string {
	b := fmt.Appendf(nil, "flushed through segment %d; next table %d, rowset %d, seq %d, source %d\n",
		s.FlushedThrough, s.Counters.NextTable, s.Counters.NextRowset, s.Counters.NextSeq, s.Counters.NextSource)
	for _, name := range s.Databases {
		b = fmt.Appendf(b, "database %q\n", name)
	}
	for _, name := range s.Schemas {
		b = fmt.Appendf(b, "schema %q.%q\n", name.Database, name.Name)
	}
	for _, t := range s.Tables {
		b = fmt.Appendf(b, "table %d %s version %d", t.Schema.ID, t.Schema.QualifiedName(), t.Schema.Version)
		if t.TruncatedSeq > 0 {
			b = fmt.Appendf(b, " truncated at %d", t.TruncatedSeq)
		}
		if t.DedupedSeq > 0 {
			b = fmt.Appendf(b, " deduplicated up to %d", t.DedupedSeq)
		}
		b = append(b, '\n')
		for _, column := range t.Schema.Columns {
			b = fmt.Appendf(b, "  column %d %q %s\n", column.ID, column.Name, column.Type)
		}
	}
	for _, v := range s.Views {
		b = fmt.Appendf(b, "view %q.%q.%q: %s\n", v.Name.Database, v.Name.Schema, v.Name.Name, v.SQL)
	}
	for _, stream := range s.Sources {
		b = fmt.Appendf(b, "source %d %q.%q.%q", stream.ID, stream.Name.Database, stream.Name.Schema, stream.Name.Name)
		if stream.Paused {
			b = append(b, " paused"...)
		}
		b = append(b, '\n')
	}
	for _, o := range s.Offsets {
		b = fmt.Appendf(b, "offset of source %d topic %q %x partition %d: next %d, epoch %d\n", o.Source, o.Topic, o.TopicID, o.Partition, o.Next, o.Epoch)
	}
	for _, x := range s.Exports {
		b = x.appendText(b)
	}
	for _, o := range s.ExportObjects {
		b = o.appendText(b)
	}
	for _, p := range s.Parts {
		b = fmt.Appendf(b, "part %d of table %d version %d partition %q level %d: rows %d, bytes %d, checksum %08x, seq %d to %d\n",
			p.ID, p.Table, p.SchemaVersion, p.Partition, p.Level, p.Rows, p.Bytes, p.Checksum, p.MinSeq, p.MaxSeq)
		for _, id := range slices.Sorted(maps.Keys(p.Stats)) {
			b = fmt.Appendf(b, "  column %d: min %s, max %s, nulls %d\n", id, p.Stats[id].Min, p.Stats[id].Max, p.Stats[id].Nulls)
		}
	}
	for _, d := range s.Deletions {
		b = fmt.Appendf(b, "part %d: %d rows deleted\n", d.Part, d.Rows)
	}
	for _, p := range s.Patches {
		where := "in a file"
		if len(p.Content) > 0 {
			where = "here"
		}
		b = fmt.Appendf(b, "patch %d of part %d version %d columns %v: rows %d, bytes %d %s, checksum %08x, seq %d\n",
			p.ID, p.Part, p.SchemaVersion, p.Columns, p.Rows, p.Bytes, where, p.Checksum, p.Seq)
	}
	for _, x := range s.Expressions {
		b = fmt.Appendf(b, "expression %d of table %d version %d: %s\n", x.Seq, x.Table, x.SchemaVersion, x.Content)
	}
	for _, k := range s.Keys {
		b = fmt.Appendf(b, "key %q expires %s\n", k.Key, k.Expires.Format("2006-01-02T15:04:05.000000Z"))
	}
	return string(b)
}
