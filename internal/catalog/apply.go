package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Apply makes one edit durable, as a whole, in one transaction. If it returns nil, the edit
// survives any crash. After an error the edit is not in the catalog, and the catalog accepts
// further edits. If the disk is full, the error is StorageFull. If the edit contradicts the
// catalog, the error is Conflict or Invalid. Examples are a part that already exists, a database
// that is not empty, and a counter that decreases.
//
// The hard case is a commit whose last sync fails: SQLite reports an error although the file may
// already contain the edit. Apply then reads the number of edits from the file, which says whether
// the commit happened. If it did, Apply commits an empty transaction, whose syncs also make the
// edit durable, and succeeds. If the number cannot be read, the next Apply reads it first. If the
// file then turns out to have an edit that was reported as failed, the catalog and the engine's
// memory differ. Then every later Apply fails as Unavailable until a restart has loaded the catalog
// again.
func (c *Catalog) Apply(e Edit) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return base.Errorf(base.Internal, "apply to catalog %s: it is closed", c.path)
	}
	if err := c.resolve(); err != nil {
		return err
	}
	committed, err := c.commit(func() error { return c.write(e) })
	if committed && err != nil {
		// The edit is in the file, but perhaps not durable. An empty transaction syncs the database
		// and the journal again, which makes the edit durable, too.
		_, err = c.commit(func() error { return nil })
		if err != nil {
			c.fail()
		}
	}
	return c.wrap(err, "apply to")
}

// commit runs the function write in one transaction, which also adds 1 to the number of edits in
// the file. Even if SQLite reports an error, the file may have the transaction: the result
// committed says so.
func (c *Catalog) commit(write func() error) (committed bool, err error) {
	next := c.edits + 1
	err = c.transaction(func() error {
		if err := write(); err != nil {
			return err
		}
		_, err := c.exec(`UPDATE meta SET edits = ?`, next)
		return err
	})
	if err == nil {
		c.edits = next
		return true, nil
	}
	if c.broken != nil {
		return false, err
	}
	found, lookErr := c.countEdits()
	if lookErr != nil {
		c.doubt = true
		return false, err
	}
	c.edits = found
	return found == next, err
}

// resolve finds out whether the file has the previous edit, if the previous Apply could not find
// out.
func (c *Catalog) resolve() error {
	if c.broken != nil {
		return c.broken
	}
	if !c.doubt {
		return nil
	}
	c.fs.lastErr = nil
	found, err := c.countEdits()
	if err != nil {
		return c.wrap(err, "read")
	}
	if found != c.edits {
		c.fail()
		return c.broken
	}
	c.doubt = false
	return nil
}

// countEdits reads from the file how many edits it has.
func (c *Catalog) countEdits() (edits int64, err error) {
	err = c.queryRow(`SELECT edits FROM meta`, &edits)
	return edits, err
}

func (c *Catalog) fail() {
	c.broken = base.Errorf(base.Unavailable, "catalog %s contains an edit whose commit was reported as failed: no more edits are accepted", c.path).
		WithHint("restart the server once the disk is healthy")
}

// write executes the statements of an edit in the open transaction.
func (c *Catalog) write(e Edit) error {
	for _, step := range []func(Edit) error{c.removeThings, c.putNames, c.putTables, c.putViews, c.putSources, c.putOffsets, c.putExports, c.putObjects, c.addParts, c.putBlocks, c.putPatches, c.addExpressions, c.putDeduplicated, c.putKeys, c.raise} {
		if err := step(e); err != nil {
			return err
		}
	}
	return nil
}

// flag converts a bool to the integer that the catalog stores.
func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

// microseconds converts a time to the integer that the catalog stores (microseconds since 1970).
// The function moment converts it back. An unknown (zero) time is stored as 0.
func microseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func moment(microseconds int64) time.Time {
	if microseconds == 0 {
		return time.Time{}
	}
	return time.UnixMicro(microseconds).UTC()
}

