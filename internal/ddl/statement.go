package ddl

import (
	"context"
	"log/slog"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
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

// Tools has what statements need to change definitions.
type Tools struct {
	Namespaces Namespaces
	Tables     Tables
	Views      Views
	Snapshots  DefinedSnapshots
	Loads      DefinedLoads
	Sources    Sources
	Exports    Exports
	Retyper    Retyper
	Log        *slog.Logger
}

// Statement is one running statement that changes definitions, such as CREATE TABLE.
type Statement struct {
	*statement.Statement
	*Tools
}

func (x *Statement) change(t schema.Table, f func(schema.Table) (schema.Table, error)) error {
	if err := x.Reader.End(); err != nil {
		return err
	}
	_, err := x.Tables.AlterTable(x.Ctx, t.ID, f)
	return err
}

// ignoreConflict returns nil for a Conflict error ("already exists") if the statement has IF NOT
// EXISTS. It returns other errors as they are.
func ignoreConflict(err error, ifNotExists bool) error {
	if ifNotExists && base.KindOf(err) == base.Conflict {
		return nil
	}
	return err
}

// checkNotInCheck returns an error if a CHECK constraint of the table names the column. Such a
// column cannot be renamed or dropped. The argument done is a word for the error message, such as
// "dropped".
func checkNotInCheck(t schema.Table, column, done string) error {
	tokens, err := sqltoken.Split(t.Condition())
	if err != nil {
		return base.Wrap(err, "checks of table %s", t.QualifiedName())
	}
	for _, token := range tokens {
		if token.IsName() && schema.Fold(token.Name()) == schema.Fold(column) {
			return base.Errorf(base.Invalid, "column %q cannot be %s: a check of the table uses it: %s", column, done, t.Condition())
		}
	}
	return nil
}
