package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

type loadCommand struct {
	where `embed:""`
	Files []string `arg:"" help:"CSV, NDJSON, JSON or Parquet files, also compressed (.gz, .zst)." type:"path"`
	Table string   `help:"Table to load into; it is made if it is not there." required:""`
}

func (*loadCommand) Help() string {
	return "Example: scoter load *.parquet --table trips"
}

func (l *loadCommand) Run(ctx context.Context) error {
	t, err := l.open()
	if err != nil {
		return err
	}
	return errors.Join(l.run(ctx, t), t.close())
}

func (l *loadCommand) run(ctx context.Context, t target) error {
	inst, err := duck.Open(duck.Settings{ExternalAccess: true, TrackProgress: true})
	if err != nil {
		return err
	}
	defer inst.Close()
	conn, err := inst.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, file := range l.Files {
		if err := l.file(ctx, conn, t, file); err != nil {
			return base.Wrap(err, "load %s", file)
		}
	}
	return nil
}

// readers are DuckDB's functions by the ending of a file.
var readers = map[string]string{".csv": "read_csv", ".tsv": "read_csv", ".txt": "read_csv", ".json": "read_json", ".ndjson": "read_json",
	".jsonl": "read_json", ".parquet": "read_parquet"}

// literal makes of a path the pattern that it alone matches: DuckDB takes all paths for patterns, and of trips[1].csv reads trips1.csv.
var literal = strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]")

// batchRows and batchBytes bound what is sent at once.
const (
	batchRows  = 122_880
	batchBytes = 16 << 20
)

func (l *loadCommand) file(ctx context.Context, conn *duck.Conn, t target, file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return base.Errorf(base.NotFound, "%w", err)
	}
	ending := filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), ".zst"))
	reader, ok := readers[strings.ToLower(ending)]
	if !ok {
		return base.Errorf(base.Invalid, "the ending %q names no format", ending).WithHint("files end in .csv, .json, .ndjson or .parquet")
	}
	rows, err := conn.Query(ctx, fmt.Sprintf("SELECT * FROM %s(%s)", reader, schema.QuoteString(literal.Replace(file))))
	if err != nil {
		return err
	}
	defer rows.Close()
	p := startProgress(filepath.Base(file), info.Size())
	if err := t.load(ctx, l.Table, gather(ctx, rows, p, conn)); err != nil {
		return errors.Join(err, p.abandon())
	}
	return p.finish()
}

// gather joins DuckDB's small batches into larger ones, and tells how far it is.
func gather(ctx context.Context, rows *duck.Result, p *progress, conn *duck.Conn) func() (arrow.RecordBatch, error) {
	ended := false
	return func() (arrow.RecordBatch, error) {
		var parts []arrow.RecordBatch
		defer func() {
			for _, p := range parts {
				p.Release()
			}
		}()
		n, bytes := int64(0), int64(0)
		for n < batchRows && bytes < batchBytes && !ended {
			rec, err := rows.Next(ctx)
			if errors.Is(err, io.EOF) {
				ended = true
				break
			}
			if err != nil {
				return nil, err
			}
			parts = append(parts, rec)
			n += rec.NumRows()
			bytes += batch.Bytes(rec)
		}
		if n == 0 {
			return nil, io.EOF
		}
		if err := p.add(n, conn.Progress()/100); err != nil {
			return nil, err
		}
		return batch.Concat(parts)
	}
}
