package catalog

import (
	"github.com/ncruces/go-sqlite3"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
)

// putBlocks stores the checksums of the blocks of parts that exist already.
func (c *Catalog) putBlocks(e Edit) error {
	for _, b := range e.PutBlocks {
		if err := c.putPartBlocks(b); err != nil {
			return base.Wrap(c.classify(err), "put checksums of part %d", b.Part)
		}
	}
	return nil
}

func (c *Catalog) putPartBlocks(b PartBlocks) error {
	_, err := c.exec(`INSERT INTO part_blocks VALUES (?, ?, ?) ON CONFLICT (part_id) DO UPDATE
		SET checksums = excluded.checksums, verified = excluded.verified`, int64(b.Part), b.Blocks.Encode(), microseconds(b.Verified))
	return err
}

// loadBlocks reads the block checksums of parts into s.Parts. at[id] is the index in s.Parts of the
// part with that id.
func (c *Catalog) loadBlocks(s *State, at map[base.RowsetID]int) error {
	return c.query(`SELECT part_id, checksums, verified FROM part_blocks`, func(row *sqlite3.Stmt) (err error) {
		id := base.RowsetID(row.ColumnInt64(0))
		i, known := at[id]
		if !known {
			return base.Errorf(base.Corrupt, "checksums of part %d, which is not listed", id)
		}
		p := &s.Parts[i]
		p.Verified = moment(row.ColumnInt64(2))
		p.Blocks, err = blocks.Decode(row.ColumnRawBlob(1), p.Bytes)
		return base.Wrap(err, "part %d", id)
	})
}
