package system

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/export"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/merge"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/stream"
)

// Store is the part of the engine that the system tables read.
type Store interface {
	Databases() []string
	Schemas() []catalog.SchemaName
	Tables() []schema.Table
	Views() []catalog.View
	Snapshot(ids ...base.TableID) (*snapshot.Snapshot, error)
	Patches() []engine.StoredPatch
	PartHealths() []engine.PartHealth
}

// Setting is a setting of the server. It becomes a row of scoter.settings, with its name and value.
type Setting struct {
	Name, Value string
	Path        bool // whether the value is a path on the server, which only administrators may see
}

// Tables provides the rows of the system tables.
type Tables struct {
	store    Store
	queries  *Queries
	settings []Setting
	dir      string
	merges   func() []merge.Merge
	sources  func() []stream.Status
	exports  func() []export.Status
	memory   func() []ledger.Stats
}

// NewTables returns the system tables. dir is the data directory, and settings are the settings of
// the process. The last four arguments are functions: merges lists the running and the latest
// merges, sources the Kafka sources, exports the exports, and memory the accounts of memory.
func NewTables(store Store, queries *Queries, dir string, settings []Setting, merges func() []merge.Merge, sources func() []stream.Status,
	exports func() []export.Status, memory func() []ledger.Stats) *Tables {
	return &Tables{store, queries, settings, dir, merges, sources, exports, memory}
}

// relation is a system table: its columns (as "name TYPE"), and the function that returns its rows.
type relation struct {
	columns []string
	rows    func(t *Tables, who asker) ([][]string, error)
}

// asker is the caller whose query reads a system table.
type asker struct {
	database string // the database in which the statement runs
	admin    bool   // whether the caller may see paths on the server
}

