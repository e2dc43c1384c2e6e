package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// maxViewDepth is the maximum depth of views that read views.
const maxViewDepth = 32

// maxReplaced is the maximum number of table names that are replaced in one statement. It is needed
// because views can read each other in a chain: if each view reads the next one twice, the text
// grows exponentially.
const maxReplaced = 10_000

// binding is a statement whose table names are replaced by relations (SQL text that stands for
// tables). It holds what the relations need until the query ends, such as the snapshot.
type binding struct {
	runner *Runner
	conn   *duck.Conn
	req    sqlquery.Request
	stats  Stats
	sql    string // the text for DuckDB

	targets   map[string]*target // targets[key] is what a table name means; see the function key.
	snapshot  *snapshot.Snapshot
	relations []*overlay.Relation
	replaced  int // number of table names replaced so far
	evaluated int // number of conditions on the current table whose constants DuckDB computed
	inTx      bool
	analysis  *analysis
	// edits are the edits of the user's statement. They are needed to translate the positions of
	// errors.
	edits sqltoken.Edits
}

func (b *binding) release() {
	for _, r := range b.relations {
		r.Close()
	}
	b.relations = nil
	if b.snapshot != nil {
		b.snapshot.Release()
		b.snapshot = nil
	}
	if b.inTx {
		b.inTx = false
		// The commit can only fail because the query was interrupted. The transaction wrote
		// nothing, so nothing is lost.
		if b.conn.Exec("COMMIT") != nil {
			_ = b.conn.Exec("ROLLBACK")
		}
	}
}

// target is the table, view or system table that a table name means.
type target struct {
	path      []string // database, schema and name
	table     *schema.Table
	view      *boundView
	transient *sqlquery.Transient
	system    string // the SQL text of a system table
	file      bool
}

type boundView struct {
	analysis  *analysis
	database  string
	schema    string
	resolving bool // true while the tables that the view reads are looked up
}

// bind returns the statement's SQL for DuckDB. In it, each table name is replaced by a relation:
// SQL text that reads the table as of the snapshot.
func (b *binding) bind(ctx context.Context) (string, error) {
	a := b.analysis
	b.targets = map[string]*target{}
	tables := map[base.TableID]bool{}
	if err := b.resolveAll(ctx, a, b.req.Database, "main", tables, 0); err != nil {
		return "", err
	}
	switch located := b.req.Located; {
	case located != nil:
		if len(tables) != 1 || len(a.tables) != 1 {
			return "", base.Errorf(base.Internal, "rows of one table were found for a query that names %d tables", len(a.tables))
		}
		located.Snapshot.Retain()
		b.snapshot = located.Snapshot
	case len(tables) > 0:
		ids := make([]base.TableID, 0, len(tables))
		for id := range tables {
			ids = append(ids, id)
		}
		var err error
		if b.snapshot, err = b.snapshotOf(ctx, ids); err != nil {
			return "", err
		}
		// The definitions of the tables are taken from the snapshot, because they may have changed
		// since the lookup.
		for _, t := range b.targets {
			if t.table != nil {
				t.table = &b.snapshot.Tables[t.table.ID].Schema
			}
		}
	}
	if p := b.req.Partition; p != nil && !tables[p.Table] {
		return "", base.Errorf(base.Invalid, "the query does not read the table of the export")
	}
	splices, err := b.replaceAll(ctx, a, b.req.Database, "main", nil)
	if err != nil {
		return "", err
	}
	b.edits = splices
	return b.edits.Apply(a.text), nil
}

// snapshotOf takes a snapshot of the tables with these ids for the binding.
func (b *binding) snapshotOf(ctx context.Context, ids []base.TableID) (*snapshot.Snapshot, error) {
	if p := b.req.Partition; p != nil && len(ids) == 1 && ids[0] == p.Table {
		return b.runner.store.PartsSnapshot(ctx, p.Table)
	}
	return b.runner.store.DeduplicatedSnapshotAs(ctx, b.req.Evolutions, ids...)
}

