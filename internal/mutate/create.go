package mutate

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// create runs a CREATE statement. It reads the statement from the token after CREATE on.
func (x *ddlStatement) create() (engine.Counts, error) {
	c := x.c
	replace := c.accept("OR", "REPLACE")
	if c.accept("TEMP") || c.accept("TEMPORARY") {
		return engine.Counts{}, base.Errorf(base.Invalid, "temporary tables and views are not supported: a session is one request").
			WithHint("use a CTE: WITH t AS (...) SELECT ...")
	}
	switch {
	case c.accept("TABLE"):
		return x.createTable(replace)
	case c.accept("VIEW"):
		return engine.Counts{}, x.createView(replace)
	case c.accept("DATABASE"):
		return engine.Counts{}, x.createDatabase()
	case c.accept("SCHEMA"):
		return engine.Counts{}, x.createSchema()
	}
	return engine.Counts{}, c.unexpected("TABLE, VIEW, DATABASE or SCHEMA")
}

// ignoreConflict returns nil for a Conflict error ("already exists") if the statement has IF NOT
// EXISTS. It returns other errors as they are.
func ignoreConflict(err error, ifNotExists bool) error {
	if ifNotExists && base.KindOf(err) == base.Conflict {
		return nil
	}
	return err
}

func (x *ddlStatement) createDatabase() error {
	ifNotExists := x.c.accept("IF", "NOT", "EXISTS")
	name, err := x.c.identifier()
	if err != nil {
		return err
	}
	if err := x.c.end(); err != nil {
		return err
	}
	if err := schema.CheckReserved(name, ""); err != nil {
		return err
	}
	return x.namespaces.CreateDatabase(x.ctx, name, ifNotExists)
}

func (x *ddlStatement) createSchema() error {
	ifNotExists := x.c.accept("IF", "NOT", "EXISTS")
	parts, err := x.c.name()
	if err != nil {
		return err
	}
	if err := x.c.end(); err != nil {
		return err
	}
	database, name := x.schemaName(parts)
	if err := schema.CheckReserved(database, name); err != nil {
		return err
	}
	return x.namespaces.CreateSchema(x.ctx, database, name, ifNotExists)
}

func (x *statement) schemaName(parts []string) (database, name string) {
	if len(parts) == 1 {
		return x.req.Database, parts[0]
	}
	return parts[0], parts[1]
}

func (x *ddlStatement) createTable(replace bool) (engine.Counts, error) {
	c := x.c
	ifNotExists := c.accept("IF", "NOT", "EXISTS")
	parts, err := c.name()
	if err != nil {
		return engine.Counts{}, err
	}
	var definitions []sqltoken.Token
	if c.peek("(") {
		if definitions, err = c.brackets(); err != nil {
			return engine.Counts{}, err
		}
	}
	var clauses tableClauses
	if err := clauses.read(c); err != nil {
		return engine.Counts{}, err
	}
	var query *composedQuery
	withData := true
	if c.accept("AS") {
		end, rows := x.queryEnd()
		withData = rows
		query = &composedQuery{}
		query.copy(c, c.at, end)
	} else if err := c.end(); err != nil {
		return engine.Counts{}, err
	}

	if _, err := x.lookup(parts); err == nil && ifNotExists {
		return engine.Counts{}, nil
	}
	var table schema.Table
	byName := false
	if query == nil {
		var shape composedQuery
		shape.copyTokens(c, definitions)
		table, err = x.definitionOf(&shape)
	} else {
		table, byName, err = x.definitionOfQuery(query, definitions, nil)
	}
	if err != nil {
		return engine.Counts{}, err
	}
	table.Database, table.Schema, table.Name = x.tableName(parts)
	if err := schema.CheckReserved(table.Database, table.Schema); err != nil {
		return engine.Counts{}, err
	}
	if err := clauses.apply(&table); err != nil {
		return engine.Counts{}, err
	}
	if (query == nil || !withData) && !replace {
		_, err := x.tables.CreateTable(x.ctx, table, ifNotExists)
		return engine.Counts{}, err
	}
	// CREATE OR REPLACE replaces the old table by the new one in the edit that adds the rows.
	load, err := x.loads.Load(x.ctx, table, engine.LoadOptions{Create: true, Replace: replace})
	if err != nil {
		return engine.Counts{}, err
	}
	if query != nil && withData {
		if err := x.runInsertQuery(load.Table(), load.Table().Columns, byName, query, func(rec arrow.RecordBatch) error { return load.Add(x.ctx, rec) }); err != nil {
			return engine.Counts{}, errors.Join(err, load.Abort())
		}
	}
	n, err := load.Commit(x.ctx, x.options)
	return engine.Counts{Inserted: n}, ignoreConflict(err, ifNotExists)
}

