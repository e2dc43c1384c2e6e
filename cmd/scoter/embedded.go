package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/session"
)

// embedded is a data directory that is open in this process.
type embedded struct {
	app      *app.App
	database string
}

func (e *embedded) close() error { return e.app.Close() }

func (e *embedded) sql(ctx context.Context, w io.Writer, text string, format encode.Format) error {
	started := time.Now()
	answer, err := e.app.Executor.Execute(ctx, session.Request{SQL: text, Database: e.database, Role: session.Admin})
	if err != nil {
		return err
	}
	defer answer.Close()
	if answer.Rows == nil {
		tell(answer.Verb, answer.Counts)
		return nil
	}
	_, err = encode.Write(ctx, w, format, answer.Rows, encode.Options{
		Elapsed:  func() time.Duration { return time.Since(started) },
		RowsRead: func() int64 { return answer.Stats.RowsRead },
	})
	return err
}

func (e *embedded) backup(ctx context.Context, w io.Writer) error {
	return e.app.Backup(ctx, w)
}

// load adds all rows in one edit: after an error there are none of them.
func (e *embedded) load(ctx context.Context, table string, rows input) error {
	rec, err := rows.next()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	l, err := e.begin(ctx, table, rec)
	if err != nil {
		rec.Release()
		return err
	}
	for first := int64(0); err == nil; {
		err = e.add(ctx, l, rec, first, rows)
		first += rec.NumRows()
		rec.Release()
		if err == nil {
			rec, err = rows.next()
		}
	}
	if err != io.EOF {
		return errors.Join(err, l.Abort())
	}
	_, err = l.Commit(ctx)
	return err
}

// begin starts a load into a table that is made, or gains columns, as the first batch needs it.
func (e *embedded) begin(ctx context.Context, table string, first arrow.RecordBatch) (*engine.Load, error) {
	name, err := engineName(e.database, table)
	if err != nil {
		return nil, err
	}
	store := e.app.Engine
	t, err := store.Lookup(name.Database, name.Schema, name.Name)
	if base.KindOf(err) == base.NotFound {
		if t, err = batch.InferTable(name.Database, name.Schema, name.Name, first, nil, batch.InferOptions{}); err != nil {
			return nil, err
		}
		if err := store.CreateDatabase(ctx, name.Database, true); err != nil {
			return nil, err
		}
		if err := store.CreateSchema(ctx, name.Database, name.Schema, true); err != nil {
			return nil, err
		}
		return store.Load(ctx, t, engine.LoadOptions{Create: true})
	}
	if err != nil {
		return nil, err
	}
	if _, needed, err := batch.Evolve(first, t); err != nil {
		return nil, base.Wrap(err, "table %s", t.QualifiedName())
	} else if needed {
		t, err = store.AlterTable(ctx, t.ID, func(now schema.Table) (schema.Table, error) {
			next, _, err := batch.Evolve(first, now)
			return next, err
		})
		if err != nil {
			return nil, err
		}
	}
	return store.Load(ctx, t, engine.LoadOptions{})
}

func (e *embedded) add(ctx context.Context, l *engine.Load, rec arrow.RecordBatch, first int64, rows input) error {
	t := l.Table()
	var lacking []schema.Column
	for _, c := range t.Columns {
		if c.Default != "" && len(rec.Schema().FieldIndices(c.Name)) == 0 {
			lacking = append(lacking, c)
		}
	}
	o := batch.ConformOptions{FirstRow: first}
	if len(lacking) > 0 {
		var err error
		if o.Defaults, err = rows.defaults(ctx, t, lacking); err != nil {
			return err
		}
		defer func() {
			for _, value := range o.Defaults {
				value.Release()
			}
		}()
	}
	conformed, err := batch.Conform(rec, t, o)
	if err != nil {
		return base.Wrap(err, "table %s", t.QualifiedName())
	}
	defer conformed.Release()
	return l.Add(ctx, conformed)
}
