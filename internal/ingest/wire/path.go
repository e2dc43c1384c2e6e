package wire

import (
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// Column selects one column of messages.
type Column struct {
	// Path leads from the message to a field: field names joined by dots. A repeated field in it is
	// followed by [n], which selects the nth element counted from 0, or by [], which makes one row
	// per element. A repeated field at the end of a path, without brackets, is a list.
	Path string
	// Name is the name of the column. If it is empty, the name is the path with dots and brackets
	// replaced: imp[0].banner.w becomes imp_0_banner_w.
	Name string
}

// ColumnName returns Name, or its default.
func (c Column) ColumnName() string {
	if c.Name != "" {
		return c.Name
	}
	return pathToName.Replace(c.Path)
}

var pathToName = strings.NewReplacer(".", "_", "[]", "", "[", "_", "]", "")

// Step is one field of a path.
type Step struct {
	Name  string
	Index int // number of the element, or NoElement or AllElements
}

// Values of Step.Index: NoElement if no brackets follow the field, AllElements for [].
const (
	NoElement   = -1
	AllElements = -2
)

// maxIndex is the largest n in [n]. The limit is needed because each such index adds columns, not
// rows.
const maxIndex = 1 << 16

// ParsePath returns the steps of a path. Errors are base.Invalid.
func ParsePath(path string) ([]Step, error) {
	bad := func(format string, args ...any) error {
		return base.Wrap(base.Errorf(base.Invalid, format, args...), "path %q", path)
	}
	if len(path) > 64*ingest.MaxNameSize {
		return nil, base.Errorf(base.Invalid, "a path of %d bytes", len(path))
	}
	var steps []Step
	for part := range strings.SplitSeq(path, ".") {
		name, index, indexed := strings.Cut(part, "[")
		s := Step{Name: name, Index: NoElement}
		if name == "" {
			return nil, bad("a field without a name")
		}
		if indexed {
			number, ok := strings.CutSuffix(index, "]")
			if !ok {
				return nil, bad("a bracket that is not closed")
			}
			s.Index = AllElements
			if number != "" {
				n, err := strconv.ParseUint(number, 10, 32)
				if err != nil || n > maxIndex {
					return nil, bad("%q is not an index between 0 and %d", number, maxIndex)
				}
				s.Index = int(n)
			}
		}
		steps = append(steps, s)
	}
	return steps, nil
}
