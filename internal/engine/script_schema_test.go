package engine

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/cockroachdb/datadriven"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
)

// create-database d [if-not-exists]
func (s *script) createDatabase(d *datadriven.TestData) (string, error) {
	return "", s.engine.CreateDatabase(ctx, d.CmdArgs[0].Key, d.HasArg("if-not-exists"))
}

// drop-database d [cascade]
func (s *script) dropDatabase(d *datadriven.TestData) (string, error) {
	return "", s.engine.DropDatabase(ctx, d.CmdArgs[0].Key, d.HasArg("cascade"))
}

// create t [sort=(a, b)] [partition=a] [key=(a, b)] [merge-on-read] [version=c] [is-deleted=e]
//
// The input has one column per line: name TYPE [NOT NULL].
func (s *script) createTable(d *datadriven.TestData) (string, error) {
	n := nameOf(d)
	t := schema.Table{Database: n.Database, Schema: n.Schema, Name: n.Name, MergeOnRead: d.HasArg("merge-on-read")}
	for line := range strings.Lines(d.Input) {
		name, typeName, _ := strings.Cut(strings.TrimSpace(line), " ")
		typeName, notNull := strings.CutSuffix(typeName, " NOT NULL")
		parsed, err := schema.Parse(typeName)
		if err != nil {
			return "", err
		}
		t.Columns = append(t.Columns, schema.Column{Name: name, Type: parsed, NotNull: notNull})
	}
	// New numbers the columns from 1. A column that does not exist gets the number 0.
	column := func(name string) base.ColumnID { return base.ColumnID(t.ColumnIndex(name) + 1) }
	for _, name := range values(d, "sort") {
		t.SortKey = append(t.SortKey, schema.SortField{Column: column(name)})
	}
	for _, name := range values(d, "partition") {
		t.PartitionBy = append(t.PartitionBy, schema.PartitionField{Column: column(name)})
	}
	for _, name := range values(d, "key") {
		t.PrimaryKey = append(t.PrimaryKey, column(name))
	}
	t.RowVersion, t.IsDeleted = column(arg(d, "version")), column(arg(d, "is-deleted"))
	created, err := s.engine.CreateTable(ctx, t, d.HasArg("if-not-exists"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("table %d", created.ID), nil
}

// drop t
func (s *script) drop(d *datadriven.TestData) (string, error) {
	t, err := s.table(d)
	if err != nil {
		return "", err
	}
	return "", s.engine.DropTable(ctx, t.ID)
}

// truncate t
func (s *script) truncate(d *datadriven.TestData) (string, error) {
	t, err := s.table(d)
	if err != nil {
		return "", err
	}
	rows, err := truncate(s.engine, t.ID)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("rows %d", rows), nil
}

// alter t add=(a BIGINT) | drop=a | rename=(a,b) | type=(a,DOUBLE) | table=u
func (s *script) alter(d *datadriven.TestData) (string, error) {
	t, err := s.table(d)
	if err != nil {
		return "", err
	}
	change := d.CmdArgs[1]
	t, err = s.engine.AlterTable(ctx, t.ID, func(t schema.Table) (schema.Table, error) {
		switch change.Key {
		case "add":
			name, typeName, _ := strings.Cut(change.Vals[0], " ")
			parsed, err := schema.Parse(typeName)
			if err != nil {
				return t, err
			}
			return t.AddColumns(schema.Column{Name: name, Type: parsed})
		case "drop":
			return t.DropColumn(change.Vals[0])
		case "rename":
			return t.RenameColumn(change.Vals[0], change.Vals[1])
		case "type":
			parsed, err := schema.Parse(change.Vals[1])
			if err != nil {
				return t, err
			}
			return t.ChangeType(change.Vals[0], parsed)
		case "table":
			return t.Rename(change.Vals[0])
		}
		return t, fmt.Errorf("unknown change %s", change.Key)
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("version %d", t.Version), nil
}

// view v [replace]
//
// The input is the view's query.
func (s *script) view(d *datadriven.TestData) (string, error) {
	return "", s.engine.PutView(ctx, catalog.View{Name: catalog.ViewName(nameOf(d)), SQL: strings.TrimSpace(d.Input)}, d.HasArg("replace"))
}

// create-source s [if-not-exists]
func (s *script) createSource(d *datadriven.TestData) (string, error) {
	created, err := s.engine.CreateSource(ctx, catalog.Source{Name: catalog.SourceName(nameOf(d)), Definition: []byte("{}")}, d.HasArg("if-not-exists"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("source %d", created.ID), nil
}

// drop-source s
func (s *script) dropSource(d *datadriven.TestData) (string, error) {
	source, err := s.engine.LookupSource(catalog.SourceName(nameOf(d)))
	if err != nil {
		return "", err
	}
	return "", s.engine.DropSource(ctx, source.ID)
}

// pause-source s
func (s *script) pauseSource(d *datadriven.TestData) (string, error) {
	source, err := s.engine.LookupSource(catalog.SourceName(nameOf(d)))
	if err != nil {
		return "", err
	}
	_, err = s.engine.ChangeSource(ctx, source.ID, func(s catalog.Source) catalog.Source {
		s.Paused = true
		return s
	})
	return "", err
}

// progress id partition=0 from=0 next=5 [topic=1] [reset] [into=(t, u)]
//
// The first argument is the id of the source. The input has one JSON object per line, for the
// column a INTEGER of each table.
func (s *script) progress(d *datadriven.TestData) (string, error) {
	var id uint32
	if _, err := fmt.Sscan(d.CmdArgs[0].Key, &id); err != nil {
		return "", err
	}
	var n [4]int64
	for i, key := range []string{"partition", "from", "next", "topic"} {
		if d.HasArg(key) {
			d.ScanArgs(s.t, key, &n[i])
		}
	}
	var tables []TableRows
	for _, name := range values(d, "into") {
		record, err := batchOfJSON("a INTEGER", d.Input)
		if err != nil {
			return "", err
		}
		tables = append(tables, TableRows{Table: TableName{"d", "main", name}, Batches: []arrow.RecordBatch{record}})
	}
	r, err := s.engine.Append(ctx, tables, AppendOptions{Progress: &Progress{Source: base.SourceID(id), Ranges: []OffsetRange{
		{Topic: "topic", TopicID: [16]byte{byte(n[3])}, Partition: int32(n[0]), From: n[1], Next: n[2], Epoch: -1, Reset: d.HasArg("reset")}}}})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("rows %d seq %d", r.Rows(), r.Seq), nil
}
