package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/schollz/progressbar/v3"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/sample"
	"github.com/scoterdb/scoter/internal/session"
)

// sampleBatch is the number of rows that are generated at a time.
const sampleBatch = 100_000

// loadSample fills the table of sensor readings with generated rows, unless the table has rows
// already. All rows are committed in one edit, so an interrupted load leaves no rows.
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
	load, err := a.Engine.Load(ctx, t, engine.LoadOptions{})
	if err != nil {
		return err
	}
	sensors := sample.NewSensors()
	for done := 0; done < rows; {
		n := min(sampleBatch, rows-done)
		if err := addSample(ctx, a, load, sensors.Batch(n)); err != nil {
			return errors.Join(err, load.Abort())
		}
		done += n
		if err := bar.Set(done); err != nil {
			return errors.Join(err, load.Abort())
		}
	}
	_, err = load.Commit(ctx, engine.AppendOptions{})
	return err
}

// addSample adds batches of rows to a load, and releases the batches.
func addSample(ctx context.Context, a *app.App, load *engine.Load, rows arrow.RecordBatch) error {
	defer rows.Release()
	own, err := a.Engine.ConformBatch(ctx, rows, load.Table(), 0, false)
	if err != nil {
		return err
	}
	defer own.Release()
	return load.Add(ctx, own)
}

// samplesOfUse is the text that is printed after the sample data is loaded. It has queries to try.
const samplesOfUse = `
Three things to try, in another terminal:

  1. Ask:     curl %[1]s/api/v1/sql --data "SELECT location, avg(temperature), count(*) FROM sensor_readings GROUP BY ALL ORDER BY 2 DESC"
  2. Write:   curl "%[1]s/write?db=default" --data-binary "weather,city=Oslo temp=3.5,wind=7i"
              curl %[1]s/api/v1/sql --data "SELECT * FROM weather"
  3. Explore: bin/scoter sql

Ctrl-C stops the server; everything acknowledged is there when it starts again.
`