// relations has all system tables, by schema.name. Each value of a row is an SQL expression as
// text, such as 'abc', 5 or NULL.
var relations = map[string]relation{
	"scoter.databases": {[]string{"database_name VARCHAR"}, (*Tables).databases},
	"scoter.tables": {[]string{"database_name VARCHAR", "schema_name VARCHAR", "table_name VARCHAR", "table_id BIGINT",
		"rows BIGINT", "bytes BIGINT", "parts BIGINT", "memtable_rows BIGINT", "definition VARCHAR"}, (*Tables).tables},
	"scoter.columns": {[]string{"database_name VARCHAR", "schema_name VARCHAR", "table_name VARCHAR", "column_name VARCHAR", "column_id BIGINT",
		"position BIGINT", "data_type VARCHAR", "nullable BOOLEAN", "default_value VARCHAR", "sort_position BIGINT"}, (*Tables).columns},
	"scoter.parts": {[]string{"database_name VARCHAR", "schema_name VARCHAR", "table_name VARCHAR", "part_id BIGINT", "partition VARCHAR", "rows BIGINT",
		"bytes BIGINT", "level BIGINT", "schema_version BIGINT", "min_seq BIGINT", "max_seq BIGINT", "created TIMESTAMPTZ", "path VARCHAR",
		"deleted_rows BIGINT", "patched_rows BIGINT", "patch_bytes BIGINT"}, (*Tables).parts},
	"scoter.patches": {[]string{"database_name VARCHAR", "schema_name VARCHAR", "table_name VARCHAR", "source_id BIGINT", "in_memtable BOOLEAN",
		"column_names VARCHAR[]", "updated_rows BIGINT", "deleted_rows BIGINT", "bytes BIGINT", "storage VARCHAR", "created TIMESTAMPTZ",
		"path VARCHAR", "expression VARCHAR"}, (*Tables).patches},
	"scoter.scrub": {[]string{"database_name VARCHAR", "schema_name VARCHAR", "table_name VARCHAR", "part_id BIGINT", "rows BIGINT", "bytes BIGINT",
		"verified TIMESTAMPTZ", "damaged BOOLEAN", "damage_offset BIGINT", "damage VARCHAR"}, (*Tables).scrub},
	"scoter.queries": {[]string{"query_id BIGINT", "started TIMESTAMPTZ", "elapsed_ms DOUBLE", "database_name VARCHAR", "user_name VARCHAR", "sql VARCHAR"},
		(*Tables).runningQueries},
	"scoter.merges": {[]string{"table_name VARCHAR", "partition VARCHAR", "sources BIGINT", "rows BIGINT", "bytes BIGINT", "started TIMESTAMPTZ",
		"finished TIMESTAMPTZ", "error VARCHAR"}, (*Tables).listMerges},
	"scoter.sources": {[]string{"database_name VARCHAR", "schema_name VARCHAR", "source_name VARCHAR", "source_id BIGINT", "state VARCHAR", "error VARCHAR",
		"error_at TIMESTAMPTZ", "lag BIGINT", "lag_seconds DOUBLE", "messages BIGINT", "rows BIGINT", "bytes BIGINT", "dead_letters BIGINT",
		"errors BIGINT", "messages_per_second DOUBLE", "rows_per_second DOUBLE", "bytes_per_second DOUBLE", "queue_bytes BIGINT", "created TIMESTAMPTZ", "definition VARCHAR"}, (*Tables).listSources},
	"scoter.source_partitions": {[]string{"database_name VARCHAR", "schema_name VARCHAR", "source_name VARCHAR", "topic VARCHAR", "partition INTEGER",
		"next_offset BIGINT", "end_offset BIGINT"}, (*Tables).listPartitions},
	"scoter.exports": {[]string{"database_name VARCHAR", "schema_name VARCHAR", "export_name VARCHAR", "export_id BIGINT", "table_name VARCHAR", "state VARCHAR",
		"error VARCHAR", "error_at TIMESTAMPTZ", "errors BIGINT", "due BIGINT", "due_since TIMESTAMPTZ", "last_export TIMESTAMPTZ", "objects BIGINT", "rows BIGINT",
		"bytes BIGINT", "created TIMESTAMPTZ", "definition VARCHAR"}, (*Tables).listExports},
	"scoter.export_objects": {[]string{"database_name VARCHAR", "schema_name VARCHAR", "export_name VARCHAR", "partition VARCHAR", "generation BIGINT",
		"rows BIGINT", "bytes BIGINT", "exported TIMESTAMPTZ", "closed BOOLEAN", "path VARCHAR"}, (*Tables).listExportObjects},
	"scoter.memory": {[]string{"account VARCHAR", "parent VARCHAR", "used_bytes BIGINT", "limit_bytes BIGINT", "peak_bytes BIGINT", "waiting BIGINT",
		"waited_ms DOUBLE", "refused BIGINT"}, (*Tables).listMemory},
	// This table is always empty. A database that has dead letters has a view of the same name,
	// which returns them.
	"scoter.dead_letters": {stream.DeadLetterColumns(), none},
	"scoter.settings":     {[]string{"name VARCHAR", "value VARCHAR"}, (*Tables).listSettings},
	"scoter.show_tables":  {[]string{"name VARCHAR", "schema_name VARCHAR"}, (*Tables).showTables},
	"scoter.show_schemas": {[]string{"database_name VARCHAR", "schema_name VARCHAR", "current BOOLEAN"}, (*Tables).showSchemas},
	"information_schema.tables": {[]string{"table_catalog VARCHAR", "table_schema VARCHAR", "table_name VARCHAR", "table_type VARCHAR"},
		(*Tables).informationTables},
	"information_schema.columns": {[]string{"table_catalog VARCHAR", "table_schema VARCHAR", "table_name VARCHAR", "column_name VARCHAR",
		"ordinal_position INTEGER", "column_default VARCHAR", "is_nullable VARCHAR", "data_type VARCHAR"}, (*Tables).informationColumns},
	"information_schema.schemata": {[]string{"catalog_name VARCHAR", "schema_name VARCHAR"}, (*Tables).schemata},
}

// Relation returns the query that yields the rows of a system table. It returns false if there is
// no such table. database is the database in which the statement runs. Only administrators may see
// paths on the server.
func (t *Tables) Relation(schemaName, name, database string, admin bool) (string, bool, error) {
	r, ok := relations[schemaName+"."+name]
	if !ok {
		var others []string
		for full := range relations {
			if other, ok := strings.CutPrefix(full, schemaName+"."); ok && !strings.HasPrefix(other, "show_") {
				others = append(others, other)
			}
		}
		if others == nil {
			return "", false, nil
		}
		slices.Sort(others)
		return "", true, base.Errorf(base.NotFound, "system table %s.%s does not exist", schemaName, name).WithHint("%s has %s", schemaName, strings.Join(others, ", "))
	}
	rows, err := r.rows(t, asker{database, admin})
	if err != nil {
		return "", true, base.Wrap(err, "%s.%s", schemaName, name)
	}
	casts := make([]string, len(r.columns))
	for i, c := range r.columns {
		column, typ, _ := strings.Cut(c, " ")
		casts[i] = "CAST(c" + strconv.Itoa(i) + " AS " + typ + ") AS " + schema.Quote(column)
	}
	var b strings.Builder
	b.WriteString("SELECT " + strings.Join(casts, ", ") + " FROM (VALUES ")
	for i, row := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("(" + strings.Join(row, ", ") + ")")
	}
	if len(rows) == 0 {
		b.WriteString("(" + strings.TrimSuffix(strings.Repeat("NULL, ", len(r.columns)), ", ") + ")")
	}
	b.WriteString(") AS v(")
	for i := range r.columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("c" + strconv.Itoa(i))
	}
	b.WriteString(")")
	if len(rows) == 0 {
		b.WriteString(" WHERE false")
	}
	return b.String(), true, nil
}

