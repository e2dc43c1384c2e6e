package system

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// hidden is the text that callers see in place of a path that only administrators may see.
const hidden = "***"

// within returns a message with the paths in it made relative to the data directory.
func (t *Tables) within(message string) string { return base.WithoutFolder(message, t.dir) }

// definition returns the definition of a Kafka source or an export as JSON. If the caller is not an
// administrator, paths on the server are hidden.
func definition(d any, who asker) (string, error) {
	written, err := json.Marshal(d)
	if err != nil || who.admin {
		return string(written), err
	}
	var v any
	if err := json.Unmarshal(written, &v); err != nil {
		return "", err
	}
	written, err = json.Marshal(hidePaths(v))
	return string(written), err
}

// hidePaths returns a JSON value in which the text hidden ("***") replaces each absolute path. A
// text with a list of paths is replaced as a whole.
func hidePaths(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = hidePaths(v[key])
		}
	case []any:
		for i := range v {
			v[i] = hidePaths(v[i])
		}
	case string:
		if filepath.IsAbs(v) {
			return hidden
		}
	}
	return v
}

// hideFolder replaces a folder by the text hidden ("***") at each position where text contains it.
// If folder is empty it returns text unchanged.
func hideFolder(text, folder string) string {
	if folder == "" {
		return text
	}
	return strings.ReplaceAll(text, folder, hidden)
}
