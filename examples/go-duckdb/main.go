// Command go-duckdb is a year of weather in DuckDB.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"log"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/scoterdb/scoter/examples/go-duckdb/weather"
)

// year yields the measurements of a station. Rows are taken one at a time: a
// sequence of any length fits in memory.
func year(station string, from float64) iter.Seq2[weather.MeasurementsRow, error] {
	return func(yield func(weather.MeasurementsRow, error) bool) {
		first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for d := range 365 {
			celsius := from + float64(d%30)
			row := weather.MeasurementsRow{Station: station, Day: first.AddDate(0, 0, d), Celsius: &celsius}
			if d%7 == 0 {
				row.Celsius = nil // the thermometer rests on that day
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func run(ctx context.Context) error {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	applied, err := weather.ApplyQueriesMigrations(ctx, db, "", weather.MigrateOptions{})
	if err != nil {
		return err
	}
	fmt.Println("migrations", applied)
	q := weather.NewQueries(db)
	defer q.Close()
	err = q.Transaction(ctx, func(tx *weather.Queries) error {
		for station, from := range map[string]float64{"Oslo": -10, "Rome": 5} {
			if _, err := tx.InsertAllMeasurements(ctx, year(station, from)); err != nil {
				return err
			}
		}
		changed, err := tx.Correct(ctx, 0.25, "Oslo")
		fmt.Println("corrected", changed)
		return err
	})
	if err != nil {
		return err
	}
	warmest, err := q.Warmest(ctx)
	if err != nil {
		return err
	}
	for _, w := range warmest {
		fmt.Println(w.Station, w.Day.Format(time.DateOnly), *w.Celsius)
	}
	for m, err := range q.MeasurementsOfStream(ctx, "Rome") {
		if err != nil {
			return err
		}
		fmt.Println("first of Rome", m.Day.Format(time.DateOnly), m.Celsius == nil)
		break // the rest is never read
	}
	key := weather.MeasurementsKey{Station: "Rome", Day: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	deleted, err := q.DeleteAllMeasurements(ctx, weather.RowsOf(key))
	if err != nil {
		return err
	}
	fmt.Println("deleted", deleted)
	n, err := q.CountMeasurements(ctx)
	fmt.Println("left", n)
	return err
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