func text(s string) string { return schema.QuoteString(s) }

func optional(s string) string {
	if s == "" {
		return "NULL"
	}
	return text(s)
}

func number[T ~int | ~int64 | ~uint32 | ~uint64](n T) string { return strconv.FormatInt(int64(n), 10) }

func moment(t time.Time) string {
	if t.IsZero() {
		return "NULL"
	}
	return text(t.UTC().Format("2006-01-02 15:04:05.000000-07:00"))
}

func (t *Tables) databases(asker) (rows [][]string, err error) {
	for _, d := range t.store.Databases() {
		rows = append(rows, []string{text(d)})
	}
	return rows, nil
}

func names(t schema.Table) []string { return []string{text(t.Database), text(t.Schema), text(t.Name)} }

// each calls f with every table of the database. All are from the same snapshot.
func (t *Tables) each(f func(*snapshot.Table)) error {
	snap, err := t.store.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Release()
	for _, s := range t.store.Tables() {
		if seen := snap.Tables[s.ID]; seen != nil {
			f(seen)
		}
	}
	return nil
}

func (t *Tables) tables(asker) (rows [][]string, err error) {
	err = t.each(func(s *snapshot.Table) {
		var bytes, inMemory int64
		for _, p := range s.Parts {
			bytes += p.Bytes
		}
		for _, m := range s.Memtables {
			inMemory += m.Rows
		}
		rows = append(rows, append(names(s.Schema), number(s.Schema.ID), number(s.Rows()), number(bytes), number(len(s.Parts)),
			number(inMemory), text(s.Schema.String())))
	})
	return rows, err
}

func (t *Tables) columns(asker) (rows [][]string, err error) {
	for _, s := range t.store.Tables() {
		for i, c := range s.Columns {
			sorted := "NULL"
			for k, f := range s.SortKey {
				if f.Column == c.ID {
					sorted = number(k + 1)
				}
			}
			rows = append(rows, append(names(s), text(c.Name), number(c.ID), number(i+1), text(c.Type.String()),
				strconv.FormatBool(!c.NotNull), optional(c.Default), sorted))
		}
	}
	return rows, nil
}

func (t *Tables) parts(asker) (rows [][]string, err error) {
	err = t.each(func(s *snapshot.Table) {
		for _, p := range s.Parts {
			rows = append(rows, append(names(s.Schema), number(p.ID), text(p.Partition), number(p.Rows), number(p.Bytes), number(p.Level),
				number(p.SchemaVersion), number(p.MinSeq), number(p.MaxSeq), moment(p.Created),
				text("parts/"+number(p.Table)+"/"+number(p.ID)+".parquet"),
				number(s.Patches[p.ID].DeletedRows()), number(s.Patches[p.ID].PatchedRows()), number(s.Patches[p.ID].Bytes())))
		}
	})
	return rows, err
}

func (t *Tables) patches(asker) (rows [][]string, err error) {
	for _, p := range t.store.Patches() {
		columns := make([]string, len(p.Columns))
		for i, name := range p.Columns {
			columns[i] = text(name)
		}
		rowset, updated := number(p.Rowset), number(p.Updated)
		if p.Expression != "" {
			rowset, updated = "NULL", "NULL"
		}
		rows = append(rows, append(names(p.Table), rowset, strconv.FormatBool(p.Memtable), "["+strings.Join(columns, ", ")+"]",
			updated, number(p.Deleted), number(p.Bytes), text(string(p.Storage)), moment(p.Created), optional(p.Path), optional(p.Expression)))
	}
	return rows, nil
}

