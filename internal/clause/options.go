package clause

import (
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// Options parses a list of options: (name = value, ...).
func (c *Reader) Options() (map[string]string, error) {
	inner, err := c.Brackets()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	// at is the index in the statement of the first token of the current item.
	at := c.At - 1 - len(inner)
	for _, item := range List(inner) {
		if len(item) < 3 || !item[1].Is("=") {
			return nil, c.WithPosition(base.Errorf(base.Invalid, "an option is written name = value"), at)
		}
		at += len(item) + 1
		value := ""
		for i, t := range item[2:] {
			if i > 0 && (item[2].Kind == sqltoken.String || t.Is("=")) {
				return nil, base.Errorf(base.Invalid, "unexpected %s: a comma is expected after the value of option %s", t.Text(), item[0].Text()).At(t.Start + 1)
			}
			value += t.Text()
		}
		if item[2].Kind == sqltoken.String && strings.HasPrefix(value, "'") {
			value = strings.ReplaceAll(value[1:len(value)-1], "''", "'")
		}
		out[strings.ToLower(strings.Trim(item[0].Text(), `"'`))] = value
	}
	if n := len(inner); n > 0 && inner[n-1].Is(",") {
		return nil, c.WithPosition(base.Errorf(base.Invalid, "an option is expected after the comma"), c.At-1)
	}
	return out, nil
}
