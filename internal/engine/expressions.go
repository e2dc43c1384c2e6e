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
// An expression is part of a change, in the same frame of the log. It gives new values of columns
// to all rows that are in parts and have no patch. The change itself has patches for all other
// rows: rows of memtables, and rows of parts that are patched already.
//
// So there are two kinds of rows. The values of a patched row come from its part and its patches
// alone. Any other row has the values of its part, changed by all expressions that the part lacks,
// in order. A change that patches such a row must set all columns that these expressions set
// (checkPending).
//
// A part lacks the expressions whose sequence number is greater than the part's Applied. A flush or
// load sets Applied to the present, since the rows of its parts got patches. A rewrite sets it to
// the snapshot of which it wrote the rows with the expressions applied. Rows that are patched while
// a rewrite runs stay patched in the new part (settleMove).
//
// Expressions are in the log until a flush stores those that some part still lacks. When a merge
// leaves no part that lacks an expression, its edit removes the expression; in memory installLocked
// removes it.

// maxExpressions bounds how many expressions a part may lack, because a query nests them.
const maxExpressions = 8

// ErrManyExpressions is wrapped in the error of a change whose table has maxExpressions expressions
// already.
var ErrManyExpressions = errors.New("updates in mode expression that merges have not written yet")

// storedExpression is an expression that some part lacks.
type storedExpression struct {
	*patch.Expression
	created time.Time
	stored  bool // the catalog has it; guarded by mu
}

// expressionsLocked returns the expressions that readers apply.
func (t *table) expressionsLocked() []*patch.Expression {
	var all []*patch.Expression
	for _, x := range t.expressions {
		all = append(all, x.Expression)
	}
	return all
}

// lacking returns the table's expressions that at least one of the parts lacks.
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

// removeExpressions adds to an edit the removal of stored expressions that no part lacks any more.
// parts are all parts of the table after the edit.
func (t *table) removeExpressions(edit *catalog.Edit, parts []*partFile) {
	left := t.lacking(parts)
	for _, x := range t.expressions {
		if x.stored && !slices.Contains(left, x) {
			edit.RemoveExpressions = append(edit.RemoveExpressions, catalog.ExpressionID{Table: t.id, Seq: x.Seq})
		}
	}
}

// storeExpressions adds to the edit of a flush the expressions of its generation that some part
// lacks. It runs in the committer.
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

// expressionsStoredLocked records that the catalog has the expressions.
func (e *Engine) expressionsStoredLocked(stored []catalog.Expression) {
	for _, s := range stored {
		for _, x := range e.tables[s.Table].expressions {
			if x.Seq == s.Seq {
				x.stored = true
			}
		}
	}
}

// addExpressionLocked shows an expression to readers. It makes a new version of the table, because
// data that is cached for the old version may be wrong. The caller releases the returned old
// version.
func (e *Engine) addExpressionLocked(t *table, x *storedExpression) (old *version) {
	t.expressions = append(t.expressions[:len(t.expressions):len(t.expressions)], x)
	v := t.current
	return t.installLocked(e.newVersionLocked(v.schema, v.parts, v.residents))
}

// loadExpressions reads the expressions of the catalog.
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

// checkPending returns an Internal error if a layer patches a row for the first time, and omits a
// column that is set by an expression which the row's part lacks.
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

// checkExpression checks that the expression of a change is still valid. since is the snapshot that
// the change was computed from. It runs in the committer.
func (e *Engine) checkExpression(t *table, since base.Seq) error {
	if len(t.expressions) >= maxExpressions {
		return base.Errorf(base.Unavailable, "table %s has %d %w", t.current.schema.QualifiedName(), len(t.expressions), ErrManyExpressions).
			WithHint("retry when merges have, or update in another mode")
	}
	// Rows that arrived after the snapshot and are in a part would get the new values, but are not
	// in the statement's counts.
	if slices.ContainsFunc(t.current.parts, func(p *partFile) bool { return p.MaxSeq > since }) {
		return ErrChanged
	}
	return nil
}

// expressionOf checks the expression of a change against the table, and returns a copy of it.
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