// resolveAll finds out what each table name of a statement means, and does the same for the views
// that the statement reads. It adds the ids of the tables to the map tables.
func (b *binding) resolveAll(ctx context.Context, a *analysis, database, schemaName string, tables map[base.TableID]bool, depth int) error {
	for i := range a.tables {
		ref := &a.tables[i]
		key := b.key(a, database, schemaName, ref)
		if t := b.targets[key]; t != nil {
			if t.view != nil && t.view.resolving {
				return errReadsItself(strings.Join(ref.parts, "."))
			}
			continue
		}
		t, err := b.resolve(ctx, ref, database, schemaName, a != b.analysis)
		if err != nil {
			if e := new(base.Error); errors.As(err, &e) && depth == 0 {
				return e.At(ref.name + 1)
			}
			return err
		}
		b.targets[key] = t
		if t.table != nil {
			tables[t.table.ID] = true
		}
		if t.view != nil {
			if depth >= maxViewDepth {
				return base.Errorf(base.Invalid, "view %s: views refer to each other more than %d levels deep", strings.Join(ref.parts, "."), maxViewDepth)
			}
			t.view.resolving = true
			if err := b.resolveAll(ctx, t.view.analysis, t.view.database, t.view.schema, tables, depth+1); err != nil {
				return base.Wrap(err, "view %s", strings.Join(ref.parts, "."))
			}
			t.view.resolving = false
		}
	}
	return nil
}

func errReadsItself(view string) error {
	return base.Errorf(base.Invalid, "view %s reads itself", view)
}

// key returns the key of a table name in b.targets. Names in the text of a view get other keys than
// the same names in the statement, because they may mean other tables.
func (b *binding) key(a *analysis, database, schemaName string, ref *tableRef) string {
	key := schema.Fold(strings.Join(append([]string{database, schemaName}, ref.parts...), "\x00"))
	if a != b.analysis {
		key += "\x00"
	}
	return key
}

// name is one table that a dotted name may mean: its database, schema and name.
type name struct{ database, schema, table string }

// readings returns the tables that a dotted name may mean, the most likely one first. a.b is table
// b of schema a if the current database has such a schema. Otherwise it is table b of database a.
func (b *binding) readings(parts []string, database, schemaName string) []name {
	store := b.runner.store
	switch len(parts) {
	case 1:
		if schemaName != "main" {
			return []name{{database, schemaName, parts[0]}, {database, "main", parts[0]}}
		}
		return []name{{database, "main", parts[0]}}
	case 2:
		if store.HasSchema(database, parts[0]) || !store.HasDatabase(parts[0]) {
			return []name{{database, parts[0], parts[1]}}
		}
		return []name{{parts[0], "main", parts[1]}}
	default:
		return []name{{parts[0], parts[1], parts[2]}}
	}
}

