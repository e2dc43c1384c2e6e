package sqltoken

import (
	"slices"
	"strings"
)

// Edit replaces the bytes from Start to End of a text.
type Edit struct {
	Start, End int
	Text       string
}

// Edits are edits of one text. They must not overlap. Edits at the same place apply in their order.
type Edits []Edit

// Apply returns the edited text. It sorts the edits.
func (e Edits) Apply(text string) string {
	slices.SortStableFunc(e, func(a, b Edit) int { return a.Start - b.Start })
	var out strings.Builder
	at := 0
	for _, edit := range e {
		out.WriteString(text[at:edit.Start])
		out.WriteString(edit.Text)
		at = edit.End
	}
	out.WriteString(text[at:])
	return out.String()
}

// Origin returns the position in the original text of an offset in the edited text. If the offset
// is within the text of an edit, written is true, and the position is the start of the replaced
// text. Call Apply first, because it sorts the edits.
func (e Edits) Origin(offset int) (at int, written bool) {
	shift := 0
	for _, edit := range e {
		switch start := edit.Start + shift; {
		case offset < start:
			return offset - shift, false
		case offset < start+len(edit.Text):
			return edit.Start, true
		}
		shift += len(edit.Text) - (edit.End - edit.Start)
	}
	return offset - shift, false
}
