package mutate

import (
	"context"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// Names finds tables by their names.
type Names interface {
	// Lookup returns a table, or a NotFound error.
	Lookup(database, schema, name string) (schema.Table, error)
	// HasSchema and HasDatabase report whether there is such a schema or database. They decide
	// whether a.b means table b of schema a, or table b of database a.
	HasSchema(database, schema string) bool
	HasDatabase(database string) bool
}

// tools has what all statements need to read their clauses: names of tables, queries, and DuckDB.
type tools struct {
	names     Names
	planner   sqlquery.Planner
	pool      *duck.Pool
	functions knownFunctions
}

// statement is one running statement: its clauses, arguments and options.
type statement struct {
	*tools
	ctx context.Context
	req Request
	c   *clauses
	// explain is EXPLAIN with its options, if the plan of the statement is requested. It is written
	// in front of the statement's query. It is empty if the statement is to be run.
	explain string
	options engine.AppendOptions // the options of the statement's commit
}

// tableName resolves a dotted table name as queries do. a.b is table b of schema a if the current
// database has such a schema. Otherwise it is table b of database a.
func (x *statement) tableName(parts []string) (database, schemaName, name string) {
	switch len(parts) {
	case 1:
		return x.req.Database, "main", parts[0]
	case 2:
		if x.names.HasSchema(x.req.Database, parts[0]) || !x.names.HasDatabase(parts[0]) {
			return x.req.Database, parts[0], parts[1]
		}
		return parts[0], "main", parts[1]
	default:
		return parts[0], parts[1], parts[2]
	}
}

func (x *statement) lookup(parts []string) (schema.Table, error) {
	database, schemaName, name := x.tableName(parts)
	t, err := x.names.Lookup(database, schemaName, name)
	for _, v := range x.options.Evolutions {
		if err == nil && v.Table.ID == t.ID {
			t = v.Table
		}
	}
	if base.KindOf(err) == base.NotFound && schema.CheckReserved("", schemaName) != nil {
		return t, base.Errorf(base.Invalid, "the tables of schema %q are the system's: they can only be read", schemaName)
	}
	return t, err
}

// table parses a dotted name, and returns the table of that name, which must exist.
func (x *statement) table() (schema.Table, error) {
	place := x.c.at
	parts, err := x.c.name()
	if err != nil {
		return schema.Table{}, err
	}
	t, err := x.lookup(parts)
	return t, x.c.withPosition(err, place)
}

// selects returns a composed query for the planner. The query gets the arguments of the statement
// that it uses.
func (x *statement) selects(q *composedQuery) sqlquery.Request {
	return sqlquery.Request{SQL: q.String(), Args: q.arguments(x.req.Args), Database: x.req.Database, ReadFiles: x.req.ReadFiles}
}
