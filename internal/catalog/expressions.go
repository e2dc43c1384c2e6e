package catalog

import (
	"fmt"
	"slices"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// ExpressionID identifies an expression update (an UPDATE that is stored as SQL) by its table and
// its edit. An edit adds at most one expression update to a table.
type ExpressionID struct {
	Table base.TableID
	Seq   base.Seq
}

// Expression is an expression update (an UPDATE that is applied when rows are read). It is for the
// rows of parts whose Part.Applied is less than the expression's Seq, except for rows that have a
// patch.
type Expression struct {
	ExpressionID
	SchemaVersion uint32 // schema version from which the SQL takes its column names and types
	Content       []byte // the update as JSON; the catalog does not interpret it
	Created       time.Time
}

func (c *Catalog) addExpressions(e Edit) error {
	for _, x := range e.AddExpressions {
		if x.Seq == 0 || len(x.Content) == 0 {
			return base.Errorf(base.Internal, "add expression %d of table %d: %d bytes", x.Seq, x.Table, len(x.Content))
		}
		if _, err := c.exec(`INSERT INTO expressions VALUES (?, ?, ?, ?, ?)`, int64(x.Table), int64(x.Seq), int64(x.SchemaVersion), string(x.Content),
			microseconds(x.Created)); err != nil {
			return base.Wrap(c.classify(err), "add expression %d of table %d", x.Seq, x.Table)
		}
	}
	return nil
}

func (c *Catalog) loadExpressions(s *State) error {
	return c.query(`SELECT table_id, seq, schema_version, content, created FROM expressions ORDER BY table_id, seq`, func(row *sqlite3.Stmt) error {
		s.Expressions = append(s.Expressions, Expression{
			ExpressionID:  ExpressionID{base.TableID(row.ColumnInt64(0)), base.Seq(row.ColumnInt64(1))},
			SchemaVersion: uint32(row.ColumnInt64(2)), Content: row.ColumnBlob(3, nil), Created: moment(row.ColumnInt64(4)),
		})
		return nil
	})
}

// expressionFindings lists the rules that a catalog's content violates in its expression updates
// (UPDATEs that are stored as SQL) and in the field Applied of its parts.
func (s State) expressionFindings() (all []string) {
	for _, x := range s.Expressions {
		known := slices.ContainsFunc(s.TableVersions[x.Table], func(t schema.Table) bool { return t.Version == x.SchemaVersion })
		if !known || x.Seq >= s.Counters.NextSeq {
			all = append(all, fmt.Sprintf("expression %d of table %d: version %d, next sequence number %d", x.Seq, x.Table, x.SchemaVersion, s.Counters.NextSeq))
		}
	}
	for _, p := range s.Parts {
		if p.Applied >= s.Counters.NextSeq {
			all = append(all, fmt.Sprintf("part %d has expressions up to %d, not below the next sequence number %d", p.ID, p.Applied, s.Counters.NextSeq))
		}
	}
	return all
}
