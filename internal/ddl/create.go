package ddl

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// create runs a CREATE statement. It reads the statement from the token after CREATE on.
func (x *Statement) create() (engine.Counts, error) {
	c := x.Reader
	replace := c.Accept("OR", "REPLACE")
	if c.Accept("TEMP") || c.Accept("TEMPORARY") {
		return engine.Counts{}, base.Errorf(base.Invalid, "temporary tables and views are not supported: a session is one request").
			WithHint("use a CTE: WITH t AS (...) SELECT ...")
	}
	switch {
	case c.Accept("TABLE"):
		return x.createTable(replace)
	case c.Accept("VIEW"):
		return engine.Counts{}, x.createView(replace)
	case c.Accept("DATABASE"):
		return engine.Counts{}, x.createDatabase()
	case c.Accept("SCHEMA"):
		return engine.Counts{}, x.createSchema()
	}
	return engine.Counts{}, c.Unexpected("TABLE, VIEW, DATABASE or SCHEMA")
}

func (x *Statement) createTable(replace bool) (engine.Counts, error) {
	c := x.Reader
	ifNotExists := c.Accept("IF", "NOT", "EXISTS")
	parts, err := c.Name()
	if err != nil {
		return engine.Counts{}, err
	}
	var definitions []sqltoken.Token
	if c.Peek("(") {
		if definitions, err = c.Brackets(); err != nil {
			return engine.Counts{}, err
		}
	}
	var clauses tableClauses
	if err := clauses.read(c); err != nil {
		return engine.Counts{}, err
	}
	var query *clause.Query
	withData := true
	if c.Accept("AS") {
		end, rows := queryEnd(x)
		withData = rows
		query = &clause.Query{}
		query.Copy(c, c.At, end)
	} else if err := c.End(); err != nil {
		return engine.Counts{}, err
	}

	if _, err := x.Lookup(parts); err == nil && ifNotExists {
		return engine.Counts{}, nil
	}
	var table schema.Table
	byName := false
	if query == nil {
		var shape clause.Query
		shape.CopyTokens(c, definitions)
		table, err = x.definitionOf(&shape)
	} else {
		table, byName, err = x.definitionOfQuery(query, definitions, nil)
	}
	if err != nil {
		return engine.Counts{}, err
	}
	table.Database, table.Schema, table.Name = x.TableName(parts)
	if err := schema.CheckReserved(table.Database, table.Schema); err != nil {
		return engine.Counts{}, err
	}
	if err := clauses.apply(&table); err != nil {
		return engine.Counts{}, err
	}
	if (query == nil || !withData) && !replace {
		_, err := x.Tables.CreateTable(x.Ctx, table, ifNotExists)
		return engine.Counts{}, err
	}
	// CREATE OR REPLACE replaces the old table by the new one in the edit that adds the rows.
	load, err := x.Loads.Load(x.Ctx, table, engine.LoadOptions{Create: true, Replace: replace})
	if err != nil {
		return engine.Counts{}, err
	}
	if query != nil && withData {
		if err := x.RunInsertQuery(load.Table(), load.Table().Columns, byName, query, func(rec arrow.RecordBatch) error { return load.Add(x.Ctx, rec) }); err != nil {
			return engine.Counts{}, errors.Join(err, load.Abort())
		}
	}
	n, err := load.Commit(x.Ctx, x.Options)
	return engine.Counts{Inserted: n}, ignoreConflict(err, ifNotExists)
}

// queryEnd returns the index of the token behind the query of CREATE TABLE AS query [WITH [NO]
// DATA]. withData says whether the table gets the rows of the query.
func queryEnd(x *Statement) (end int, withData bool) {
	end, withData = len(x.Reader.Tokens()), true
	// WITH DATA is recognized only at the end of the statement, because a CTE may be called data.
	for _, clause := range [][]string{{"WITH", "DATA"}, {"WITH", "NO", "DATA"}} {
		last := *x.Reader
		if last.At = len(x.Reader.Tokens()) - len(clause); last.Peek(clause...) {
			end, withData = last.At, len(clause) == 2
		}
	}
	return end, withData
}
