package mutate

import (
	"context"
	"log/slog"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// Namespaces creates and drops databases and schemas.
type Namespaces interface {
	CreateDatabase(ctx context.Context, name string, ifNotExists bool) error
	DropDatabase(ctx context.Context, name string, cascade bool) error
	CreateSchema(ctx context.Context, database, name string, ifNotExists bool) error
	DropSchema(ctx context.Context, database, name string, cascade bool) error
}

// Tables creates, changes and drops tables.
type Tables interface {
	CreateTable(ctx context.Context, t schema.Table, ifNotExists bool) (schema.Table, error)
	AlterTable(ctx context.Context, id base.TableID, change func(schema.Table) (schema.Table, error)) (schema.Table, error)
	ChangeToDouble(ctx context.Context, id base.TableID, column string) error
	DropTable(ctx context.Context, id base.TableID) error
	Truncate(ctx context.Context, id base.TableID) (removed *snapshot.Snapshot, err error)
}

// Views creates, changes and drops views.
type Views interface {
	PutView(ctx context.Context, v catalog.View, replace bool) error
	Views() []catalog.View
	RetypeView(ctx context.Context, v catalog.View) error
	DropView(ctx context.Context, name catalog.ViewName, ifExists bool) error
}

// DefinedSnapshots returns the rows of tables whose definition is to change.
type DefinedSnapshots interface {
	Snapshot(ids ...base.TableID) (*snapshot.Snapshot, error)
	DeduplicatedSnapshot(ctx context.Context, ids ...base.TableID) (*snapshot.Snapshot, error)
}

// DefinedLoads adds the rows of CREATE TABLE ... AS query, and deletes superseded rows.
type DefinedLoads interface {
	Load(ctx context.Context, t schema.Table, o engine.LoadOptions) (*engine.Load, error)
	DeleteSuperseded(ctx context.Context, id base.TableID) error
}

// Retyper changes the type of a column by rewriting all parts of its table. Package merge
// implements it.
type Retyper interface {
	Retype(ctx context.Context, from, to schema.Table, column base.ColumnID, alias, value string) error
}

// ddlTools has what statements need to change definitions.
type ddlTools struct {
	namespaces Namespaces
	tables     Tables
	views      Views
	snapshots  DefinedSnapshots
	loads      DefinedLoads
	sources    Sources
	exports    Exports
	retyper    Retyper
	log        *slog.Logger
}

// ddlStatement is one running statement that changes definitions, such as CREATE TABLE.
type ddlStatement struct {
	*statement
	*ddlTools
}

// execute runs the statement. It returns the counts of the rows that the statement changed.
func (x *ddlStatement) execute() (counts engine.Counts, err error) {
	s, c := x.c.statement, x.c
	switch {
	case IsSourceStatement(s):
		return x.source()
	case IsExportStatement(s):
		return counts, x.export()
	case c.accept("CREATE"):
		return x.create()
	case c.accept("DROP"):
		return counts, x.drop()
	case c.accept("ALTER"):
		return counts, x.alter()
	case c.accept("TRUNCATE"):
		return x.truncate()
	}
	return counts, base.Errorf(base.Invalid, "%s is not supported yet", s.Verb()).At(1)
}

// explained returns the plan of the statement. The argument words has EXPLAIN and its options.
func (x *ddlStatement) explained(words string) (sqlquery.Rows, error) {
	s := x.c.statement
	switch {
	case IsSourceStatement(s) || IsExportStatement(s):
		return nil, base.Errorf(base.Invalid, "EXPLAIN of %s %s is not supported: DuckDB has no such statement", s.Verb(), strings.ToUpper(s.Tokens[1].Text()))
	case s.Verb() == "TRUNCATE":
		return x.explainTruncate(words)
	case definingQuery(s) == 0:
		return x.explainCatalog(words)
	}
	q := &composedQuery{}
	q.write(words)
	end, _ := x.queryEnd()
	q.copy(x.c, definingQuery(s), end)
	rows, err := x.planner.Select(x.ctx, x.selects(q))
	return rows, q.withPosition(err)
}
