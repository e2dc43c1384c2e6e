package mutate

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Stores has all that statements need from the engine.
type Stores struct {
	Names      Names
	Namespaces Namespaces
	Tables     Tables
	Views      Views
	Store      Store
	Loads      Loads
	Commits    Commits
	Snapshots  Snapshots
	Locks      Locks
	Keys       *keys.Finder
}

// StoresOf returns the stores of an engine.
func StoresOf(e *engine.Engine) Stores {
	return Stores{Names: e, Namespaces: e, Tables: e, Views: e, Store: e, Loads: e, Commits: e, Snapshots: e, Locks: e, Keys: e.Keys()}
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

// Merges rewrites the parts of tables. Package merge implements it.
type Merges interface {
	Rewriter
	Retyper
}