// resolve finds the table, view or system table that a name means. inView says that the name is in
// a view's text. A view reads no files, even if the user may read them, because another user may
// have written the view.
func (b *binding) resolve(ctx context.Context, ref *tableRef, database, schemaName string, inView bool) (*target, error) {
	if t := b.req.Transient; t != nil && !inView && slices.EqualFunc(ref.parts, strings.Split(t.Name, "."), sameName) {
		return &target{transient: t, path: t.Path}, nil
	}
	var first error
	for _, n := range b.readings(ref.parts, database, schemaName) {
		table, err := b.runner.store.Lookup(n.database, n.schema, n.table)
		if err == nil {
			for _, v := range b.req.Evolutions {
				if v.Table.ID == table.ID {
					table = v.Table
				}
			}
			return &target{table: &table, path: []string{table.Database, table.Schema, table.Name}}, nil
		}
		if first == nil {
			first = err
		}
		if base.KindOf(err) != base.NotFound {
			return nil, err
		}
		if v, err := b.runner.store.LookupView(n.database, n.schema, n.table); err == nil {
			if d := b.req.Defines; d != nil && sameName(d.Database, v.Name.Database) && sameName(d.Schema, v.Name.Schema) && sameName(d.Name, v.Name.Name) {
				return nil, errReadsItself(v.Name.Name)
			}
			a, err := b.runner.cache.get(b.conn, v.SQL, false)
			// The least and greatest values for bitstring_agg are queried as if the view's text
			// were in schema main. For a view in another schema they are not queried, because a
			// table's name in its text may mean another table there.
			if err == nil && len(a.bitstringCalls) > 0 && sameName(n.schema, "main") {
				a, err = b.runner.withBounds(ctx, b.conn, sqlquery.Request{Database: n.database, Defines: b.req.Defines}, a)
			}
			if err != nil {
				return nil, base.Wrap(err, "view %s", n.table)
			}
			return &target{view: &boundView{analysis: a, database: n.database, schema: n.schema}, path: []string{n.database, n.schema, n.table}}, nil
		}
	}
	if len(ref.parts) == 2 || len(ref.parts) == 3 {
		last := ref.parts[len(ref.parts)-2:]
		if sql, ok, err := b.runner.system.Relation(schema.Fold(last[0]), schema.Fold(last[1]), database, b.req.ReadFiles); ok {
			return &target{system: sql, path: append([]string{database}, last...)}, err
		}
	}
	if name := schema.Fold(ref.parts[0]); len(ref.parts) == 1 && systemFunctions[name] {
		sql, _, err := b.runner.system.Relation(systemSchema, name, database, b.req.ReadFiles)
		return &target{system: sql, path: []string{database, "main", name}}, err
	}
	if len(ref.parts) == 1 && strings.ContainsAny(ref.parts[0], "./") {
		if b.req.ReadFiles && !inView {
			return &target{file: true}, nil
		}
		return nil, base.Errorf(base.Forbidden, "reading files such as %q needs an administrator", ref.parts[0]).
			WithHint("load rows through the API instead")
	}
	return nil, first
}

// replaceAll returns edits that replace all table names of a statement by relations. If the
// statement is the text of a view, the argument given has conditions on its columns from the query
// that reads it. Rows of the view that do not meet them do not affect the result.
func (b *binding) replaceAll(ctx context.Context, a *analysis, database, schemaName string, given []condition) (sqltoken.Edits, error) {
	var splices sqltoken.Edits
	aliases := uniqueAliases(a)
	for i := range a.tables {
		if b.replaced++; b.replaced > maxReplaced {
			return nil, base.Errorf(base.Invalid, "the query and its views name more than %d tables", maxReplaced)
		}
		ref := &a.tables[i]
		t := b.targets[b.key(a, database, schemaName, ref)]
		conditions := ref.conditions
		if a.output != nil && a.output.cte == nil && a.output.table == i {
			conditions = append(conditions[:len(conditions):len(conditions)], a.output.mapColumns(given)...)
		}
		var sql string
		var err error
		switch {
		case t.file:
			continue
		case t.table != nil && b.req.Located != nil:
			sql, err = b.rows(ctx, b.snapshot.Tables[t.table.ID])
		case t.table != nil:
			var bounds []overlay.Bound
			if bounds, err = b.bounds(ctx, conditions, t.table); err == nil {
				options := overlay.RelationOptions{Addresses: b.isTarget(a, ref), Narrow: fixesSortKey(conditions, t.table), NewestFirst: a.hasTopN || b.analysis.hasTopN}
				if p := b.req.Partition; p != nil && p.Table == t.table.ID {
					options.Partition = &p.Partition
				}
				sql, err = b.relation(ctx, b.snapshot.Tables[t.table.ID], bounds, options)
			}
		case t.transient != nil:
			sql, err = b.relation(ctx, t.transient.Table, nil, overlay.RelationOptions{Addresses: b.isTarget(a, ref), InMemory: t.transient.InMemory})
		case t.view != nil:
			var inner sqltoken.Edits
			if inner, err = b.replaceAll(ctx, t.view.analysis, t.view.database, t.view.schema, conditions); err == nil {
				sql = inner.Apply(t.view.analysis.text)
				err = base.Wrap(b.checkViewBinds(t.view, sql), "view %s", strings.Join(ref.parts, "."))
			}
		default:
			sql = t.system
		}
		if err != nil {
			return nil, err
		}
		text := "(" + sql + ")"
		if ref.alias == "" {
			text += " AS " + schema.Quote(aliases[i])
		}
		switch {
		case ref.describe && t.table != nil:
			text = describeTable(t.table)
		case ref.describe:
			text = "DESCRIBE SELECT * FROM " + text
		case ref.query:
			text = "SELECT * FROM " + text
		}
		splices = append(splices, sqltoken.Edit{Start: ref.start, End: ref.end, Text: text})
	}
	splices = append(splices, b.describeEdits(a, database, schemaName)...)
	return append(splices, b.columnEdits(a, database, schemaName, aliases)...), nil
}

