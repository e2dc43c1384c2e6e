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

// How updates are applied on read.
//
// An expression comes with a change, in one frame of the log, and says new values of columns for all rows that lie in parts
// and have no patch. The change itself has patches for the others: rows of memtables, and rows of parts that are
// patched already. So a row is either patched, and then what the patches and the part say of it is all, or it is as it was
// written and all expressions that its part lacks apply, in their order. Who patches a row of such a part gives it values of all columns
// that these expressions set (checkPending).
//
// Which ones a part lacks its Applied says: those with a greater sequence number. For a part that a flush or load adds
// that is the present, since its rows got patches; for one that a rewrite makes, its snapshot, whose expressions
// it has written. Rows that are patched while a part is written anew stay so in its successor, by settleMove.
//
// Expressions are in the log until a flush stores those that some part still lacks. A merge that leaves none which lacks one
// removes it in the same edit; installLocked does so in memory.

// maxExpressions bounds what a part may lack: a query nests them.
const maxExpressions = 8

// ErrManyExpressions is in the error of a change whose expression is one too many.
var ErrManyExpressions = errors.New("updates in mode expression that merges have not written yet")

// storedExpression is one that some part lacks.
type storedExpression struct {
	*patch.Expression
	created time.Time
	stored  bool // the catalog has it; guarded by mu
}

// expressionsLocked returns what readers are to apply.
func (t *table) expressionsLocked() []*patch.Expression {
	var all []*patch.Expression
	for _, x := range t.expressions {
		all = append(all, x.Expression)
	}
	return all
}

// lacking returns those of a table's expressions that one of some parts lacks.
func (t *table) lacking(parts []*partFile) []*storedExpression {
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

// removeExpressions puts into an edit those that the catalog has and none of the parts, which are all of the table after it, lacks.
func (t *table) removeExpressions(edit *catalog.Edit, parts []*partFile) {
	left := t.lacking(parts)
	for _, x := range t.expressions {
		if x.stored && !slices.Contains(left, x) {
			edit.RemoveExpressions = append(edit.RemoveExpressions, catalog.ExpressionID{Table: t.id, Seq: x.Seq})
		}
	}
}

// storeExpressions puts into the edit of a flush the expressions of its generation that some part lacks. In the committer.
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

// expressionsStoredLocked notes what the catalog has now.
func (e *Engine) expressionsStoredLocked(stored []catalog.Expression) {
	for _, s := range stored {
		for _, x := range e.tables[s.Table].expressions {
			if x.Seq == s.Seq {
				x.stored = true
			}
		}
	}
}

// addExpressionLocked shows an expression to readers: as a new version, since whatever was derived from the old one may not hold.
func (e *Engine) addExpressionLocked(t *table, x *storedExpression) (old *version) {
	t.expressions = append(t.expressions[:len(t.expressions):len(t.expressions)], x)
	v := t.current
	return t.installLocked(e.newVersionLocked(v.schema, v.parts, v.residents))
}

// loadExpressions reads those of the catalog.
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

// checkPending returns an Internal error if a layer patches rows for the first time and says nothing of columns that
// expressions set which the part lacks.
func checkPending(t *snapshot.Table, l patch.Layer) error {
	if len(t.Expressions) == 0 {
		return nil
	}
	i := slices.IndexFunc(t.Parts, func(p *catalog.Part) bool { return p.ID == l.Source })
	if i < 0 {
		return nil
	}
	for _, id := range t.PendingColumns(t.Parts[i]) {
		if slices.Contains(l.Columns, id) {
			continue
		}
		for _, row := range l.Ordinals {
			if set := t.Patches[l.Source]; set == nil || !set.Patched().Contains(row) {
				return base.Errorf(base.Internal, "patch of row %d of part %d without column %d, which an expression sets", row, l.Source, id)
			}
		}
	}
	return nil
}

// checkExpression compares an expression with the present. In the committer.
func (e *Engine) checkExpression(t *table, since base.Seq) error {
	if len(t.expressions) >= maxExpressions {
		return base.Errorf(base.Unavailable, "table %s has %d %w", t.current.schema.QualifiedName(), len(t.expressions), ErrManyExpressions).
			WithHint("retry when merges have, or update in another mode")
	}
	// Rows that the statement did not see, and that are in a part by now, would get the new values and not be counted.
	if slices.ContainsFunc(t.current.parts, func(p *partFile) bool { return p.MaxSeq > since }) {
		return ErrChanged
	}
	return nil
}

// expressionOf checks the expression of a change against the table.
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
			return nil, base.Errorf(base.Internal, "expression for column %q, which decides where a row is", s.Columns[s.ColumnByID(id)].Name)
		}
	}
	if s.IsDeleted != 0 || slices.Contains(own.Columns(), s.RowVersion) {
		return nil, base.Errorf(base.Internal, "expression for table %s, which has deletions or versions that it would change", s.QualifiedName())
	}
	return &own, nil
}
