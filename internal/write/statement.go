// Package write stores rows in tables. It chooses one of several ways for each change, such as
// appending rows, looking up their keys, or rewriting parts.
package write

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/tx"
)

// Result is the outcome of a statement. Rows is the result of RETURNING, or nil.
type Result struct {
	Counts engine.Counts
	Rows   sqlquery.Rows
}

// Close releases the result's rows.
func (r *Result) Close() {
	if r.Rows != nil {
		r.Rows.Close()
	}
}

// Writer changes rows of tables. It is safe for concurrent use.
type Writer struct {
	*statement.Tools
	*tx.Manager
	Store    Store
	Loads    Loads
	Memory   *memtable.Pool // Memory is the budget for the rows over which RETURNING is evaluated.
	Keys     *keys.Finder
	Rewriter Rewriter
}

// execution is one running statement that changes rows.
type execution struct {
	*dml.Statement
	*Writer
	// lastReads lists the tables that the last attempt to run the statement depended on.
	lastReads []base.TableID
}

// NewStatement returns a statement that the writer can execute.
func (m *Writer) NewStatement(s *statement.Statement) *dml.Statement {
	return &dml.Statement{Statement: s, Stored: m.Snapshots}
}

func (m *Writer) execution(s *statement.Statement) *execution {
	return &execution{Statement: m.NewStatement(s), Writer: m}
}

// Store appends rows, and prepares rows for their tables.
type Store interface {
	Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (engine.Result, error)
	Conform(ctx context.Context, rows engine.TableRows, o engine.AppendOptions) (schema.Table, *engine.Evolution, []arrow.RecordBatch, error)
	ConformBatch(ctx context.Context, in arrow.RecordBatch, t schema.Table, first int64, whole bool) (arrow.RecordBatch, error)
	Plan(ctx context.Context, rows engine.TableRows, o engine.AppendOptions) (schema.Table, *engine.Evolution, error)
}

// Loads writes rows as parts.
type Loads interface {
	Load(ctx context.Context, t schema.Table, o engine.LoadOptions) (*engine.Load, error)
	Flush(ctx context.Context) error
	DeleteSuperseded(ctx context.Context, id base.TableID) error
	ChunkBytes() int64
	FitsPatch(bytes int64) bool
}

// Rewriter applies a change by rewriting the parts that have the changed rows. Package merge
// implements it.
type Rewriter interface {
	Mutate(ctx context.Context, s *snapshot.Snapshot, c engine.Change, o engine.AppendOptions) error
}
