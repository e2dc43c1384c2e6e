package catalog

import (
	"encoding/json"

	"github.com/ncruces/go-sqlite3"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// State reads the whole catalog again and returns its content. It is meant for checks.
func (c *Catalog) State() (s State, err error) {
	err = c.read("read", func() (err error) {
		s, err = c.load()
		return err
	})
	return s, err
}

// load reads the whole catalog. It does not change the Catalog, not even c.edits, which Apply sets.
// If Apply cannot have written the content, the error is Corrupt.
func (c *Catalog) load() (State, error) {
	s := State{TableVersions: map[base.TableID][]schema.Table{}}
	for _, step := range []func(*State) error{c.loadMeta, c.loadNames, c.loadTables, c.loadViews, c.loadParts, c.loadPatches, c.loadExpressions, c.loadSources, c.loadExports, c.loadKeys} {
		if err := step(&s); err != nil {
			return State{}, err
		}
	}
	return s, nil
}

func (c *Catalog) loadMeta(s *State) error {
	var flushed, table, source, seq, stream, export int64
	err := c.queryRow(`SELECT flushed_through, next_table, next_source, next_seq, next_stream, next_export FROM meta`,
		&flushed, &table, &source, &seq, &stream, &export)
	s.FlushedThrough = base.SegmentID(flushed)
	s.Counters = Counters{NextTable: base.TableID(table), NextRowset: base.RowsetID(source), NextSeq: base.Seq(seq), NextSource: base.SourceID(stream),
		NextExport: base.ExportID(export)}
	return err
}

func (c *Catalog) loadNames(s *State) error {
	err := c.query(`SELECT name FROM databases ORDER BY name`, func(row *sqlite3.Stmt) error {
		s.Databases = append(s.Databases, row.ColumnText(0))
		return nil
	})
	if err != nil {
		return err
	}
	return c.query(`SELECT database_name, name FROM schemas ORDER BY database_name, name`, func(row *sqlite3.Stmt) error {
		s.Schemas = append(s.Schemas, SchemaName{row.ColumnText(0), row.ColumnText(1)})
		return nil
	})
}

func (c *Catalog) loadTables(s *State) error {
	err := c.query(`SELECT table_id, schema_version, definition FROM table_versions ORDER BY table_id, schema_version`, func(row *sqlite3.Stmt) error {
		id, version := base.TableID(row.ColumnInt64(0)), uint32(row.ColumnInt64(1))
		t, err := schema.DecodeTable(row.ColumnRawText(2))
		if err != nil {
			return base.Wrap(err, "table %d version %d", id, version)
		}
		if t.ID != id || t.Version != version {
			return base.Errorf(base.Corrupt, "table %d version %d: its definition says table %d version %d", id, version, t.ID, t.Version)
		}
		s.TableVersions[id] = append(s.TableVersions[id], t)
		return nil
	})
	if err != nil {
		return err
	}
	return c.query(`SELECT id, schema_version, truncated_seq, created, settled_seq FROM tables ORDER BY id`, func(row *sqlite3.Stmt) error {
		id, version := base.TableID(row.ColumnInt64(0)), uint32(row.ColumnInt64(1))
		versions := s.TableVersions[id]
		if len(versions) == 0 || versions[len(versions)-1].Version != version {
			return base.Errorf(base.Corrupt, "table %d: version %d is not its newest definition", id, version)
		}
		s.Tables = append(s.Tables, Table{
			Schema:       versions[len(versions)-1],
			TruncatedSeq: base.Seq(row.ColumnInt64(2)),
			Created:      moment(row.ColumnInt64(3)),
			DedupedSeq:   base.Seq(row.ColumnInt64(4)),
		})
		return nil
	})
}

func (c *Catalog) loadViews(s *State) error {
	return c.query(`SELECT database_name, schema_name, name, query, columns, created FROM views ORDER BY 1, 2, 3`, func(row *sqlite3.Stmt) error {
		v := View{
			Name:    ViewName{row.ColumnText(0), row.ColumnText(1), row.ColumnText(2)},
			SQL:     row.ColumnText(3),
			Created: moment(row.ColumnInt64(5)),
		}
		if err := json.Unmarshal(row.ColumnRawText(4), &v.Columns); err != nil {
			return base.Errorf(base.Corrupt, "view %q: columns: %w", v.Name.Name, err)
		}
		s.Views = append(s.Views, v)
		return nil
	})
}

func (c *Catalog) loadParts(s *State) error {
	at := map[base.RowsetID]int{}
	err := c.query(`SELECT id, table_id, schema_version, partition_key, row_count, bytes, checksum, level, min_seq, max_seq, created, applied_seq
		FROM parts ORDER BY id`, func(row *sqlite3.Stmt) error {
		p := Part{
			ID:            base.RowsetID(row.ColumnInt64(0)),
			Table:         base.TableID(row.ColumnInt64(1)),
			SchemaVersion: uint32(row.ColumnInt64(2)),
			Partition:     row.ColumnText(3),
			Rows:          row.ColumnInt64(4),
			Bytes:         row.ColumnInt64(5),
			Checksum:      uint32(row.ColumnInt64(6)),
			Level:         row.ColumnInt(7),
			MinSeq:        base.Seq(row.ColumnInt64(8)),
			MaxSeq:        base.Seq(row.ColumnInt64(9)),
			Created:       moment(row.ColumnInt64(10)),
			Applied:       base.Seq(row.ColumnInt64(11)),
			Stats:         map[base.ColumnID]schema.ColumnStats{},
		}
		at[p.ID] = len(s.Parts)
		s.Parts = append(s.Parts, p)
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.loadBlocks(s, at); err != nil {
		return err
	}
	return c.query(`SELECT part_id, column_id, min_value, max_value, nulls FROM part_stats`, func(row *sqlite3.Stmt) error {
		id, column := base.RowsetID(row.ColumnInt64(0)), base.ColumnID(row.ColumnInt64(1))
		i, known := at[id]
		if !known {
			return base.Errorf(base.Corrupt, "statistics of part %d, which is not listed", id)
		}
		stats := schema.ColumnStats{Nulls: row.ColumnInt64(4)}
		if err := stats.Min.UnmarshalText(row.ColumnRawText(2)); err != nil {
			return base.Wrap(err, "part %d column %d", id, column)
		}
		if err := stats.Max.UnmarshalText(row.ColumnRawText(3)); err != nil {
			return base.Wrap(err, "part %d column %d", id, column)
		}
		s.Parts[i].Stats[column] = stats
		return nil
	})
}

func (c *Catalog) loadSources(s *State) error {
	err := c.query(`SELECT id, database_name, schema_name, name, definition, paused, created FROM streams ORDER BY id`, func(row *sqlite3.Stmt) error {
		s.Sources = append(s.Sources, Source{
			ID:         base.SourceID(row.ColumnInt64(0)),
			Name:       SourceName{row.ColumnText(1), row.ColumnText(2), row.ColumnText(3)},
			Definition: []byte(row.ColumnText(4)),
			Paused:     row.ColumnBool(5),
			Created:    moment(row.ColumnInt64(6)),
		})
		return nil
	})
	if err != nil {
		return err
	}
	return c.query(`SELECT stream_id, topic, partition, topic_id, next_offset, epoch FROM stream_offsets ORDER BY 1, 2, 3`, func(row *sqlite3.Stmt) error {
		o := Offset{
			Source:    base.SourceID(row.ColumnInt64(0)),
			Topic:     row.ColumnText(1),
			Partition: int32(row.ColumnInt64(2)),
			Next:      row.ColumnInt64(4),
			Epoch:     int32(row.ColumnInt64(5)),
		}
		if id := row.ColumnRawBlob(3); copy(o.TopicID[:], id) != len(o.TopicID) || len(id) != len(o.TopicID) {
			return base.Errorf(base.Corrupt, "source %d topic %q: a topic id of %d bytes", o.Source, o.Topic, len(id))
		}
		s.Offsets = append(s.Offsets, o)
		return nil
	})
}

func (c *Catalog) loadKeys(s *State) error {
	return c.query(`SELECT key, body_hash, result, expires FROM idempotency_keys ORDER BY key`, func(row *sqlite3.Stmt) error {
		s.Keys = append(s.Keys, Key{
			Key:      row.ColumnText(0),
			BodyHash: row.ColumnBlob(1, nil),
			Result:   row.ColumnBlob(2, nil),
			Expires:  moment(row.ColumnInt64(3)),
		})
		return nil
	})
}
