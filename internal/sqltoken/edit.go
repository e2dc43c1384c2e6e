package sqltoken

import (
	"slices"
	"strings"
)

// Edit is a change of a text: it replaces the bytes from Start up to End by the text Text.
type Edit struct {
	Start, End int
	Text       string
}

// Edits are edits of the same text. They must not overlap. If several edits are at the same
// position, their order matters: the texts are inserted in that order.
type Edits []Edit

// Apply returns the text with all edits made. It sorts the edits.
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

// Origin translates a byte offset in the edited text to an offset in the original text. If the
// offset is inside of text that an edit inserted, the result written is true, and the offset is the
// start of the text that the edit replaced. Apply must be called first, because it sorts the edits.
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