// removal describes the removal of one row of the catalog, which must exist. Rows that depend on it
// are removed first.
type removal struct {
	what string
	// dependents are the SQL statements that remove the dependent rows. They and the field
	// statement all get the same arguments, those in the field args.
	dependents []string
	statement  string
	args       []any
}

func (c *Catalog) removeThings(e Edit) error {
	var all []removal
	for _, v := range e.DropViews {
		all = append(all, removal{"view", nil, `DELETE FROM views WHERE database_name = ? AND schema_name = ? AND name = ?`, []any{v.Database, v.Schema, v.Name}})
	}
	for _, id := range e.RemovePatches {
		all = append(all, removal{"patch", nil, `DELETE FROM patches WHERE id = ?`, []any{int64(id)}})
	}
	for _, id := range e.RemoveExpressions {
		all = append(all, removal{"expression", nil, `DELETE FROM expressions WHERE table_id = ? AND seq = ?`, []any{int64(id.Table), int64(id.Seq)}})
	}
	for _, id := range e.RemoveParts {
		all = append(all, removal{"part", []string{
			`DELETE FROM part_blocks WHERE part_id = ?`,
			`DELETE FROM part_stats WHERE part_id = ?`,
			`DELETE FROM part_deletions WHERE part_id = ?`,
			`DELETE FROM patches WHERE part_id = ?`,
		}, `DELETE FROM parts WHERE id = ?`, []any{int64(id)}})
	}
	for _, o := range e.DropExportObjects {
		all = append(all, removal{"object of export", nil, `DELETE FROM export_objects WHERE export_id = ? AND partition_key = ? AND generation = ?`,
			[]any{int64(o.Export), o.Partition, o.Generation}})
	}
	for _, id := range e.DropExports { // exports come before the tables that they export
		all = append(all, removal{"export", []string{`DELETE FROM export_objects WHERE export_id = ?`}, `DELETE FROM exports WHERE id = ?`, []any{int64(id)}})
	}
	for _, id := range e.DropTables {
		all = append(all, removal{"table", []string{
			`DELETE FROM part_blocks WHERE part_id IN (SELECT id FROM parts WHERE table_id = ?)`,
			`DELETE FROM part_stats WHERE part_id IN (SELECT id FROM parts WHERE table_id = ?)`,
			`DELETE FROM part_deletions WHERE part_id IN (SELECT id FROM parts WHERE table_id = ?)`,
			`DELETE FROM patches WHERE part_id IN (SELECT id FROM parts WHERE table_id = ?)`,
			`DELETE FROM parts WHERE table_id = ?`,
			`DELETE FROM expressions WHERE table_id = ?`,
			`DELETE FROM table_versions WHERE table_id = ?`,
		}, `DELETE FROM tables WHERE id = ?`, []any{int64(id)}})
	}
	for _, id := range e.DropSources {
		all = append(all, removal{"stream", []string{`DELETE FROM stream_offsets WHERE stream_id = ?`}, `DELETE FROM streams WHERE id = ?`, []any{int64(id)}})
	}
	for _, s := range e.DropSchemas {
		all = append(all, removal{"schema", nil, `DELETE FROM schemas WHERE database_name = ? AND name = ?`, []any{s.Database, s.Name}})
	}
	for _, name := range e.DropDatabases {
		all = append(all, removal{"database", nil, `DELETE FROM databases WHERE name = ?`, []any{name}})
	}
	for _, key := range e.DropKeys {
		all = append(all, removal{"idempotency key", nil, `DELETE FROM idempotency_keys WHERE key = ?`, []any{key}})
	}
	for _, r := range all {
		if err := c.remove(r); err != nil {
			return base.Wrap(c.classify(err), "remove %s %v", r.what, r.args)
		}
	}
	return nil
}

func (c *Catalog) remove(r removal) error {
	for _, statement := range r.dependents {
		if _, err := c.exec(statement, r.args...); err != nil {
			return err
		}
	}
	n, err := c.exec(r.statement, r.args...)
	if err == nil && n == 0 {
		return base.Errorf(base.Conflict, "it does not exist")
	}
	return err
}

