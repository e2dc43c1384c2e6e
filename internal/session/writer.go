package session

import (
	"context"

	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/stream"
)

// writer writes rows for package stream.
type writer struct{ executor *Executor }

// NewWriter returns an executor with the interface that package stream needs.
func NewWriter(x *Executor) stream.Writer { return writer{x} }

func (w writer) Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	counts, err := w.executor.statements.Append(ctx, tables, o)
	w.executor.count(byKafka, counts)
	return err
}

func (w writer) Check(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	return w.executor.statements.Check(ctx, tables, o)
}
