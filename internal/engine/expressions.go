package engine

import (
	"errors"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// How expression updates (UPDATEs that are stored as SQL and applied when rows are read) work.
//
// An expression update is part of a change, in the same frame of the log. It gives new values to
// all rows that are in parts and have no patch. All other rows, which are in memtables or patched
// already, get patches by the same change.
//
// So there are two kinds of rows. The values of a patched row come only from its part and its
// patches. The values of any other row are those in its part, changed by all expressions that the
// part lacks, in order. A change that patches such a row for the first time must set all columns
// that these expressions set (checkExpressionColumns).
//
// A part lacks the expressions whose sequence number is greater than the part's Applied. A flush or
// load sets Applied to the present edit, because rows in its parts got patches from the expressions
// that concerned them. A rewrite sets Applied to the edit of its snapshot, because it wrote the
// rows with the expressions applied. Rows that are patched while a rewrite runs stay patched in the
// new part (carryOver).
//
// An expression is only in the log until a flush stores it in the catalog. The flush stores it only
// if some part still lacks it. When a merge leaves no part that lacks the expression, the merge's
// edit removes it from the catalog, and installLocked removes it from memory.

// maxExpressions is the maximum number of expression updates (UPDATEs that are stored as SQL) that
// a part may lack. The limit exists because a query over the part needs one more nested query for
// each of them.
const maxExpressions = 8

// ErrManyExpressions says that an expression update (an UPDATE that is stored as SQL, mode
// expression) was refused, because the table already has maxExpressions expression updates that
// some part lacks. The returned error wraps it.
var ErrManyExpressions = errors.New("updates in mode expression that merges have not written yet")

// storedExpression is an expression update (an UPDATE that is stored as SQL) that at least one part
// lacks.
type storedExpression struct {
	*patch.Expression
	created time.Time
	stored  bool // whether the catalog has the expression; guarded by mu
}

// expressionsLocked returns the expression updates (UPDATEs that are stored as SQL) of the table,
// in the form that readers use. The caller must hold mu.
func (t *table) expressionsLocked() []*patch.Expression {
	var all []*patch.Expression
	for _, x := range t.expressions {
		all = append(all, x.Expression)
	}
	return all
}

// pendingExpressions returns those of the table's expression updates (UPDATEs that are stored as
// SQL) that at least one of the given parts lacks.
func (t *table) pendingExpressions(parts []*partFile) []*storedExpression {
	if len(t.expressions) == 0 {
		return nil
	}
	oldest := base.Seq(0)
	for i, p := range parts {
		if i == 0 || p.Applied < oldest {
			oldest = p.Applied
		}
	}
	return slices.DeleteFunc(slices.Clone(t.expressions), func(x *storedExpression) bool { return len(parts) == 0 || x.Seq <= oldest })
}

// removeExpressions adds to an edit of the catalog the removal of the expression updates (UPDATEs
// that are stored as SQL) that no part lacks any more. parts are all parts of the table after the
// edit.
func (t *table) removeExpressions(edit *catalog.Edit, parts []*partFile) {
	left := t.pendingExpressions(parts)
	for _, x := range t.expressions {
		if x.stored && !slices.Contains(left, x) {
			edit.RemoveExpressions = append(edit.RemoveExpressions, catalog.ExpressionID{Table: t.id, Seq: x.Seq})
		}
	}
}

// storeExpressions adds to the edit of a flush the expression updates (UPDATEs that are stored as
// SQL) of the flushed generation, except those that no part lacks any more. It runs in the
// committer.
func (e *Engine) storeExpressions(edit *catalog.Edit, g *generation) {
	for _, c := range g.changes {
		t := e.tables[c.table]
		if t == nil || c.expression == nil {
			continue
		}
		for _, x := range t.expressions {
			if x.Seq == c.seq {
				edit.AddExpressions = append(edit.AddExpressions, catalog.Expression{
					ExpressionID: catalog.ExpressionID{Table: t.id, Seq: x.Seq}, SchemaVersion: x.Version, Content: x.Encode(), Created: x.created,
				})
			}
		}
	}
}

// markExpressionsStoredLocked records in memory that the catalog has the given expression updates
// (UPDATEs that are stored as SQL). The caller must hold mu.
func (e *Engine) markExpressionsStoredLocked(stored []catalog.Expression) {
	for _, s := range stored {
		for _, x := range e.tables[s.Table].expressions {
			if x.Seq == s.Seq {
				x.stored = true
			}
		}
	}
}

// addExpressionLocked makes an expression update (an UPDATE that is stored as SQL) visible to
// readers. It makes a new version of the table, because data that is cached for the old version may
// be wrong. The caller must hold mu, and releases the returned old version.
func (e *Engine) addExpressionLocked(t *table, x *storedExpression) (old *version) {
	t.expressions = append(t.expressions[:len(t.expressions):len(t.expressions)], x)
	v := t.current
	return t.installLocked(e.newVersionLocked(v.schema, v.parts, v.memtables))
}

// loadExpressions loads the expression updates (UPDATEs that are stored as SQL) from the catalog's
// state into the tables in memory.
func (e *Engine) loadExpressions(state catalog.State) error {
	for _, s := range state.Expressions {
		t := e.tables[s.Table]
		if t == nil {
			return base.Errorf(base.Corrupt, "expression %d of table %d, which is not listed", s.Seq, s.Table)
		}
		x, err := decodeExpression(t, s.Seq, s.SchemaVersion, s.Content)
		if err != nil {
			return err
		}
		e.addExpressionLocked(t, &storedExpression{x, s.Created, true}).release()
	}
	return nil
}

func decodeExpression(t *table, seq base.Seq, version uint32, content []byte) (*patch.Expression, error) {
	s, ok := t.history[version]
	if !ok {
		return nil, base.Errorf(base.Corrupt, "expression %d: version %d of table %s is not in the catalog", seq, version, t.current.schema.QualifiedName())
	}
	return patch.DecodeExpression(seq, s, content)
}

// checkExpressionColumns checks a layer (new values for rows of one part). A layer that patches a
// row for the first time must set all columns that are set by the expression updates (UPDATEs that
// are stored as SQL) which the part lacks. If it leaves one out, the error is Internal.
func checkExpressionColumns(t *snapshot.Table, l patch.Layer) error {
	if len(t.Expressions) == 0 {
		return nil
	}
	i := slices.IndexFunc(t.Parts, func(p *catalog.Part) bool { return p.ID == l.Rowset })
	if i < 0 {
		return nil
	}
	for _, id := range t.PendingColumns(t.Parts[i]) {
		if slices.Contains(l.Columns, id) {
			continue
		}
		for _, row := range l.Ordinals {
			if set := t.Patches[l.Rowset]; set == nil || !set.Patched().Contains(row) {
				return base.Errorf(base.Internal, "patch of row %d of part %d without column %d, which an expression sets", row, l.Rowset, id)
			}
		}
	}
	return nil
}

// checkExpression returns an error if a change with an expression update (an UPDATE that is stored
// as SQL) cannot be committed any more. The argument since is the sequence number of the snapshot
// from which the change was computed. It runs in the committer.
func (e *Engine) checkExpression(t *table, since base.Seq) error {
	if len(t.expressions) >= maxExpressions {
		return base.Errorf(base.Unavailable, "table %s has %d %w", t.current.schema.QualifiedName(), len(t.expressions), ErrManyExpressions).
			WithHint("retry after merges have written them, or update in another mode")
	}
	// Rows of parts that were added after the snapshot would get the new values, too, but the
	// statement did not count these rows.
	if slices.ContainsFunc(t.current.parts, func(p *partFile) bool { return p.MaxSeq > since }) {
		return ErrChanged
	}
	return nil
}

// expressionOf checks whether x, an expression update (an UPDATE that is stored as SQL), can be
// stored for table s. It returns a copy of x that has the schema version of s.
func expressionOf(s schema.Table, x *patch.Expression) (*patch.Expression, error) {
	if x == nil {
		return nil, nil
	}
	own := *x
	own.Seq, own.Version = 0, s.Version
	if err := own.Check(s); err != nil {
		return nil, err
	}
	for _, id := range own.Columns() {
		if s.InKey(id) {
			return nil, base.Errorf(base.Internal, "expression for column %q, which is in the sort key, primary key or partitioning", s.Columns[s.ColumnByID(id)].Name)
		}
	}
	if s.IsDeleted != 0 || slices.Contains(own.Columns(), s.RowVersion) {
		return nil, base.Errorf(base.Internal, "expression for table %s, which has deletions or versions that it would change", s.QualifiedName())
	}
	return &own, nil
}
