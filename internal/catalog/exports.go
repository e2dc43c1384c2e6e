package catalog

import (
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/scoterdb/scoter/internal/base"
)

// ExportName identifies an export. Exports, sources and tables may have the same names.
type ExportName struct{ Database, Schema, Name string }

// Export is the definition and the state of an export, which copies the partitions of a table to
// object storage.
type Export struct {
	ID         base.ExportID
	Name       ExportName
	Table      base.TableID
	Definition []byte // definition of the export as JSON; the catalog does not interpret it
	Paused     bool
	Created    time.Time // when the export was created, in UTC with microseconds
}

// ExportObject is the record of an object that an export wrote for one partition. If the partition
// had no rows, the record says that there is no object.
type ExportObject struct {
	Export    base.ExportID
	Partition string
	// Generation is the number of the object among the objects of its partition, from 1. All
	// objects but the last are closed (never written again).
	Generation  int64
	Fingerprint string // text that identifies the state of the partition that the object contains
	Rows        int64
	// Bytes is the size of the object in bytes; 0 if there were no rows, so that there is no
	// object.
	Bytes int64
	// ETag is the identifier that the storage gave the object's content; empty if it gave none.
	ETag     string
	Exported time.Time // when the object was written, in UTC with microseconds; zero before that
	// Closed says that the object's rows were dropped from the table, so the object is never
	// written again.
	Closed bool
}

func (c *Catalog) putExports(e Edit) error {
	for _, x := range e.PutExports {
		if x.ID == 0 {
			return base.Errorf(base.Internal, "put export %q: no id", x.Name.Name)
		}
		if _, err := c.exec(`INSERT INTO exports VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, paused = excluded.paused`,
			int64(x.ID), x.Name.Database, x.Name.Schema, x.Name.Name, int64(x.Table), string(x.Definition), flag(x.Paused), microseconds(x.Created)); err != nil {
			return base.Wrap(c.classify(err), "put export %q", x.Name.Name)
		}
	}
	return nil
}

func (c *Catalog) putObjects(e Edit) error {
	for _, o := range e.PutObjects {
		if _, err := c.exec(`INSERT INTO export_objects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (export_id, partition_key, generation) DO UPDATE SET fingerprint = excluded.fingerprint, row_count = excluded.row_count,
			bytes = excluded.bytes, etag = excluded.etag, exported = excluded.exported, closed = excluded.closed`,
			int64(o.Export), o.Partition, o.Generation, o.Fingerprint, o.Rows, o.Bytes, o.ETag, microseconds(o.Exported), flag(o.Closed)); err != nil {
			return base.Wrap(c.classify(err), "put object %d of export %d, partition %q", o.Generation, o.Export, o.Partition)
		}
	}
	return nil
}

func (c *Catalog) loadExports(s *State) error {
	err := c.query(`SELECT id, database_name, schema_name, name, table_id, definition, paused, created FROM exports ORDER BY id`, func(row *sqlite3.Stmt) error {
		s.Exports = append(s.Exports, Export{
			ID:         base.ExportID(row.ColumnInt64(0)),
			Name:       ExportName{row.ColumnText(1), row.ColumnText(2), row.ColumnText(3)},
			Table:      base.TableID(row.ColumnInt64(4)),
			Definition: []byte(row.ColumnText(5)),
			Paused:     row.ColumnBool(6),
			Created:    moment(row.ColumnInt64(7)),
		})
		return nil
	})
	if err != nil {
		return err
	}
	return c.query(`SELECT export_id, partition_key, generation, fingerprint, row_count, bytes, etag, exported, closed FROM export_objects ORDER BY 1, 2, 3`,
		func(row *sqlite3.Stmt) error {
			s.ExportObjects = append(s.ExportObjects, ExportObject{
				Export:      base.ExportID(row.ColumnInt64(0)),
				Partition:   row.ColumnText(1),
				Generation:  row.ColumnInt64(2),
				Fingerprint: row.ColumnText(3),
				Rows:        row.ColumnInt64(4),
				Bytes:       row.ColumnInt64(5),
				ETag:        row.ColumnText(6),
				Exported:    moment(row.ColumnInt64(7)),
				Closed:      row.ColumnBool(8),
			})
			return nil
		})
}

// exportFindings lists the rules that the exports in a catalog's content violate.
func (s State) exportFindings() (all []string) {
	report := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, x := range s.Exports {
		if x.ID >= s.Counters.NextExport {
			report("export %d is not below the next id %d", x.ID, s.Counters.NextExport)
		}
	}
	for i, o := range s.ExportObjects {
		if o.Generation < 1 || o.Rows < 0 || o.Bytes < 0 || o.Rows > 0 && o.Bytes == 0 {
			report("export %d partition %q generation %d: rows %d, bytes %d", o.Export, o.Partition, o.Generation, o.Rows, o.Bytes)
		}
		if i+1 < len(s.ExportObjects) && !o.Closed && s.ExportObjects[i+1].Export == o.Export && s.ExportObjects[i+1].Partition == o.Partition {
			report("export %d partition %q: generation %d is open, but not the last one", o.Export, o.Partition, o.Generation)
		}
	}
	return all
}

func (x Export) appendText(b []byte) []byte {
	b = fmt.Appendf(b, "export %d %q.%q.%q of table %d", x.ID, x.Name.Database, x.Name.Schema, x.Name.Name, x.Table)
	if x.Paused {
		b = append(b, " paused"...)
	}
	return append(b, '\n')
}

func (o ExportObject) appendText(b []byte) []byte {
	b = fmt.Appendf(b, "object of export %d partition %q generation %d: rows %d, bytes %d, fingerprint %s", o.Export, o.Partition, o.Generation, o.Rows, o.Bytes, o.Fingerprint)
	if o.Closed {
		b = append(b, " closed"...)
	}
	return append(b, '\n')
}
