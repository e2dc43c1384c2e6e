package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Deletions are the deleted rows of a part.
type Deletions struct {
	Part   base.RowsetID
	Rows   int64
	Bitmap []byte // row numbers in the part, as a roaring bitmap in its portable format
	// Created is when rows were last deleted, in UTC with microseconds. It is zero if the deletions
	// were stored in a format before 5.
	Created time.Time
}

// Patch has new values of some columns for some rows of a part. If two patches have a value for the
// same row and column, the one with the greater Seq counts. If their Seq is equal, the one with the
// greater ID counts.
type Patch struct {
	ID            base.RowsetID // id of the patch, from the same counter as the ids of parts
	Part          base.RowsetID
	SchemaVersion uint32          // schema version that gives the types of the values
	Columns       []base.ColumnID // ids of the columns with new values, ascending
	Seq           base.Seq        // number of the newest edit that set one of the values
	Rows          int64
	Bytes         int64  // size of the patch's file, or of Content, in bytes
	Checksum      uint32 // CRC32C of the patch's file, or of Content
	// Content is the patch as an Arrow IPC stream. It is empty if the patch is in the file
	// patches/<table>/<id>.parquet.
	Content []byte
	// Created is when the patch was stored, in UTC with microseconds. It is zero if the patch was
	// stored in a format before 5.
	Created time.Time
}

func (c *Catalog) putPatches(e Edit) error {
	for _, d := range e.PutDeletions {
		if d.Rows <= 0 || len(d.Bitmap) == 0 {
			return base.Errorf(base.Internal, "put deletions of part %d: %d rows in %d bytes", d.Part, d.Rows, len(d.Bitmap))
		}
		if _, err := c.exec(`INSERT INTO part_deletions VALUES (?, ?, ?, ?) ON CONFLICT (part_id) DO UPDATE
			SET deleted = excluded.deleted, deleted_rows = excluded.deleted_rows, created = excluded.created`,
			int64(d.Part), d.Bitmap, d.Rows, microseconds(d.Created)); err != nil {
			return base.Wrap(c.classify(err), "put deletions of part %d", d.Part)
		}
	}
	for _, p := range e.AddPatches {
		columns, err := json.Marshal(p.Columns)
		if err != nil {
			return base.Wrap(err, "add patch %d", p.ID)
		}
		if p.ID == 0 || p.Rows <= 0 || p.Bytes <= 0 || len(p.Columns) == 0 {
			return base.Errorf(base.Internal, "add patch %d of part %d: rows %d, bytes %d, columns %v", p.ID, p.Part, p.Rows, p.Bytes, p.Columns)
		}
		if _, err := c.exec(`INSERT INTO patches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, int64(p.ID), int64(p.Part), int64(p.SchemaVersion), string(columns),
			int64(p.Seq), p.Rows, p.Bytes, int64(p.Checksum), p.Content, microseconds(p.Created)); err != nil {
			return base.Wrap(c.classify(err), "add patch %d of part %d", p.ID, p.Part)
		}
	}
	return nil
}

func (c *Catalog) loadPatches(s *State) error {
	err := c.query(`SELECT part_id, deleted_rows, deleted, created FROM part_deletions ORDER BY part_id`, func(row *sqlite3.Stmt) error {
		s.Deletions = append(s.Deletions, Deletions{
			Part: base.RowsetID(row.ColumnInt64(0)), Rows: row.ColumnInt64(1), Bitmap: row.ColumnBlob(2, nil), Created: moment(row.ColumnInt64(3)),
		})
		return nil
	})
	if err != nil {
		return err
	}
	return c.query(`SELECT id, part_id, schema_version, columns, seq, row_count, bytes, checksum, content, created FROM patches ORDER BY seq, id`, func(row *sqlite3.Stmt) error {
		p := Patch{
			ID:            base.RowsetID(row.ColumnInt64(0)),
			Part:          base.RowsetID(row.ColumnInt64(1)),
			SchemaVersion: uint32(row.ColumnInt64(2)),
			Seq:           base.Seq(row.ColumnInt64(4)),
			Rows:          row.ColumnInt64(5),
			Bytes:         row.ColumnInt64(6),
			Checksum:      uint32(row.ColumnInt64(7)),
			Content:       row.ColumnBlob(8, nil),
			Created:       moment(row.ColumnInt64(9)),
		}
		if err := json.Unmarshal(row.ColumnRawText(3), &p.Columns); err != nil {
			return base.Errorf(base.Corrupt, "patch %d: columns: %w", p.ID, err)
		}
		s.Patches = append(s.Patches, p)
		return nil
	})
}

// patchFindings lists the rules that the deletions and patches in a catalog's content violate.
func (s State) patchFindings() (all []string) {
	report := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	parts := map[base.RowsetID]Part{}
	for _, p := range s.Parts {
		parts[p.ID] = p
	}
	for _, d := range s.Deletions {
		if p := parts[d.Part]; d.Rows <= 0 || d.Rows > p.Rows {
			report("part %d: %d of %d rows deleted", d.Part, d.Rows, p.Rows)
		}
	}
	for _, p := range s.Patches {
		part := parts[p.Part]
		if p.ID >= s.Counters.NextRowset || p.Rows <= 0 || p.Rows > part.Rows || p.Bytes <= 0 || len(p.Content) > 0 && p.Bytes != int64(len(p.Content)) {
			report("patch %d of part %d: rows %d of %d, bytes %d (%d here), next id %d", p.ID, p.Part, p.Rows, part.Rows, p.Bytes, len(p.Content), s.Counters.NextRowset)
		}
		versions := s.TableVersions[part.Table]
		i := slices.IndexFunc(versions, func(t schema.Table) bool { return t.Version == p.SchemaVersion })
		if i < 0 {
			report("patch %d: table %d has no version %d", p.ID, part.Table, p.SchemaVersion)
			continue
		}
		for _, id := range p.Columns {
			if versions[i].ColumnByID(id) < 0 {
				report("patch %d: column %d is not in version %d of table %d", p.ID, id, p.SchemaVersion, part.Table)
			}
		}
	}
	return all
}
