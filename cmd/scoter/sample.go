package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/schollz/progressbar/v3"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/sample"
	"github.com/scoterdb/scoter/internal/session"
)

// sampleBatch is how many rows are made at once.
const sampleBatch = 100_000

// loadSample makes the table of sensor readings, unless it is there and has rows. Its rows come in one edit: what does not end leaves none.
func loadSample(ctx context.Context, a *app.App, database string, rows int) error {
	answer, err := a.Executor.Execute(ctx, session.Request{SQL: sample.SensorTable, Database: database, Role: session.Writer})
	if err != nil {
		return err
	}
	answer.Close()
	t, err := a.Engine.Lookup(database, engine.DefaultSchema, "sensor_readings")
	if err != nil {
		return err
	}
	snap, err := a.Engine.Snapshot(t.ID)
	if err != nil {
		return err
	}
	there := snap.Tables[t.ID].Rows()
	snap.Release()
	if there > 0 {
		return nil
	}
	bar := progressbar.NewOptions(rows, progressbar.OptionSetDescription("sensor readings"), progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"), progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
		progressbar.OptionFullWidth(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionOnCompletion(func() { fmt.Fprintln(os.Stderr) }))
	defer bar.Close()
	sensors, done := sample.NewSensors(), 0
	return (&embedded{a, database}).load(ctx, "sensor_readings", func() (arrow.RecordBatch, error) {
		if err := errors.Join(ctx.Err(), bar.Set(done)); err != nil {
			return nil, err
		}
		if done == rows {
			return nil, io.EOF
		}
		n := min(sampleBatch, rows-done)
		done += n
		return sensors.Batch(n), nil
	})
}

// thingsToTry is printed below the sample data.
const thingsToTry = `
Three things to try, in another terminal:

  1. Ask:     curl %[1]s/api/v1/sql --data "SELECT location, avg(temperature), count(*) FROM sensor_readings GROUP BY ALL ORDER BY 2 DESC"
  2. Write:   curl "%[1]s/write?db=default" --data-binary "weather,city=Oslo temp=3.5,wind=7i"
              curl %[1]s/api/v1/sql --data "SELECT * FROM weather"
  3. Explore: bin/scoter sql

Ctrl-C stops the server; everything acknowledged is there when it starts again.
`