// checkViewBinds returns an error if the text of a view is not valid as a query of its own. Without
// this check, DuckDB could resolve a column that the view's tables no longer have as a column of
// the query around it.
//
// DuckDB checks a view once, and again after a table or view that it reads has changed.
func (b *binding) checkViewBinds(v *boundView, sql string) error {
	var reads strings.Builder
	b.writeViewShape(&reads, v)
	shape := reads.String()
	if known := v.analysis.boundAlone.Load(); known != nil && *known == shape {
		return nil
	}
	stmt, err := b.conn.Prepare(sql)
	if e := new(base.Error); errors.As(err, &e) {
		return e.At(0)
	}
	if err != nil {
		return err
	}
	stmt.Close()
	v.analysis.boundAlone.Store(&shape)
	return nil
}

// writeViewShape writes a text that describes the tables and views that a view reads. The text
// changes if any of their columns change.
func (b *binding) writeViewShape(out *strings.Builder, v *boundView) {
	for i := range v.analysis.tables {
		switch t := b.targets[b.key(v.analysis, v.database, v.schema, &v.analysis.tables[i])]; {
		case t.table != nil:
			fmt.Fprintf(out, "table %d %d;", t.table.ID, t.table.Version)
		case t.view != nil:
			fmt.Fprintf(out, "view %d %s;", len(t.view.analysis.text), t.view.analysis.text)
			b.writeViewShape(out, t.view)
		default:
			fmt.Fprintf(out, "other %d;", i)
		}
	}
}

func (b *binding) relation(ctx context.Context, t *snapshot.Table, bounds []overlay.Bound, options overlay.RelationOptions) (string, error) {
	rel, err := b.runner.overlay.Relation(ctx, t, bounds, options)
	if err != nil {
		return "", err
	}
	return b.hold(rel), nil
}

// rows returns the relation (SQL text that stands for a table) for those rows of a table that an
// index found (sqlquery.Request.Located).
func (b *binding) rows(ctx context.Context, t *snapshot.Table) (string, error) {
	if t == nil {
		return "", base.Errorf(base.Internal, "rows were found in a table that the query does not name")
	}
	rel, err := b.runner.overlay.RowsRelation(ctx, b.conn, t, *b.req.Located)
	if err != nil {
		return "", err
	}
	return b.hold(rel), nil
}

// hold returns the SQL text of a relation. It adds the relation to the binding, which closes it
// at the end of the query.
func (b *binding) hold(rel *overlay.Relation) string {
	b.relations = append(b.relations, rel)
	b.stats.Parts += rel.Parts
	b.stats.PrunedParts += rel.PrunedParts
	b.stats.RowsRead += rel.Rows
	return rel.SQL
}

// uniqueAliases returns an alias for each table of the statement that has none. The alias is the
// last part of the table's name. If two tables have the same last part, it is the whole dotted
// name.
func uniqueAliases(a *analysis) []string {
	count := map[string]int{}
	for i := range a.tables {
		if t := &a.tables[i]; t.alias == "" && len(t.parts) > 1 {
			count[schema.Fold(t.parts[len(t.parts)-1])+"\x00"+schema.Fold(strings.Join(t.parts, "."))]++
		}
	}
	distinct := map[string]int{}
	for key := range count {
		last, _, _ := strings.Cut(key, "\x00")
		distinct[last]++
	}
	out := make([]string, len(a.tables))
	for i := range a.tables {
		parts := a.tables[i].parts
		last := parts[len(parts)-1]
		out[i] = last
		if len(parts) > 1 && distinct[schema.Fold(last)] > 1 {
			out[i] = strings.Join(parts, ".")
		}
	}
	return out
}

