package system

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// hidden is shown in place of a path that only administrators may see.
const hidden = "***"

// within returns a message in which paths are relative to the data directory.
func (t *Tables) within(message string) string { return base.WithoutFolder(message, t.dir) }

// definition returns the definition of a Kafka source or an export as JSON. Paths on the server are
// hidden from callers that are not administrators.
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

// hidePaths returns a JSON value in which absolute paths are replaced by hidden. This also
// replaces, as a whole, a list of paths in one text.
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

// hideFolder replaces a folder by hidden wherever a text contains it. If folder is empty it returns
// the text as it is.
func hideFolder(text, folder string) string {
	if folder == "" {
		return text
	}
	return strings.ReplaceAll(text, folder, hidden)
}
