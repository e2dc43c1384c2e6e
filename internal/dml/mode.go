package dml

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
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

// String returns the name of the mode.
func (m UpdateMode) String() string { return updateModes[m] }

// ParseUpdateMode parses the name of an update mode.
func ParseUpdateMode(name string) (UpdateMode, error) {
	if i := slices.Index(updateModes, name); i >= 0 {
		return UpdateMode(i), nil
	}
	return 0, base.Errorf(base.Invalid, "update mode %q is none of auto, patch, rewrite and expression", name)
}

// CutMode removes the clause WITH (mode = 'name') from the end of an UPDATE, DELETE or MERGE,
// because DuckDB's grammar does not have it. It returns the statement without the clause, and the
// mode. If there is no such clause, it returns the default mode (the argument otherwise), and the
// result given is false.
func CutMode(s sqltoken.Statement, otherwise UpdateMode) (cut sqltoken.Statement, mode UpdateMode, given bool, err error) {
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
	options, err := (&clause.Reader{Statement: s, At: open}).Options()
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
		return s, 0, false, (&clause.Reader{Statement: s}).WithPosition(err, open+1)
	}
	s.Text, s.Tokens = s.Text[:s.Tokens[with].Start], s.Tokens[:with]
	return s, mode, true, nil
}
