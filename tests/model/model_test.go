// Package model runs random lists of statements on Scoter and on plain DuckDB, which is the model.
// It compares everything after every step. Between the statements, rows are flushed, parts are
// merged, the database is reopened, and readers continue results that they began earlier.
//
// A list depends only on its seed. A failing list is shortened until nothing can be left out, and
// printed as a script. SCOTER_MODEL_SEEDS is the number of seeds. SCOTER_MODEL_SEED runs a single
// seed.
package model

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/scoterdb/scoter/internal/config"
)

// seedsByDefault seeds, and half as many with versions, take about two minutes on two cores. make
// nightly runs 10,000 of each.
const seedsByDefault = 250

func TestStatementsDoWhatTheyDoInDuckDB(t *testing.T) {
	if asExpressions := runSeeds(t, seedsByDefault, generate); asExpressions == 0 && number(t, "SCOTER_MODEL_SEED", 0) == 0 {
		t.Error("no statement was stored as an expression")
	}
}

// runSeeds runs the lists of many seeds: n, unless the environment sets the number. It returns how
// many statements were stored as expressions.
func runSeeds(t *testing.T, n int, generate func(seed int) []step) (asExpressions int64) {
	return runSeedsOf(t, number(t, "SCOTER_MODEL_SEEDS", n), generate, func(*config.Server) {})
}

// runSeedsOf runs the lists of n seeds on databases with changed settings.
func runSeedsOf(t *testing.T, n int, generate func(seed int) []step, set func(*config.Server)) (asExpressions int64) {
	first := 1
	if seed := number(t, "SCOTER_MODEL_SEED", 0); seed > 0 {
		first, n = seed, 1
	}
	var next, expressions atomic.Int64
	next.Store(int64(first))
	var workers sync.WaitGroup
	for range 2 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			pair := open(t, set)
			defer func() { expressions.Add(int64(pair.asExpressions)); pair.close() }()
			for !t.Failed() {
				seed := int(next.Add(1) - 1)
				if seed >= first+n {
					return
				}
				steps := generate(seed)
				if err := pair.run(steps); err != nil {
					t.Errorf("seed %d: %v", seed, err)
					report(t, open(t, set), seed, steps)
				}
			}
		}()
	}
	workers.Wait()
	return expressions.Load()
}

func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// report shortens a failing list on a separate pair, closes that pair, and fails the test with the
// list.
func report(t *testing.T, fresh *pair, seed int, steps []step) {
	defer fresh.close()
	steps, err := shortened(fresh, steps)
	if err == nil {
		t.Errorf("seed %d: no failure in empty databases", seed)
	}
	var script strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&script, "%s\n", s)
	}
	t.Errorf("seed %d: %v\n%s", seed, err, script.String())
}

// shortened removes all steps without which the list still fails. It tries larger pieces first.
func shortened(pair *pair, steps []step) ([]step, error) {
	err := pair.run(steps)
	if err == nil {
		return steps, nil
	}
	for size := max(1, len(steps)/2); ; size /= 2 {
		for from := 0; from < len(steps); {
			to := min(from+size, len(steps))
			shorter := append(append([]step(nil), steps[:from]...), steps[to:]...)
			if failure := pair.run(shorter); failure != nil {
				steps, err = shorter, failure
				continue
			}
			from = to
		}
		if size <= 1 {
			return steps, err
		}
	}
}