func (c *Catalog) putNames(e Edit) error {
	for _, name := range e.PutDatabases {
		if _, err := c.exec(`INSERT INTO databases VALUES (?)`, name); err != nil {
			return base.Wrap(c.classify(err), "add database %q", name)
		}
	}
	for _, s := range e.PutSchemas {
		if _, err := c.exec(`INSERT INTO schemas VALUES (?, ?)`, s.Database, s.Name); err != nil {
			return base.Wrap(c.classify(err), "add schema %q.%q", s.Database, s.Name)
		}
	}
	return nil
}

func (c *Catalog) putTables(e Edit) error {
	// Every table first gets a temporary name, so that one edit may swap the names of tables.
	for _, t := range e.PutTables {
		if _, err := c.exec(`UPDATE tables SET name = ? WHERE id = ?`, fmt.Sprintf("\x01moving %d", t.Schema.ID), int64(t.Schema.ID)); err != nil {
			return err
		}
	}
	for _, t := range e.PutTables {
		if err := c.putTable(t); err != nil {
			return base.Wrap(c.classify(err), "put table %s", t.Schema.QualifiedName())
		}
	}
	return nil
}

func (c *Catalog) putTable(t Table) error {
	s := t.Schema
	if s.ID == 0 || s.Version == 0 {
		return base.Errorf(base.Internal, "id %d, version %d", s.ID, s.Version)
	}
	definition, err := s.Encode()
	if err != nil {
		return err
	}
	changed, err := c.exec(`UPDATE tables SET database_name = ?, schema_name = ?, name = ?, schema_version = ?, truncated_seq = ?, created = ?
		WHERE id = ? AND schema_version <= ? AND truncated_seq <= ?`,
		s.Database, s.Schema, s.Name, int64(s.Version), int64(t.TruncatedSeq), microseconds(t.Created), int64(s.ID), int64(s.Version), int64(t.TruncatedSeq))
	if err != nil {
		return err
	}
	if changed == 0 {
		// Either the table is new, or the catalog has a newer schema version or TRUNCATE of it. In
		// the second case the edit must fail. It does, because INSERT finds a row with the table's
		// id.
		if _, err := c.exec(`INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?, 0)`, int64(s.ID), s.Database, s.Schema, s.Name,
			int64(s.Version), int64(t.TruncatedSeq), microseconds(t.Created)); err != nil {
			return err
		}
	}
	_, err = c.exec(`INSERT INTO table_versions VALUES (?, ?, ?)
		ON CONFLICT (table_id, schema_version) DO UPDATE SET definition = excluded.definition`, int64(s.ID), int64(s.Version), string(definition))
	return err
}

func (c *Catalog) putViews(e Edit) error {
	for _, v := range e.PutViews {
		columns, err := json.Marshal(v.Columns)
		if err != nil {
			return base.Wrap(err, "put view %q", v.Name.Name)
		}
		if _, err := c.exec(`INSERT INTO views VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (database_name, schema_name, name) DO UPDATE SET query = excluded.query, columns = excluded.columns, created = excluded.created`,
			v.Name.Database, v.Name.Schema, v.Name.Name, v.SQL, string(columns), microseconds(v.Created)); err != nil {
			return base.Wrap(c.classify(err), "put view %q", v.Name.Name)
		}
	}
	return nil
}

func (c *Catalog) putSources(e Edit) error {
	for _, s := range e.PutSources {
		if s.ID == 0 {
			return base.Errorf(base.Internal, "put source %q: no id", s.Name.Name)
		}
		if _, err := c.exec(`INSERT INTO streams VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET database_name = excluded.database_name, schema_name = excluded.schema_name, name = excluded.name,
			definition = excluded.definition, paused = excluded.paused, created = excluded.created`,
			int64(s.ID), s.Name.Database, s.Name.Schema, s.Name.Name, string(s.Definition), flag(s.Paused), microseconds(s.Created)); err != nil {
			return base.Wrap(c.classify(err), "put source %q", s.Name.Name)
		}
	}
	return nil
}

