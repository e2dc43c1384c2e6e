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

// Edits are edits of one text that do not overlap. Those at the same place apply in
// their order.
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

// Origin returns where an offset of the edited text was in the original one. An offset within
// an edit's text comes from the place that it replaced: written tells so. Apply came first.
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
