package statement

import (
	"context"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
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

// Tools has what all statements need to read their clauses: names of tables, queries, and DuckDB.
type Tools struct {
	Names     Names
	Planner   sqlquery.Planner
	Pool      *duck.Pool
	Functions Functions
}

// Statement is one running statement: its clauses, arguments and options.
type Statement struct {
	*Tools
	Ctx     context.Context
	Request Request
	Reader  *clause.Reader
	// Explain is EXPLAIN with its options, if the plan of the statement is requested. It is written
	// in front of the statement's query. It is empty if the statement is to be run.
	Explain string
	Options engine.AppendOptions // the options of the statement's commit
}

// TableName resolves a dotted table name as queries do. a.b is table b of schema a if the current
// database has such a schema. Otherwise it is table b of database a.
func (x *Statement) TableName(parts []string) (database, schemaName, name string) {
	switch len(parts) {
	case 1:
		return x.Request.Database, "main", parts[0]
	case 2:
		if x.Names.HasSchema(x.Request.Database, parts[0]) || !x.Names.HasDatabase(parts[0]) {
			return x.Request.Database, parts[0], parts[1]
		}
		return parts[0], "main", parts[1]
	default:
		return parts[0], parts[1], parts[2]
	}
}

func (x *Statement) Lookup(parts []string) (schema.Table, error) {
	database, schemaName, name := x.TableName(parts)
	t, err := x.Names.Lookup(database, schemaName, name)
	for _, v := range x.Options.Evolutions {
		if err == nil && v.Table.ID == t.ID {
			t = v.Table
		}
	}
	if base.KindOf(err) == base.NotFound && schema.CheckReserved("", schemaName) != nil {
		return t, base.Errorf(base.Invalid, "the tables of schema %q are the system's: they can only be read", schemaName)
	}
	return t, err
}

// NamedTable parses a dotted name, and returns the table of that name, which must exist.
func (x *Statement) NamedTable() (schema.Table, error) {
	place := x.Reader.At
	parts, err := x.Reader.Name()
	if err != nil {
		return schema.Table{}, err
	}
	t, err := x.Lookup(parts)
	return t, x.Reader.WithPosition(err, place)
}

// Selects returns a composed query for the planner. The query gets the arguments of the statement
// that it uses.
func (x *Statement) Selects(q *clause.Query) sqlquery.Request {
	return sqlquery.Request{SQL: q.String(), Args: q.Arguments(x.Request.Args), Database: x.Request.Database, ReadFiles: x.Request.ReadFiles}
}

func (x *Statement) SchemaName(parts []string) (database, name string) {
	if len(parts) == 1 {
		return x.Request.Database, parts[0]
	}
	return parts[0], parts[1]
}

// Request is the context in which a statement runs: its arguments, database and permissions.
type Request struct {
	Args      []any
	Database  string
	ReadFiles bool
	// Options has the idempotency key of a statement that changes rows.
	Options engine.AppendOptions
}
