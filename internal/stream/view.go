package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// A view of a source is filled through a table of states. The view's query runs over each batch of
// records. For each group, its result is a state: an intermediate result of the aggregates. The
// states are added to the table of states. The view merges the states when it is read.
//
// The number of states must grow only with the number of groups, and not with the number of
// batches. So a goroutine of the session joins states from time to time: one edit replaces all
// states of a group by one state. The goroutine joins states again when the number of states has
// doubled. Therefore all joins together cost as much as writing each state a few times.

const (
	// statesSuffix is appended to the name of a view for its table of states.
	statesSuffix = "_states"
	// States are joined if there are at least joinRows of them, or if their size in bytes is at
	// least joinBytes. With fewer states, a join costs more than it saves.
	joinRows, joinBytes = 50_000, 64 << 20
	// joinChunkBytes is approximately how many bytes of states one edit joins. The size of states
	// is estimated as valueBytes for each value, or as the size in bytes of the table's rows if
	// that is larger.
	joinChunkBytes, valueBytes = 64 << 20, 16
	// minJoinedRows is the minimum number of rows of each batch of joined states, except for the
	// last batch.
	minJoinedRows = 16 << 10
)

// makeView creates the view that d describes, if d describes a view and the view does not exist. It
// replaces a view that an older version of Scoter created. If the view exists with another query,
// the error is Conflict.
func (m *Manager) makeView(ctx context.Context, d described) error {
	if d.MergedSQL == "" {
		return nil
	}
	there, err := m.store.LookupView(d.name.Database, d.name.Schema, d.name.Name)
	switch {
	case err != nil, there.SQL == d.PreviousMerged && d.PreviousMerged != d.MergedSQL:
	case there.SQL == d.MergedSQL:
		return nil
	default:
		return base.Errorf(base.Conflict, "view %q already exists with a different query", d.name.Name).WithHint("DROP VIEW %s", d.name.Name)
	}
	result, err := m.planner.Collect(ctx, sqlquery.Request{SQL: "DESCRIBE " + d.MergedSQL, Database: d.name.Database})
	if err != nil {
		return base.Wrap(err, "view %q", d.name.Name)
	}
	defer releaseBatches(result)
	v := catalog.View{Name: catalog.ViewName(d.name), SQL: d.MergedSQL}
	for _, rec := range result {
		for i := range int(rec.NumRows()) {
			typ, err := schema.Parse(rec.Column(1).ValueStr(i))
			if err != nil {
				return base.Wrap(err, "view %q", d.name.Name)
			}
			v.Columns = append(v.Columns, catalog.ViewColumn{Name: strings.Clone(rec.Column(0).ValueStr(i)), Type: typ})
		}
	}
	return m.store.PutView(ctx, v, there.SQL != "")
}

// runJoins merges the states of the source's views (intermediate results of their aggregates) in
// the background, until ctx ends. After each stored batch, it checks for each view whether enough
// states were added to make that worth it: see join.
func (x *session) runJoins(ctx context.Context) {
	joined := map[base.TableID]int64{} // the number of states after the last join, by table
	for {
		select {
		case <-x.stored:
		case <-ctx.Done():
			return
		}
		for _, t := range x.plan.targets {
			if !t.View {
				continue
			}
			if err := x.join(ctx, t, joined); err != nil && ctx.Err() == nil {
				x.status.note(base.Wrap(err, "join the states of view %q", t.Name.Name))
			}
		}
	}
}

// join joins the states (intermediate results) of a view if enough states were added since the last
// join. joined maps each table of states to the number of its rows after the last join.
func (s *source) join(ctx context.Context, t target, joined map[base.TableID]int64) error {
	store := s.manager.store
	table, err := store.Lookup(t.Name.Database, t.Name.Schema, t.Name.Name+statesSuffix)
	if err != nil {
		return nil // the table does not exist yet: the first batch creates it
	}
	snap, err := store.Snapshot(table.ID)
	if err != nil {
		return err
	}
	rows, bytes := snap.Tables[table.ID].Rows(), sizeOfTable(snap.Tables[table.ID])
	snap.Release()
	if rows < 2*joined[table.ID] || rows < joinRows && bytes < joinBytes || rows < 2 {
		return nil
	}
	// Set the number before the join, so that a join that fails is repeated only after the table
	// has grown by half, and not after every batch.
	joined[table.ID] = rows - rows/4
	d, err := s.manager.planner.SplitAggregate(ctx, t.Query, Messages, table.QuotedName())
	if err != nil {
		return err
	}
	// Estimate the memory generously. The size of the table (bytes) is that of compressed parts,
	// and the join may have as many groups as the table has states.
	shares := max(max(bytes, rows*valueBytes*int64(len(table.Columns)))/joinChunkBytes, 1)
	if len(d.GroupColumns) == 0 {
		shares = 1
	}
	for {
		left, err := s.joinShards(ctx, table.ID, d, shares)
		switch {
		case base.KindOf(err) == base.TooLarge && len(d.GroupColumns) > 0 && shares < rows:
			// The join of one share of the groups is too large for the memory. Use more and smaller
			// shares. Groups that are joined already take little time.
			shares *= 2
		case errors.Is(err, engine.ErrChanged):
			return nil // another statement changed the states: retry next time
		case err != nil:
			return err
		default:
			joined[table.ID] = left
			return nil
		}
	}
}