// queryEnd returns the index of the token behind the query of CREATE TABLE AS query [WITH [NO]
// DATA]. withData says whether the table gets the rows of the query.
func (x *ddlStatement) queryEnd() (end int, withData bool) {
	end, withData = len(x.c.tokens()), true
	// WITH DATA is recognized only at the end of the statement, because a CTE may be called data.
	for _, clause := range [][]string{{"WITH", "DATA"}, {"WITH", "NO", "DATA"}} {
		last := *x.c
		if last.at = len(x.c.tokens()) - len(clause); last.peek(clause...) {
			end, withData = last.at, len(clause) == 2
		}
	}
	return end, withData
}

// definitionOfQuery returns a table with the columns of a query. names are the column names that
// the statement lists; without them, the columns have the names that they have in the query. view
// is the view that the query defines, or nil. The result byName is true if an outer query can refer
// to all columns by the names in t.
func (x *ddlStatement) definitionOfQuery(query *composedQuery, names []sqltoken.Token, view *catalog.ViewName) (t schema.Table, byName bool, err error) {
	var describe composedQuery
	describe.write("DESCRIBE ")
	describe.include(query)
	s := x.selects(&describe)
	s.Defines = view
	rows, err := x.planner.Select(x.ctx, s)
	if err != nil {
		return t, false, describe.withPosition(err)
	}
	described, types, err := x.describedColumns(rows)
	if err != nil {
		return t, false, err
	}
	for _, typ := range types {
		t.Columns = append(t.Columns, schema.Column{Type: typ})
	}
	// The names of columns are not taken from DESCRIBE, which names an expression with a sub-query
	// by the text that DuckDB received, not by the user's text.
	columns, err := x.planner.Columns(x.ctx, x.selects(query))
	if err != nil {
		return t, false, query.withPosition(err)
	}
	described, columns = distinct(described), distinct(columns)
	byName = slices.Equal(described, columns)
	if len(columns) != len(t.Columns) || !byName && slices.Equal(slices.Sorted(slices.Values(described)), slices.Sorted(slices.Values(columns))) {
		return t, false, base.Errorf(base.Conflict, "the query's columns changed while they were read").
			WithHint("a view or file that it reads was replaced: run the statement again")
	}
	for i, item := range list(names) {
		if len(item) != 1 || i >= len(t.Columns) {
			return t, false, base.Errorf(base.Invalid, "CREATE TABLE ... AS takes column names only, %d for this query", len(t.Columns)).At(item[0].Start + 1)
		}
		columns[i] = item[0].Name()
	}
	if view != nil {
		columns = distinct(columns)
	}
	for i, name := range columns {
		t.Columns[i].Name = name
	}
	return t, byName && len(names) == 0, nil
}

// describedColumns reads the names and types of columns from a result of DESCRIBE. It closes the
// result, so that the caller holds no connection while it waits for another one.
func (x *ddlStatement) describedColumns(rows sqlquery.Rows) (names []string, types []schema.Type, err error) {
	defer rows.Close()
	for {
		rec, err := rows.Next(x.ctx)
		if errors.Is(err, io.EOF) {
			return names, types, nil
		}
		if err != nil {
			return nil, nil, err
		}
		for r := range int(rec.NumRows()) {
			name, text := strings.Clone(rec.Column(0).ValueStr(r)), strings.Clone(rec.Column(1).ValueStr(r))
			if text == `"NULL"` || text == "NULL" {
				text = "INTEGER" // DuckDB gives a column of nothing but NULL this type
			}
			typ, err := schema.Parse(text)
			if err != nil {
				rec.Release()
				return nil, nil, base.Wrap(err, "column %q", name)
			}
			names, types = append(names, name), append(types, typ)
		}
		rec.Release()
	}
}

// distinct makes the names of columns distinct as DuckDB does: id, id_1, id_2.
func distinct(names []string) []string {
	out, taken := make([]string, len(names)), map[string]bool{}
	for i, name := range names {
		out[i] = name
		for n := 1; taken[schema.Fold(out[i])]; n++ {
			out[i] = name + "_" + strconv.Itoa(n)
		}
		taken[schema.Fold(out[i])] = true
	}
	return out
}

// tableClauses are the clauses that may follow the columns of CREATE TABLE, such as WITH (options).
type tableClauses struct {
	partitionedBy, sortedBy [][]sqltoken.Token
	options                 map[string]string
}

