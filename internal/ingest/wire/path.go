package wire

import (
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// Column selects a field of messages, and names the column to which the field is decoded.
type Column struct {
	// Path is the path from the message to a field: the names of nested fields, joined by dots. The
	// name of a repeated field may be followed by brackets: [n] selects element n, counted from 0,
	// and [] makes one row for each element. A repeated field at the end of the path may have no
	// brackets. Then the column is a list.
	Path string
	// Name is the name of the column. If it is empty, ColumnName makes one from the path.
	Name string
}

// ColumnName returns the name of the column. If the column has no Name, the result is the path with
// dots and brackets replaced: imp[0].banner.w becomes imp_0_banner_w.
func (c Column) ColumnName() string {
	if c.Name != "" {
		return c.Name
	}
	return pathToName.Replace(c.Path)
}

var pathToName = strings.NewReplacer(".", "_", "[]", "", "[", "_", "]", "")

// Step is one field of a path, with the brackets that follow it.
type Step struct {
	Name  string
	Index int // n if [n] follows the field; otherwise NoElement or AllElements
}

// NoElement and AllElements are special values of Step.Index. NoElement means that no brackets
// follow the field in the path. AllElements means that [] follows it, which selects all elements.
const (
	NoElement   = -1
	AllElements = -2
)

// maxIndex is the maximum index n of an element that [n] selects in a path. Each [n] adds a column
// for a single element, so large indexes are not useful: [] makes a row for each element of a long
// list.
const maxIndex = 1 << 16

// ParsePath parses the path of a field, such as imp[0].banner.w, into its steps. The field
// Column.Path describes the syntax. Errors are base.Invalid.
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