func (c *Catalog) putOffsets(e Edit) error {
	for _, o := range e.PutOffsets {
		if _, err := c.exec(`INSERT INTO stream_offsets VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (stream_id, topic, partition) DO UPDATE SET topic_id = excluded.topic_id, next_offset = excluded.next_offset, epoch = excluded.epoch`,
			int64(o.Source), o.Topic, int64(o.Partition), o.TopicID[:], o.Next, int64(o.Epoch)); err != nil {
			return base.Wrap(c.classify(err), "put offset of source %d, topic %q, partition %d", o.Source, o.Topic, o.Partition)
		}
	}
	return nil
}

func (c *Catalog) addParts(e Edit) error {
	for _, p := range e.AddParts {
		if err := c.addPart(p); err != nil {
			return base.Wrap(c.classify(err), "add part %d of table %d", p.ID, p.Table)
		}
	}
	return nil
}

func (c *Catalog) addPart(p Part) error {
	if p.ID == 0 || p.Rows <= 0 || p.Bytes <= 0 || p.MinSeq > p.MaxSeq || p.Level < 0 {
		return base.Errorf(base.Internal, "rows %d, bytes %d, seq %d to %d, level %d", p.Rows, p.Bytes, p.MinSeq, p.MaxSeq, p.Level)
	}
	if _, err := c.exec(`INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, int64(p.ID), int64(p.Table), int64(p.SchemaVersion),
		p.Partition, p.Rows, p.Bytes, int64(p.Checksum), int64(p.Level), int64(p.MinSeq), int64(p.MaxSeq), microseconds(p.Created), int64(p.Applied)); err != nil {
		return err
	}
	if p.Blocks != nil {
		if err := c.putPartBlocks(PartBlocks{p.ID, p.Blocks, p.Verified}); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.Stats)) {
		s := p.Stats[id]
		if _, err := c.exec(`INSERT INTO part_stats VALUES (?, ?, ?, ?, ?)`, int64(p.ID), int64(id), s.Min.String(), s.Max.String(), s.Nulls); err != nil {
			return err
		}
	}
	return nil
}

func (c *Catalog) putDeduplicated(e Edit) error {
	for _, id := range slices.Sorted(maps.Keys(e.Deduped)) {
		n, err := c.exec(`UPDATE tables SET settled_seq = ? WHERE id = ? AND settled_seq <= ?`, int64(e.Deduped[id]), int64(id), int64(e.Deduped[id]))
		if err == nil && n == 0 {
			err = base.Errorf(base.Conflict, "it does not exist, or is deduplicated up to a later edit")
		}
		if err != nil {
			return base.Wrap(c.classify(err), "mark table %d as deduplicated up to %d", id, e.Deduped[id])
		}
	}
	return nil
}

func (c *Catalog) putKeys(e Edit) error {
	for _, k := range e.PutKeys {
		if _, err := c.exec(`INSERT INTO idempotency_keys VALUES (?, ?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET body_hash = excluded.body_hash, result = excluded.result, expires = excluded.expires`,
			k.Key, k.BodyHash, k.Result, microseconds(k.Expires)); err != nil {
			return base.Wrap(c.classify(err), "put idempotency key %q", k.Key)
		}
	}
	return nil
}

// raise sets the counters and other numbers of an edit that may only increase.
func (c *Catalog) raise(e Edit) error {
	for _, counter := range []struct {
		column string
		value  uint64
	}{
		{"flushed_through", uint64(e.FlushedThrough)},
		{"next_table", uint64(e.Counters.NextTable)},
		{"next_source", uint64(e.Counters.NextRowset)},
		{"next_seq", uint64(e.Counters.NextSeq)},
		{"next_stream", uint64(e.Counters.NextSource)},
		{"next_export", uint64(e.Counters.NextExport)},
	} {
		if counter.value == 0 {
			continue
		}
		n, err := c.exec(`UPDATE meta SET `+counter.column+` = ? WHERE `+counter.column+` <= ?`, int64(counter.value), int64(counter.value))
		if err != nil {
			return err
		}
		if n == 0 {
			return base.Errorf(base.Internal, "%s must not decrease to %d", counter.column, counter.value)
		}
	}
	return nil
}