// scrub lists for each part when it was last verified, and the damage that was found in it.
func (t *Tables) scrub(asker) (rows [][]string, err error) {
	tables := map[base.TableID]schema.Table{}
	for _, s := range t.store.Tables() {
		tables[s.ID] = s
	}
	for _, h := range t.store.PartHealths() {
		s, ok := tables[h.Table]
		if !ok {
			continue // the table was dropped in the meantime
		}
		row := append(names(s), number(h.Part.ID), number(h.Part.Rows), number(h.Part.Bytes), moment(h.Verified))
		if d := h.Damage; d != nil {
			row = append(row, "true", number(d.Offset), text(d.Error()))
		} else {
			row = append(row, "false", "NULL", "NULL")
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (t *Tables) runningQueries(asker) (rows [][]string, err error) {
	for _, q := range t.queries.List() {
		rows = append(rows, []string{number(q.ID), moment(q.Started), strconv.FormatFloat(float64(time.Since(q.Started).Microseconds())/1000, 'f', 3, 64),
			text(q.Database), text(q.User), text(q.SQL)})
	}
	return rows, nil
}

func (t *Tables) listMerges(asker) (rows [][]string, err error) {
	for _, m := range t.merges() {
		rows = append(rows, []string{text(m.Table), text(m.Partition), number(m.Parts), number(m.Rows), number(m.Bytes),
			moment(m.Started), moment(m.Finished), optional(t.within(m.Error))})
	}
	return rows, nil
}

func (t *Tables) listSettings(who asker) (rows [][]string, err error) {
	for _, s := range t.settings {
		value := text(s.Value)
		if s.Path && !who.admin {
			value = "NULL"
		}
		rows = append(rows, []string{text(s.Name), value})
	}
	return rows, nil
}

// listMemory lists the accounts of memory. For memory that no account counts, only used_bytes is
// known.
func (t *Tables) listMemory(asker) (rows [][]string, err error) {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	for _, a := range t.memory() {
		parent, limit, peak, waiting, waited, refused := "NULL", "NULL", "NULL", "NULL", "NULL", "NULL"
		if a.Parent != "" {
			parent = text(a.Parent)
		}
		if a.Limit != ledger.NoLimit {
			limit, peak, waiting, refused = number(a.Limit), number(a.Peak), number(int64(a.Waiting)), number(a.Refused)
			waited = strconv.FormatFloat(float64(a.Waited.Microseconds())/1000, 'f', 3, 64)
		}
		rows = append(rows, []string{text(a.Account), parent, number(a.Used), limit, peak, waiting, waited, refused})
	}
	return rows, nil
}

func (t *Tables) showTables(who asker) (rows [][]string, err error) {
	for _, s := range t.store.Tables() {
		if schema.Fold(s.Database) == schema.Fold(who.database) {
			rows = append(rows, []string{text(s.Name), text(s.Schema)})
		}
	}
	for _, v := range t.store.Views() {
		if schema.Fold(v.Name.Database) == schema.Fold(who.database) {
			rows = append(rows, []string{text(v.Name.Name), text(v.Name.Schema)})
		}
	}
	return rows, nil
}

func (t *Tables) informationTables(asker) (rows [][]string, err error) {
	for _, s := range t.store.Tables() {
		rows = append(rows, append(names(s), text("BASE TABLE")))
	}
	for _, v := range t.store.Views() {
		rows = append(rows, []string{text(v.Name.Database), text(v.Name.Schema), text(v.Name.Name), text("VIEW")})
	}
	return rows, nil
}

func (t *Tables) informationColumns(asker) (rows [][]string, err error) {
	for _, s := range t.store.Tables() {
		for i, c := range s.Columns {
			nullable := "YES"
			if c.NotNull {
				nullable = "NO"
			}
			rows = append(rows, append(names(s), text(c.Name), number(i+1), optional(c.Default), text(nullable), text(c.Type.String())))
		}
	}
	for _, v := range t.store.Views() {
		for i, c := range v.Columns {
			rows = append(rows, []string{text(v.Name.Database), text(v.Name.Schema), text(v.Name.Name), text(c.Name), number(i + 1), "NULL",
				text("YES"), text(c.Type.String())})
		}
	}
	return rows, nil
}

func (t *Tables) schemata(asker) (rows [][]string, err error) {
	for _, s := range t.store.Schemas() {
		rows = append(rows, []string{text(s.Database), text(s.Name)})
	}
	return rows, nil
}
