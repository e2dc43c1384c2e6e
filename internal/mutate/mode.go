package mutate

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// UpdateMode says how a statement changes rows that are in parts. All modes give the same rows.
type UpdateMode uint8

// The update modes. Changes for which the user cannot choose a mode have the mode Patch.
const (
	// Patch: write a patch for the changed rows. Queries apply the patch when they read the part,
	// until a merge writes the part again.
	Patch   UpdateMode = iota
	Rewrite            // rewrite the parts that have the changed rows, in one edit
	Auto               // Rewrite if there is no memory for a patch, otherwise Patch
	// Expression: store the SQL of the UPDATE. Queries apply it when they read a part, until a
	// merge writes the part again.
	Expression
)

var updateModes = []string{Patch: "patch", Rewrite: "rewrite", Auto: "auto", Expression: "expression"}

// ParseUpdateMode parses the name of an update mode.
func ParseUpdateMode(name string) (UpdateMode, error) {
	if i := slices.Index(updateModes, name); i >= 0 {
		return UpdateMode(i), nil
	}
	return 0, base.Errorf(base.Invalid, "update mode %q is none of auto, patch, rewrite and expression", name)
}

// cutMode removes the clause WITH (mode = 'name') from the end of an UPDATE, DELETE or MERGE,
// because DuckDB's grammar does not have it. It returns the statement without the clause, and the
// mode. If there is no such clause, it returns the default mode (the argument otherwise), and the
// result given is false.
func cutMode(s sqltoken.Statement, otherwise UpdateMode) (cut sqltoken.Statement, mode UpdateMode, given bool, err error) {
	last := len(s.Tokens) - 1
	if last < 0 || !s.Tokens[last].Is(")") || s.Tokens[last].Depth != 0 {
		return s, otherwise, false, nil
	}
	open := last - 1
	for open >= 0 && !(s.Tokens[open].Is("(") && s.Tokens[open].Depth == 0) {
		open--
	}
	with := open - 1
	if with < 1 || !s.Tokens[with].Is("WITH") {
		return s, otherwise, false, nil
	}
	options, err := (&clauses{statement: s, at: open}).options()
	if err != nil {
		return s, 0, false, err
	}
	for name := range options {
		if name != "mode" {
			return s, 0, false, base.Errorf(base.Invalid, "%s has no option %q", s.Verb(), name).At(s.Tokens[open].End + 1).WithHint("WITH (mode = 'auto'|'patch'|'rewrite'|'expression')")
		}
	}
	mode, err = ParseUpdateMode(options["mode"])
	if err != nil {
		return s, 0, false, (&clauses{statement: s}).withPosition(err, open+1)
	}
	s.Text, s.Tokens = s.Text[:s.Tokens[with].Start], s.Tokens[:with]
	return s, mode, true, nil
}

// rewrites reports whether a change is made by rewriting parts. In the mode Auto this is so only if
// there is no memory for a patch.
//
// If there is memory, Auto does not rewrite, because that would not pay. This was measured with
// `scoter-bench overlay --kinds modes` on 200,000 rows of lineitem. A patch is visible after 3%
// (for 1% of the rows) to 22% (for all rows) of the processor time that rewriting the parts takes.
// Together with the later merge that applies it, a patch takes 0.7 to 1.3 times the time of a
// rewrite.
func (x *execution) rewrites(c engine.Change) bool {
	// rows is the number of existing rows that change, and bytes is their size.
	rows, bytes := uint64(0), int64(0)
	for _, deleted := range c.Deleted {
		rows += deleted.GetCardinality()
		bytes += int64(deleted.GetSizeInBytes())
	}
	for _, l := range c.Updated {
		rows += uint64(len(l.Ordinals))
		bytes += batch.Bytes(l.Values) + 4*int64(len(l.Ordinals)*len(l.Columns))
	}
	for _, rec := range c.Inserted {
		bytes += batch.Bytes(rec)
	}
	switch {
	case rows == 0 || x.mode == Patch:
		return false
	case x.mode == Rewrite:
		return true
	}
	return !x.loads.FitsPatch(bytes)
}
