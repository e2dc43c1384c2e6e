package query

import (
	"context"
	"sync"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// TestBoundsEndWithTheirQuery checks that the evaluation of any number of conditions ends with the
// query's context, and that DuckDB is asked about few of them.
func TestBoundsEndWithTheirQuery(t *testing.T) {
	conn := connect(t)
	node, err := conn.ParseSelect("SELECT now()")
	if err != nil {
		t.Fatal(err)
	}
	now := node["select_list"].([]any)[0].(duck.Node)
	conditions := make([]condition, 20_000)
	for i := range conditions {
		conditions[i] = condition{column: "ts", operator: overlay.Greater, values: []duck.Node{now}, evaluated: &sync.Map{}}
	}
	table := &schema.Table{ID: 1, Columns: []schema.Column{{ID: 1, Name: "ts", Type: schema.Of(schema.TimestampTZ)}}}
	parts := &snapshot.Table{Schema: *table, Parts: make([]*catalog.Part, 2)}
	b := &binding{conn: conn, snapshot: snapshot.New(0, map[base.TableID]*snapshot.Table{1: parts}, func() {})}
	defer b.release()
	bounds, err := b.bounds(t.Context(), conditions, table)
	if err != nil || len(bounds) != maxEvaluated {
		t.Errorf("%d bounds, %v", len(bounds), err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.bounds(over, conditions, table); base.KindOf(err) != base.Canceled {
		t.Errorf("when the query is over: %v", err)
	}
}