func (t *tableClauses) read(c *clauses) error {
	for {
		switch {
		case c.accept("PARTITIONED", "BY"):
			items, err := c.brackets()
			if err != nil {
				return err
			}
			t.partitionedBy = list(items)
		case c.accept("SORTED", "BY"):
			items, err := c.brackets()
			if err != nil {
				return err
			}
			t.sortedBy = list(items)
		case c.peek("WITH") && !c.peek("WITH", "NO", "DATA"):
			c.accept("WITH")
			var err error
			if t.options, err = c.options(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// options parses a list of options: (name = value, ...).
func (c *clauses) options() (map[string]string, error) {
	inner, err := c.brackets()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	// at is the index in the statement of the first token of the current item.
	at := c.at - 1 - len(inner)
	for _, item := range list(inner) {
		if len(item) < 3 || !item[1].Is("=") {
			return nil, c.withPosition(base.Errorf(base.Invalid, "an option is written name = value"), at)
		}
		at += len(item) + 1
		value := ""
		for i, t := range item[2:] {
			if i > 0 && (item[2].Kind == sqltoken.String || t.Is("=")) {
				return nil, base.Errorf(base.Invalid, "unexpected %s: a comma is expected after the value of option %s", t.Text(), item[0].Text()).At(t.Start + 1)
			}
			value += t.Text()
		}
		if item[2].Kind == sqltoken.String && strings.HasPrefix(value, "'") {
			value = strings.ReplaceAll(value[1:len(value)-1], "''", "'")
		}
		out[strings.ToLower(strings.Trim(item[0].Text(), `"'`))] = value
	}
	if n := len(inner); n > 0 && inner[n-1].Is(",") {
		return nil, c.withPosition(base.Errorf(base.Invalid, "an option is expected after the comma"), c.at-1)
	}
	return out, nil
}

// apply sets the sort key, partitioning and options of a new table. The columns of the table have
// no ids yet. So apply uses the position of a column + 1 as its id, as schema.New expects.
func (t *tableClauses) apply(table *schema.Table) error {
	column := func(tok sqltoken.Token) (base.ColumnID, error) {
		i := table.ColumnIndex(tok.Name())
		if !tok.IsName() || i < 0 {
			return 0, base.Errorf(base.Invalid, "there is no column %s to sort or partition by", tok.Text()).At(tok.Start + 1)
		}
		if id := table.Columns[i].ID; id != 0 {
			return id, nil
		}
		return base.ColumnID(i + 1), nil
	}
	for _, item := range t.sortedBy {
		id, err := column(item[0])
		if err != nil {
			return err
		}
		f := schema.SortField{Column: id}
		for i := 1; i < len(item); i++ {
			switch {
			case item[i].Is("ASC"), item[i].Is("NULLS"), item[i].Is("LAST"):
			case item[i].Is("DESC"):
				f.Descending = true
			case item[i].Is("FIRST"):
				f.NullsFirst = true
			default:
				return base.Errorf(base.Invalid, "SORTED BY takes columns, not expressions").At(item[i].Start + 1)
			}
		}
		table.SortKey = append(table.SortKey, f)
	}
	for _, item := range t.partitionedBy {
		f := schema.PartitionField{}
		var err error
		switch {
		case len(item) == 1:
			f.Column, err = column(item[0])
		case len(item) == 4 && item[1].Is("(") && item[3].Is(")"):
			if err = f.Transform.UnmarshalText([]byte(strings.ToLower(item[0].Text()))); err != nil {
				return base.Wrap(err, "PARTITIONED BY")
			}
			f.Column, err = column(item[2])
		default:
			err = base.Errorf(base.Invalid, "PARTITIONED BY takes columns and year, month, day or hour of one").At(item[0].Start + 1)
		}
		if err != nil {
			return err
		}
		table.PartitionBy = append(table.PartitionBy, f)
	}
	var err error
	*table, err = table.WithOptions(t.options)
	return err
}

func (x *ddlStatement) createView(replace bool) error {
	c := x.c
	ifNotExists := c.accept("IF", "NOT", "EXISTS")
	parts, err := c.name()
	if err != nil {
		return err
	}
	var names []sqltoken.Token
	if c.peek("(") {
		if names, err = c.brackets(); err != nil {
			return err
		}
	}
	if !c.accept("AS") {
		return c.unexpected("AS")
	}
	src := &composedQuery{}
	src.copy(c, c.at, len(c.tokens()))
	if len(x.req.Args) > 0 {
		return base.Errorf(base.Invalid, "a view cannot have parameters")
	}
	database, schemaName, name := x.tableName(parts)
	if err := schema.CheckReserved(database, schemaName); err != nil {
		return err
	}
	if _, err := x.names.Lookup(database, schemaName, name); err == nil {
		return ignoreConflict(base.Errorf(base.Conflict, "%s is a table", name), ifNotExists)
	}
	x.req.ReadFiles = false // a view never reads files, even if the user may
	called := catalog.ViewName{Database: database, Schema: schemaName, Name: name}
	shape, _, err := x.definitionOfQuery(src, names, &called)
	if err != nil {
		return err
	}
	query := src.String()
	if len(names) > 0 {
		quoted := make([]string, len(shape.Columns))
		for i, col := range shape.Columns {
			quoted[i] = schema.Quote(col.Name)
		}
		query = "SELECT * FROM (" + query + ") AS v(" + strings.Join(quoted, ", ") + ")"
	}
	v := catalog.View{Name: called, SQL: query, Created: time.Now().UTC()}
	for _, col := range shape.Columns {
		v.Columns = append(v.Columns, catalog.ViewColumn{Name: col.Name, Type: col.Type})
	}
	return ignoreConflict(x.views.PutView(x.ctx, v, replace), ifNotExists)
}
