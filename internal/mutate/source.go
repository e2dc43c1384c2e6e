package mutate

import (
	"errors"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// source is a query that stands in a statement, as it is run: cut out and edited.
type source struct {
	text  string
	start int            // of what was cut out, in the statement
	edits sqltoken.Edits // of what was cut out
}

// source cuts the query between two tokens out, with the CTEs that the statement begins with,
// up to a token, in front of it. The edits are of the statement's text, and within the query.
func (c *clauses) source(ctesEnd, from, end int, edits sqltoken.Edits) source {
	text, start := c.text(from, end)
	if ctesEnd > 0 {
		text, start = c.text(0, end)
		// What stands between the CTEs and the query (INSERT INTO t ...) goes.
		edits = append(sqltoken.Edits{{Start: c.tokens()[ctesEnd].Start, End: c.tokens()[from].Start}}, edits...)
	}
	shifted := make(sqltoken.Edits, len(edits))
	for i, e := range edits {
		shifted[i] = sqltoken.Edit{Start: e.Start - start, End: e.End - start, Text: e.Text}
	}
	return source{text: shifted.Apply(text), start: start, edits: shifted}
}

// placed moves the position of an error in the source, which began at an offset of the text that
// was run, to the statement. Positions elsewhere in that text mean nothing to the user.
func (s source) placed(err error, offset int) error {
	e := new(base.Error)
	if !errors.As(err, &e) || e.Position == 0 {
		return err
	}
	at := e.Position - 1 - offset
	if at < 0 || at >= len(s.text) {
		return e.At(0)
	}
	at, _ = s.edits.Origin(at)
	return e.At(at + s.start + 1)
}