// columnEdits returns edits that shorten the qualifiers of columns, for example from db.t.c to t.c.
// This is needed because only its alias can qualify the columns of a relation (SQL text that stands
// for a table).
func (b *binding) columnEdits(a *analysis, database, schemaName string, aliases []string) sqltoken.Edits {
	var splices sqltoken.Edits
	for _, c := range a.columns {
		for i := range a.tables {
			ref := &a.tables[i]
			t, called := b.targets[b.key(a, database, schemaName, ref)], aliases[i]
			if ref.alias != "" {
				called = ref.alias
			}
			if ref.alias == "" && t.table != nil && b.isRow(a, database, schemaName, c, t) {
				splices = append(splices, sqltoken.Edit{Start: c.start, End: c.end, Text: rowOf(t.table, called)})
				break
			}
			qualifiers := 0
			if ref.alias == "" || t.transient != nil {
				qualifiers = qualifying(c.names, t.path)
			}
			if qualifiers == 0 {
				continue
			}
			text := schema.Quote(called)
			for _, n := range c.names[qualifiers:] {
				text += "." + schema.Quote(n)
			}
			splices = append(splices, sqltoken.Edit{Start: c.start, End: c.end, Text: text})
			break
		}
	}
	return splices
}

// isRow reports whether a name of two or three parts means the row of a table. All of these
// conditions must be true:
//   - The name is the table's name with its schema, its database or both.
//   - No item of a FROM has the name's first part as its name.
//   - No table has a column with that name.
func (b *binding) isRow(a *analysis, database, schemaName string, c columnRef, t *target) bool {
	if len(c.names) > len(t.path) || a.qualifiers[schema.Fold(c.names[0])] {
		return false
	}
	last := t.path[len(t.path)-len(c.names):]
	if !slices.EqualFunc(c.names, last, sameName) && !slices.EqualFunc(c.names, []string{t.path[0], t.path[2]}, sameName) {
		return false
	}
	return !slices.ContainsFunc(a.tables, func(ref tableRef) bool {
		other := b.targets[b.key(a, database, schemaName, &ref)]
		return other.table != nil && other.table.ColumnIndex(c.names[0]) >= 0
	})
}

// rowOf returns an SQL expression for the row of a table as a STRUCT. The argument called is the
// table's alias. The alias alone means the row, unless the table has a column of that name.
func rowOf(t *schema.Table, called string) string {
	if t.ColumnIndex(called) < 0 {
		return schema.Quote(called)
	}
	fields := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = schema.Quote(c.Name) + " := " + schema.Quote(called) + "." + schema.Quote(c.Name)
	}
	return "struct_pack(" + strings.Join(fields, ", ") + ")"
}

// qualifying returns how many leading parts of a column's name are the name of its table. These
// parts are database, schema and table, or schema and table, or database and table. It returns 0
// for a column that is not qualified in one of these ways. path is the database, schema and name of
// the table.
func qualifying(names, path []string) int {
	if len(path) != 3 {
		return 0
	}
	for _, qualifier := range [][]string{path, path[1:], {path[0], path[2]}} {
		if len(names) > len(qualifier) && slices.EqualFunc(names[:len(qualifier)], qualifier, sameName) {
			return len(qualifier)
		}
	}
	return 0
}

func sameName(a, b string) bool { return schema.Fold(a) == schema.Fold(b) }

// withUserPosition translates the position of an error from the text for DuckDB to the user's text.
func (b *binding) withUserPosition(err error) error {
	return withPosition(err, func(at int) int {
		at, _ = b.edits.Origin(at)
		return originalOffset(b.analysis.expanded, at)
	})
}

// begin starts a transaction. In a transaction now() always has the same value, so the query and
// the bounds that are computed before it agree.
func (b *binding) begin() error {
	if b.inTx {
		return nil
	}
	if err := b.conn.Exec("BEGIN TRANSACTION"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	b.inTx = true
	return nil
}