// joinShards joins the states of a view (intermediate results of its aggregates) in several edits.
// Each edit joins one share of the groups, chosen by the hash of the group. joinShards returns how
// many states remain.
func (s *source) joinShards(ctx context.Context, id base.TableID, d sqlquery.SplitAggregate, shares int64) (left int64, err error) {
	for share := range shares {
		where := ""
		if shares > 1 {
			where = fmt.Sprintf(" WHERE hash(%s) %% %d = %d", strings.Join(d.GroupColumns, ", "), shares, share)
		}
		n, err := s.joinShard(ctx, id, d, where)
		if err != nil {
			return 0, err
		}
		left += n
	}
	return left, nil
}

// joinShard joins those states of a view (intermediate results of its aggregates) that match the
// given SQL condition, and returns how many states remain. While it waits for memory, it holds no
// snapshot.
func (s *source) joinShard(ctx context.Context, id base.TableID, d sqlquery.SplitAggregate, where string) (left int64, err error) {
	reservation := s.manager.store.NewReservation()
	defer reservation.Close()
	for {
		snap, err := s.manager.store.Snapshot(id)
		if err != nil {
			return 0, err
		}
		left, err = s.replaceStates(ctx, snap, snap.Tables[id], d, where, reservation)
		snap.Release()
		if !errors.Is(err, engine.ErrMemoryBusy) {
			return left, err
		}
		if err := reservation.WaitForMore(ctx); err != nil {
			return 0, err
		}
	}
}

// replaceStates replaces those states of a view (intermediate results of its aggregates) that match
// the given SQL condition by one state for each group. It returns the number of these new states.
func (s *source) replaceStates(ctx context.Context, snap *snapshot.Snapshot, states *snapshot.Table, d sqlquery.SplitAggregate, where string, reservation *engine.Reservation) (int64, error) {
	const addresses = "SELECT " + schema.RowsetColumn + ", " + schema.OrdinalColumn + " FROM "
	find := overMessages(addresses+Messages+where, s.name.Database, states)
	find.Target = len(addresses)
	found, err := s.manager.planner.Collect(ctx, find)
	if err != nil {
		return 0, err
	}
	defer releaseBatches(found)
	change := engine.Change{Table: states.Schema.ID, Deleted: map[base.RowsetID]*roaring.Bitmap{}}
	before := int64(0)
	for _, rec := range found {
		before += rec.NumRows()
		sources, ordinals := rec.Column(0).(*array.Uint64), rec.Column(1).(*array.Int64)
		for i := range int(rec.NumRows()) {
			rowset := base.RowsetID(sources.Value(i))
			if change.Deleted[rowset] == nil {
				change.Deleted[rowset] = roaring.New()
			}
			change.Deleted[rowset].Add(uint32(ordinals.Value(i)))
		}
	}
	if before == 0 {
		return 0, nil
	}
	casts := make([]string, len(states.Schema.Columns))
	for i, c := range states.Schema.Columns {
		casts[i] = fmt.Sprintf("CAST(%[1]s AS %[2]s) AS %[1]s", schema.Quote(c.Name), c.Type.StorageSQL())
	}
	sql := fmt.Sprintf("SELECT %s FROM (SELECT %s FROM %s%s GROUP BY ALL)", strings.Join(casts, ", "), strings.Join(d.JoinExpressions, ", "), Messages, where)
	result, err := s.manager.planner.Collect(ctx, overMessages(sql, s.name.Database, states))
	if err != nil {
		return 0, err
	}
	change.Inserted, err = concatenated(result)
	releaseBatches(result)
	if err != nil {
		return 0, err
	}
	defer releaseBatches(change.Inserted)
	after := int64(batch.Rows(change.Inserted))
	if after == before {
		return after, nil
	}
	_, err = s.manager.store.Commit(ctx, snap, []engine.Change{change}, engine.AppendOptions{Reservation: reservation})
	return after, err
}

// concatenated joins small batches into batches of at least minJoinedRows rows. The last batch may
// be smaller. Fewer batches are better, because each batch of a memtable has a cost.
func concatenated(chunks []arrow.RecordBatch) (all []arrow.RecordBatch, err error) {
	for from, to := 0, 0; from < len(chunks); from = to {
		for rows := int64(0); to < len(chunks) && rows < minJoinedRows; to++ {
			rows += chunks[to].NumRows()
		}
		one, err := batch.Concat(chunks[from:to])
		if err != nil {
			releaseBatches(all)
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// sizeOfTable returns the approximate size in bytes of a table's rows, including deleted rows.
func sizeOfTable(t *snapshot.Table) (bytes int64) {
	for _, p := range t.Parts {
		bytes += p.Bytes
	}
	for _, m := range t.Memtables {
		for _, b := range m.Batches {
			bytes += batch.Bytes(b.Record)
		}
	}
	return bytes
}
