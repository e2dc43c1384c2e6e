package protobuf

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// selection is a tree of the selected paths below one field.
type selection struct {
	wire.Step
	column int // number of the column whose path ends here; -1 if there is none
	steps  []*selection
}

// selectPaths returns the tree of the columns' paths and the columns' names.
func selectPaths(columns []wire.Column) (*selection, []string, error) {
	root := &selection{column: -1}
	names := make([]string, len(columns))
	seen := make(map[string]struct{}, len(columns))
	for i, c := range columns {
		steps, err := wire.ParsePath(c.Path)
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

func (s *selection) child(want wire.Step) *selection {
	for _, c := range s.steps {
		if c.Step == want {
			return c
		}
	}
	c := &selection{Step: want, column: -1}
	s.steps = append(s.steps, c)
	return c
}
