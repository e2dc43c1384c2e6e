package updates

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/bench/load/lineitem"
	"github.com/scoterdb/scoter/internal/base"
)

// clients is the number of concurrent clients that update rows. upserts is the number of upsert
// requests, and upsertRows the number of rows in each of them.
const clients, upsertRows, upserts = 8, 10_000, 30

// rates measures how many small changes the server can make per second.
func (b *bench) rates(ctx context.Context) error {
	b.progress.Step("rates: single rows")
	if err := b.turn(0, func(s *side) error { return s.fill(ctx, "changed", s.load("changed", b.parquet)) }); err != nil {
		return err
	}
	chart := b.report.Chart(fmt.Sprintf("%d updates of one row in sequence", b.Singles), "s")
	for _, s := range b.sides {
		name := fmt.Sprintf("%d updates of one row in sequence, %s", b.Singles, s.name)
		if s.name == "Parquet written anew" {
			b.report.Options[name] = "left out: it writes the whole file for each"
			continue
		}
		began := time.Now()
		for n := range b.Singles {
			if _, err := s.all(ctx, s.update("changed", single(n, b.Scale))); err != nil {
				return base.Wrap(err, "%s", s.name)
			}
		}
		took := time.Since(began).Seconds()
		chart.Set(s.name, "all", took)
		if s == b.sides[0] {
			b.report.AtMost(3*float64(b.Singles)/1000, name, took, "s")
		} else {
			b.report.Add(name, took, "s")
		}
	}
	if err := b.atOnce(ctx); err != nil {
		return err
	}
	for _, when := range []string{"merge-on-write", "merge-on-read"} {
		if err := b.upsert(ctx, when); err != nil {
			return base.Wrap(err, "upsert, %s", when)
		}
	}
	return b.turn(0, func(s *side) error { _, err := s.all(ctx, s.drop("changed")); return err })
}

// The method atOnce measures concurrent clients that update single rows all over the table, for
// some time. The rows must be read from disk at first, and are in memory later.
func (b *bench) atOnce(ctx context.Context) error {
	const windows, window = 4, 5 * time.Second
	name := fmt.Sprintf("updates of one row, %d clients", clients)
	for i := range windows {
		// Time window i numbers its updates from i*apart on. apart is larger than the number of
		// updates in a window, so all windows update different rows.
		const apart = 1_000_000
		took, err := b.server.Latencies(ctx, clients, window, func(n int) string { return updateSQL("changed", single(b.Singles+i*apart+n, b.Scale)) })
		if err != nil {
			return err
		}
		rate, when := float64(len(took))/window.Seconds(), name+", the first 5 seconds"
		switch i {
		case 0:
			b.report.Add(when, rate, "1/s")
		case windows - 1:
			when = name + ", from the 15th second on"
			b.report.AtLeast(2000, when, rate, "1/s")
		default:
			continue
		}
		b.report.Add(when+": time of one, median", harness.Median(took), "ms")
		b.report.Add(when+": time of one, 99th percentile", harness.Percentile(took, 0.99), "ms")
	}
	return nil
}

// upsert sends upsert requests to a table with a primary key: first rows with new keys, and later
// rows with existing keys. Between the two, it upserts all rows of the benchmark's table with one
// INSERT OR REPLACE. It measures queries of the table after the requests.
func (b *bench) upsert(ctx context.Context, when string) error {
	b.progress.Step("rates: upserts, " + when)
	s := b.server
	table := strings.Replace(lineitem.CreateTable("keyed"), ") SORTED BY", ", PRIMARY KEY (l_orderkey, l_linenumber)) SORTED BY", 1)
	if _, err := s.SQL(ctx, fmt.Sprintf("%s WITH (upsert = '%s')", table, when)); err != nil {
		return err
	}
	for _, keys := range []string{"new", "known"} {
		if keys == "known" {
			began := time.Now()
			if _, err := s.SQL(ctx, "INSERT OR REPLACE INTO keyed SELECT * FROM changed ORDER BY l_orderkey, l_linenumber"); err != nil {
				return err
			}
			b.report.Add("INSERT OR REPLACE of the whole table, keyed, "+when, time.Since(began).Seconds(), "s")
			if err := s.WaitFlushed(ctx); err != nil {
				return err
			}
		}
		var bodies [][]byte
		for n := range upserts {
			body, err := b.arrow(ctx, fmt.Sprintf("FROM changed WHERE l_orderkey >= %d ORDER BY l_orderkey, l_linenumber LIMIT %d", orderKey(n, b.Scale), upsertRows))
			if err != nil {
				return err
			}
			bodies = append(bodies, body)
		}
		began := time.Now()
		group, sending := errgroup.WithContext(ctx)
		for worker := range 2 {
			group.Go(func() error {
				client := harness.NewClient()
				defer client.CloseIdleConnections()
				for n := worker; n < upserts; n += 2 {
					if err := b.send(sending, client, bodies[n]); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		b.report.AtLeast(300_000, fmt.Sprintf("upsert of %s keys, %d rows a request, %s", keys, upsertRows, when), upserts*upsertRows/time.Since(began).Seconds(), "rows/s")
		if keys == "known" {
			if err := b.readUpserted(ctx, when, bodies); err != nil {
				return err
			}
		}
	}
	_, err := s.SQL(ctx, "DROP TABLE keyed")
	return err
}

// send sends one request with rows for the table with a primary key.
func (b *bench) send(ctx context.Context, client *http.Client, body []byte) error {
	_, err := b.server.Send(ctx, client, "/api/v1/tables/default/keyed/rows?mode=upsert", "application/vnd.apache.arrow.stream", func() io.Reader { return bytes.NewReader(body) })
	return err
}

// readUpserted measures one query of the table with a primary key, in this order: right after all
// upserts, then several times in a row, and then after each of some further upsert requests.
func (b *bench) readUpserted(ctx context.Context, when string, bodies [][]byte) error {
	client := harness.NewClient()
	defer client.CloseIdleConnections()
	query := func() (float64, error) {
		began := time.Now()
		_, err := b.server.SQL(ctx, "SELECT l_returnflag, l_linestatus, count(*), sum(l_quantity), sum(l_extendedprice) FROM keyed GROUP BY ALL")
		return float64(time.Since(began).Microseconds()) / 1000, err
	}
	first, err := query()
	if err != nil {
		return err
	}
	b.report.Add(fmt.Sprintf("query right after %d rows, %s", upserts*upsertRows, when), first, "ms")
	for _, between := range []bool{false, true} {
		var took []float64
		for n := range 9 {
			if between {
				if err := b.send(ctx, client, bodies[n]); err != nil {
					return err
				}
			}
			one, err := query()
			if err != nil {
				return err
			}
			took = append(took, one)
		}
		name := "the same query again, nothing between, " + when
		if between {
			name = fmt.Sprintf("the same query after each of %d rows, %s", upsertRows, when)
		}
		b.report.Add(name, harness.Median(took), "ms")
	}
	return nil
}

// arrow runs a query and returns its result as the bytes of an Arrow stream.
func (b *bench) arrow(ctx context.Context, sql string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.server.URL+"/api/v1/sql?format=arrow", bytes.NewReader([]byte(sql)))
	if err != nil {
		return nil, base.Errorf(base.Internal, "request: %w", err)
	}
	resp, err := b.server.Client().Do(req)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "rows: %w", err)
	}
	defer resp.Body.Close()
	if err := harness.CheckStatus(resp); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "rows: %w", err)
	}
	return body, nil
}
