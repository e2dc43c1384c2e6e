package main

import (
	"context"
	"io"
	"time"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest/format"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/session"
)

// embedded is a data directory that is open in this process.
type embedded struct {
	app      *app.App
	settings config.Server
}

func (e *embedded) close() error { return e.app.Close() }

func (e *embedded) sql(ctx context.Context, w io.Writer, text string, format encode.Format) (result bool, err error) {
	started := time.Now()
	answer, err := e.app.Executor.Execute(ctx, session.Request{SQL: text, Database: e.settings.Database, Role: session.Admin})
	if err != nil {
		return false, err
	}
	defer answer.Close()
	if answer.Rows == nil {
		printCounts(answer.Verb, answer.Counts)
		return false, nil
	}
	_, err = encode.Write(ctx, w, format, answer.Rows, encode.Options{
		Elapsed:  func() time.Duration { return time.Since(started) },
		RowsRead: func() int64 { return answer.Stats.RowsRead },
	})
	if err != nil && answer.Changes {
		// The counts are printed although an error follows, because the change is committed. A user
		// who believes that it failed would repeat it.
		printCounts(answer.Verb, answer.Counts)
	}
	return true, err
}

func (e *embedded) backup(ctx context.Context, w io.Writer) error {
	return e.app.Backup(ctx, w)
}

// load stores rows in the way in which a server stores the rows of a request.
func (e *embedded) load(ctx context.Context, rows loadedRows) (replayed bool, err error) {
	name := rows.table
	o := wire.Options{Delimiter: rows.delimiter, NullText: rows.null, MaxBody: largestRows, Largest: largestRows}
	if t, err := e.app.Engine.Lookup(name.Database, name.Schema, name.Name); err == nil {
		o.Types = t.Fields()
	}
	batches, err := rows.format.Decode(rows.Body, o)
	if err != nil {
		return false, err
	}
	defer func() {
		for _, rec := range batches {
			rec.Release()
		}
	}()
	if format.Empty(batches) {
		return false, nil
	}
	counts, err := e.app.Executor.Write(ctx, engine.TableRows{Table: name, Batches: batches}, rows.mode, rows.key, engine.AppendOptions{Create: true, IdempotencyKey: rows.once})
	return counts.Replayed, err
}

// largestRows is the maximum size in memory, in bytes, of the rows of one piece (the part of a file
// that is loaded at a time).
const largestRows = 1 << 30
