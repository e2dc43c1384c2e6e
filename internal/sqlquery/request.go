// Package sqlquery has the types with which other packages ask package query for a result, and the
// types of that result. It runs nothing. So a package that needs queries depends neither on package
// query nor on the package overlay below it.
package sqlquery

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Request is one SELECT, with its arguments and the permissions of its user.
type Request struct {
	SQL      string
	Args     []any  // values of parameters, of the types that duck.Stmt.Bind accepts
	Database string // the current database, for unqualified names
	// ReadFiles permits read_csv and similar functions, as administrators may use them.
	ReadFiles bool
	// Transient, if not nil, is a table that exists only for this query. It hides other tables of
	// the same name.
	Transient *Transient
	// Defines, if not nil, is the view that this query will define. The query must not read it.
	Defines *catalog.ViewName
	// Target, if not 0, is the byte offset in SQL at which the name of a table is. The query can
	// read the addresses of that table's rows in two additional columns, scoter_source and
	// scoter_ordinal.
	Target int
	// Located, if not nil, has the only rows that the query sees of the table at Target. Then the
	// query must not name other tables.
	Located *Located
	// Evolutions are changes of the schemas of tables. They will be committed with the statement
	// that runs this query. The query sees the tables with these changes.
	Evolutions []engine.Evolution
	// Partition, if not nil, restricts one of the query's tables to the parts of one partition.
	Partition *PartitionScan
}

// Transient is a table of rows that exists only for one query.
type Transient struct {
	Name  string // the name in the query, or schema.name; users have no tables in that schema
	Table *snapshot.Table
	// InMemory says that the query sees only the rows of memtables, and the rows with patches. It
	// does not see the rows whose values are all in parts.
	InMemory bool
	// Path is a database, schema and name. The query may also qualify columns of the table with
	// them, even if the table has an alias. Path is nil if there is no such name.
	Path []string
}

// Located has rows of one table in a snapshot that an index found for a key. The plan of a query
// over them is cached: DuckDB plans it once for each connection, text and version of the table.
type Located struct {
	Snapshot  *snapshot.Snapshot // the query retains the snapshot for itself
	Addresses []base.RowAddress
	// Key has the columns in which all of the rows have the same value, by column id, so that these
	// columns need not be read. Each array has just this one value.
	Key map[base.ColumnID]arrow.Array
	// Constants are columns that the query sees in addition to the columns of the table.
	Constants []Constant
}

// Constant is a column that has the same value in every row. Value is an array with just this
// value.
type Constant struct {
	Name  string
	Type  schema.Type
	Value arrow.Array
}

// PartitionScan restricts a table to the parts of one partition, without the rows in memory.
type PartitionScan struct {
	Table     base.TableID
	Partition string
}

// Planner runs SELECT texts over the tables of the store. Package query implements it.
type Planner interface {
	// Select runs a query. Positions in errors refer to the query's text.
	Select(ctx context.Context, r Request) (Rows, error)
	// Find runs a query as Select does. The query finds the rows of the table at r.Target that a
	// statement changes, and its result has the addresses of these rows.
	Find(ctx context.Context, r Request) (Found, error)
	// Columns returns the names of a query's result columns. It does not run the query.
	Columns(ctx context.Context, r Request) ([]string, error)
}
