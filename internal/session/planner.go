package session

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/export"
	"github.com/scoterdb/scoter/internal/mutate"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/query"
	"github.com/scoterdb/scoter/internal/stream"
)

// planner runs queries for package mutate. It is a type of this package so that mutate does not
// depend on package query.
type planner struct{ runner *query.Runner }

// NewPlanner returns a query runner with the interface that package mutate needs.
func NewPlanner(r *query.Runner) mutate.Planner { return planner{r} }

func (p planner) Select(ctx context.Context, s mutate.Select) (mutate.Rows, error) {
	return p.runner.Run(ctx, request(s))
}

func (p planner) Find(ctx context.Context, s mutate.Select) (mutate.Found, error) {
	return p.runner.Run(ctx, request(s))
}

func (p planner) Columns(ctx context.Context, s mutate.Select) ([]string, error) {
	return p.runner.Columns(ctx, request(s))
}

func request(s mutate.Select) query.Request {
	req := query.Request{SQL: s.SQL, Args: s.Args, Database: s.Database, ReadFiles: s.ReadFiles, Defines: s.Defines, Target: s.Target, Evolutions: s.Evolutions}
	if s.Transient != nil {
		req.Transient = &query.Transient{Name: s.Transient.Name, Rows: s.Transient.Table, InMemory: s.Transient.InMemory, Path: s.Transient.Path}
	}
	if r := s.Rows; r != nil {
		rows := overlay.Rows{Addresses: r.Addresses, Key: r.Key}
		for _, c := range r.Constants {
			rows.Constants = append(rows.Constants, overlay.Constant(c))
		}
		req.Rows = &query.KeyRows{Snapshot: r.Snapshot, Rows: rows}
	}
	return req
}

// collector runs queries for package stream, which fills tables from Kafka.
type collector struct{ runner *query.Runner }

// NewCollector returns a query runner with the interface that package stream needs.
func NewCollector(r *query.Runner) stream.Planner { return collector{r} }

func (c collector) Collect(ctx context.Context, s stream.Select) (all []arrow.RecordBatch, err error) {
	req := query.Request{SQL: s.SQL, Database: s.Database, Target: s.Target}
	if s.Messages != nil {
		req.Transient = &query.Transient{Name: stream.Messages, Rows: s.Messages}
	}
	rows, err := c.runner.Run(ctx, req)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for {
		rec, err := rows.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			if len(all) == 0 {
				all = append(all, stream.EmptyBatch(rows.Schema()))
			}
			return all, nil
		case err != nil:
			for _, rec := range all {
				rec.Release()
			}
			return nil, err
		}
		all = append(all, rec)
	}
}

func (c collector) Parse(ctx context.Context, sql string) error { return c.runner.Parse(ctx, sql) }

func (c collector) SplitAggregate(ctx context.Context, sql, table string) (stream.SplitAggregate, error) {
	d, err := c.runner.SplitAggregate(ctx, sql, stream.Messages, table)
	return stream.SplitAggregate(d), err
}

func (c collector) Lineage(ctx context.Context, sql string, k stream.KeyColumns) (stream.Lineage, error) {
	l, err := c.runner.Lineage(ctx, sql, stream.Messages, query.KeyColumns(k))
	return stream.Lineage(l), err
}

// portions runs queries over single partitions for package export.
type portions struct{ runner *query.Runner }

// NewPortions returns a query runner with the interface that package export needs.
func NewPortions(r *query.Runner) export.Planner { return portions{r} }

func (p portions) Parse(ctx context.Context, sql string) error { return p.runner.Parse(ctx, sql) }

func (p portions) Columns(ctx context.Context, s export.Select) ([]string, error) {
	return p.runner.Columns(ctx, portion(s))
}

func (p portions) Select(ctx context.Context, s export.Select) (export.Rows, error) {
	return p.runner.Run(ctx, portion(s))
}

func portion(s export.Select) query.Request {
	return query.Request{SQL: s.SQL, Database: s.Database, Partition: &query.PartitionScan{Table: s.Table, Partition: s.Partition}}
}

// writer writes rows for package stream.
type writer struct{ executor *Executor }

// NewWriter returns an executor with the interface that package stream needs.
func NewWriter(x *Executor) stream.Writer { return writer{x} }

func (w writer) Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	counts, err := w.executor.mutate.Append(ctx, tables, o)
	w.executor.count(byKafka, counts)
	return err
}

func (w writer) Check(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	return w.executor.mutate.Check(ctx, tables, o)
}
