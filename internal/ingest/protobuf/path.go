package protobuf

import (
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// Column selects one column of a projection.
type Column struct {
	// Path leads from the message to a field: field names joined by dots. A repeated field in it is
	// followed by [n], which selects the nth element counted from 0, or by [], which makes one row
	// per element. A repeated field at the end of a path, without brackets, is a list.
	Path string
	// Name is the name of the column. If it is empty, the name is the path with dots and brackets
	// replaced: imp[0].banner.w becomes imp_0_banner_w.
	Name string
}

// Values of step.index that are not the number of an element.
const (
	noIndex  = -1
	allIndex = -2
)

// Step is one field of a path.
type Step struct {
	Name  string
	Index int // number of the element, or NoElement or AllElements
}

// Values of Step.Index: NoElement if no brackets follow the field, AllElements for [].
const (
	NoElement   = noIndex
	AllElements = allIndex
)

// ParsePath returns the steps of a path. It is for formats with their own projections. Errors are
// base.Invalid.
func ParsePath(path string) ([]Step, error) {
	steps, err := parsePath(path)
	out := make([]Step, len(steps))
	for i, s := range steps {
		out[i] = Step{Name: s.name, Index: s.index}
	}
	return out, err
}

// ColumnName returns Name, or its default.
func (c Column) ColumnName() string {
	if c.Name != "" {
		return c.Name
	}
	return defaultName(c.Path)
}

// maxIndex is the largest n in [n]. The limit is needed because each such index adds columns, not
// rows.
const maxIndex = 1 << 16

type step struct {
	name  string
	index int
}

// selection is a tree of the selected paths below one field.
type selection struct {
	step
	column int // number of the column whose path ends here; -1 if there is none
	steps  []*selection
}

// parsePath returns the steps of a path.
func parsePath(path string) ([]step, error) {
	bad := func(format string, args ...any) error {
		return base.Wrap(base.Errorf(base.Invalid, format, args...), "path %q", path)
	}
	if len(path) > 64*ingest.MaxNameSize {
		return nil, base.Errorf(base.Invalid, "a path of %d bytes", len(path))
	}
	var steps []step
	for part := range strings.SplitSeq(path, ".") {
		name, index, indexed := strings.Cut(part, "[")
		s := step{name: name, index: noIndex}
		if name == "" {
			return nil, bad("a field without a name")
		}
		if indexed {
			number, ok := strings.CutSuffix(index, "]")
			if !ok {
				return nil, bad("a bracket that is not closed")
			}
			s.index = allIndex
			if number != "" {
				n, err := strconv.ParseUint(number, 10, 32)
				if err != nil || n > maxIndex {
					return nil, bad("%q is not an index between 0 and %d", number, maxIndex)
				}
				s.index = int(n)
			}
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// selectPaths returns the tree of the columns' paths and the columns' names.
func selectPaths(columns []Column) (*selection, []string, error) {
	root := &selection{column: -1}
	names := make([]string, len(columns))
	seen := make(map[string]struct{}, len(columns))
	for i, c := range columns {
		steps, err := parsePath(c.Path)
		if err != nil {
			return nil, nil, err
		}
		at := root
		for _, s := range steps {
			at = at.child(s)
		}
		if at.column >= 0 {
			return nil, nil, base.Errorf(base.Invalid, "path %q is given twice", c.Path)
		}
		at.column = i
		names[i] = c.ColumnName()
		if err := ingest.CheckName("column", names[i]); err != nil {
			return nil, nil, err
		}
		if _, ok := seen[names[i]]; ok {
			return nil, nil, base.Errorf(base.Invalid, "column %q is given twice", names[i])
		}
		seen[names[i]] = struct{}{}
	}
	return root, names, nil
}

func (s *selection) child(want step) *selection {
	for _, c := range s.steps {
		if c.step == want {
			return c
		}
	}
	c := &selection{step: want, column: -1}
	s.steps = append(s.steps, c)
	return c
}

var pathToName = strings.NewReplacer(".", "_", "[]", "", "[", "_", "]", "")

func defaultName(path string) string { return pathToName.Replace(path) }
