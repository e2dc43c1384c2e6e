package main

import (
	"context"
	"errors"
	"io"
	"slices"
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

func (e *embedded) sql(ctx context.Context, w io.Writer, text string, format encode.Format) (result bool, err error) {
	started := time.Now()
	answer, err := e.app.Executor.Execute(ctx, session.Request{SQL: text, Database: e.database, Role: session.Admin})
	if err != nil {
		return false, err
	}
	defer answer.Close()
	if answer.Rows == nil {
		tell(answer.Verb, answer.Counts)
		return false, nil
	}
	_, err = encode.Write(ctx, w, format, answer.Rows, encode.Options{
		Elapsed:  func() time.Duration { return time.Since(started) },
		RowsRead: func() int64 { return answer.Stats.RowsRead },
	})
	if err != nil && answer.Changes {
		tell(answer.Verb, answer.Counts) // it is done: who takes it for failed does it again
	}
	return true, err
}

func (e *embedded) backup(ctx context.Context, w io.Writer) error {
	return e.app.Backup(ctx, w)
}

// load adds all rows in one edit: after an error there are none of them.
func (e *embedded) load(ctx context.Context, table string, rows input) error {
	first, err := rows()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	t, o, err := e.tableFor(ctx, table, first)
	if err != nil {
		first.Release()
		return err
	}
	if len(t.PrimaryKey) > 0 {
		given := slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.Column) bool { return lacks(first, c) })
		_, err := e.app.Executor.InsertMany(ctx, t, given, engine.AppendOptions{}, func(take func(arrow.RecordBatch) error) error {
			return e.eachConformed(ctx, t, first, rows, take)
		})
		return err
	}
	l, err := e.app.Engine.Load(ctx, t, o)
	if err != nil {
		first.Release()
		return err
	}
	add := func(rec arrow.RecordBatch) error { return l.Add(ctx, rec) }
	if err := e.eachConformed(ctx, l.Table(), first, rows, add); err != nil {
		return errors.Join(err, l.Abort())
	}
	_, err = l.Commit(ctx, engine.AppendOptions{})
	return err
}

// tableFor returns the table that rows go to. It is to be made by their load, or gains columns, as the first batch needs it.
func (e *embedded) tableFor(ctx context.Context, table string, first arrow.RecordBatch) (t schema.Table, o engine.LoadOptions, err error) {
	name, err := engineName(e.database, table)
	if err != nil {
		return t, o, err
	}
	if err := schema.CheckReserved(name.Database, name.Schema); err != nil {
		return t, o, err
	}
	store := e.app.Engine
	t, err = store.Lookup(name.Database, name.Schema, name.Name)
	if base.KindOf(err) == base.NotFound {
		if t, err = batch.InferTable(name.Database, name.Schema, name.Name, first, nil, batch.InferOptions{}); err != nil {
			return t, o, err
		}
		if err := store.CreateDatabase(ctx, name.Database, true); err != nil {
			return t, o, err
		}
		return t, engine.LoadOptions{Create: true}, store.CreateSchema(ctx, name.Database, name.Schema, true)
	}
	if err != nil {
		return t, o, err
	}
	if _, needed, err := batch.Evolve(first, t, nil); err != nil {
		return t, o, base.Wrap(err, "table %s", t.QualifiedName())
	} else if !needed {
		return t, o, nil
	}
	t, err = store.AlterTable(ctx, t.ID, func(now schema.Table) (schema.Table, error) {
		next, _, err := batch.Evolve(first, now, nil)
		return next, err
	})
	return t, o, err
}

func lacks(rec arrow.RecordBatch, c schema.Column) bool {
	return !slices.ContainsFunc(rec.Schema().Fields(), func(f arrow.Field) bool { return schema.Fold(f.Name) == schema.Fold(c.Name) })
}

// eachConformed calls add with all rows as the table has them. The first batch was read already; it is released.
func (e *embedded) eachConformed(ctx context.Context, t schema.Table, rec arrow.RecordBatch, rows input, add func(arrow.RecordBatch) error) error {
	for first := int64(0); ; {
		err := e.conformed(ctx, t, rec, first, add)
		first += rec.NumRows()
		rec.Release()
		if err == nil {
			rec, err = rows()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (e *embedded) conformed(ctx context.Context, t schema.Table, rec arrow.RecordBatch, first int64, add func(arrow.RecordBatch) error) error {
	own, err := e.app.Engine.ConformBatch(ctx, rec, t, first, false)
	if err != nil {
		return base.Wrap(err, "table %s", t.QualifiedName())
	}
	defer own.Release()
	return add(own)
}
