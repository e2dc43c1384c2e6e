package config

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/scoterdb/scoter/internal/base"
)

// File is the parsed content of a settings file.
type File struct {
	Values  map[string]any // values of the settings, by their names in the file
	Tokens  []Token
	Sources []map[string]any
}

// ReadFile reads and parses a settings file. Errors name the line in the file. A file that does not
// exist counts as empty, unless mustExist is true.
func ReadFile(path string, mustExist bool) (File, error) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) && !mustExist {
		return File{}, nil
	}
	if err != nil {
		return File{}, base.Errorf(base.NotFound, "settings: %w", err)
	}
	var f File
	if _, err := toml.Decode(string(text), &f.Values); err != nil {
		return File{}, misread(path, err)
	}
	var known Server
	meta, err := toml.NewDecoder(bytes.NewReader(text)).Decode(&known)
	if err != nil {
		return File{}, misread(path, err)
	}
	// Unknown keys in a Kafka source are not errors here, because package stream checks its
	// content. Names of settings in another case are errors, although the TOML library accepts
	// them, because other programs do not accept them.
	unknown := slices.DeleteFunc(meta.Undecoded(), func(k toml.Key) bool { return k[0] == "source" })
	unknown = append(unknown, slices.DeleteFunc(meta.Keys(), func(k toml.Key) bool { return slices.Contains(names, k[0]) })...)
	if len(unknown) > 0 {
		return File{}, unknownKey(path, lineOf(text, unknown[0], 0), unknown[0])
	}
	for key, v := range f.Values {
		at := lineOf(text, toml.Key{key}, 0)
		if _, whole := v.(int64); whole && slices.Contains(durations, key) {
			return File{}, base.Errorf(base.Invalid, "settings: %s:%d: %s = %v lacks a unit", path, at, key, v).WithHint("write it like \"30s\" or \"5m\"")
		}
		if key == "log_level" && !slices.Contains(levels, known.LogLevel) {
			return File{}, base.Errorf(base.Invalid, "settings: %s:%d: invalid log_level %q: use one of %s", path, at, known.LogLevel, strings.Join(levels, ", "))
		}
	}
	for i, t := range known.Tokens {
		if err := t.check(); err != nil {
			return File{}, base.Wrap(err, "settings: %s:%d", path, lineOf(text, toml.Key{"token"}, i))
		}
	}
	f.Tokens, f.Sources = known.Tokens, known.Sources
	return f, nil
}

// unknownKey returns the error for an unknown setting at a line of the file. If a setting has a
// similar name, the hint mentions it.
func unknownKey(path string, line int, key toml.Key) error {
	known, hint := names, ""
	if key[0] == "token" && len(key) > 1 {
		known = []string{"name", "role", "sha256"}
	}
	if near := base.Nearest(key[len(key)-1], known); near != "" {
		hint = "did you mean " + near + "? "
	}
	return base.Errorf(base.Invalid, "settings: %s:%d: unknown setting %s", path, line, key).WithHint("%sscoter config prints all settings", hint)
}

var levels = []string{"debug", "info", "warn", "error"}

// names are the names of all settings. durations are the names of the settings whose value needs a
// unit of time, such as 5s.
var names, durations = func() (all, durations []string) {
	t := reflect.TypeFor[Server]()
	for i := range t.NumField() {
		f := t.Field(i)
		all = append(all, f.Tag.Get("toml"))
		if f.Type == reflect.TypeFor[time.Duration]() {
			durations = append(durations, f.Tag.Get("toml"))
		}
	}
	return all, durations
}()

var digest = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)

func (t Token) check() error {
	switch {
	case t.Name == "":
		return base.Errorf(base.Invalid, "a token has no name")
	case t.Role != "reader" && t.Role != "writer" && t.Role != "admin":
		return base.Errorf(base.Invalid, "token %q has the invalid role %q: use reader, writer or admin", t.Name, t.Role)
	case !digest.MatchString(t.SHA256):
		return base.Errorf(base.Invalid, "token %q has no sha256 of 64 hexadecimal digits", t.Name).WithHint("scoter token prints it")
	}
	return nil
}

var mistyped = regexp.MustCompile(`^toml: line (\d+) \(last key "([^"]*)"\): (.*)$`)

// misread returns the error for a file that is not valid, with the line where it is invalid.
func misread(path string, err error) error {
	e := toml.ParseError{}
	if !errors.As(err, &e) {
		// If a value has the wrong type, the library gives the position only in the text of its
		// error.
		if m := mistyped.FindStringSubmatch(err.Error()); m != nil {
			return base.Errorf(base.Invalid, "settings: %s:%s: %s: %s", path, m[1], m[2], m[3])
		}
		return base.Errorf(base.Invalid, "settings: %s: %w", path, err)
	}
	message := e.Message
	if message == "" {
		_, message, _ = strings.Cut(err.Error(), "): ")
	}
	if e.LastKey != "" {
		message = e.LastKey + ": " + message
	}
	return base.Errorf(base.Invalid, "settings: %s:%d: %s", path, e.Position.Line, message)
}

// lineOf returns the number of the line, from 1, in which the nth table or value with this key
// begins. It searches the text, because the TOML library does not provide the line. It returns 1 if
// it does not find the key.
func lineOf(text []byte, key toml.Key, nth int) int {
	name := regexp.QuoteMeta(key[len(key)-1])
	pattern := regexp.MustCompile(`^\s*(\[\[?\s*)?"?` + name + `"?\s*[\]=.]`)
	for i, line := range strings.Split(string(text), "\n") {
		if pattern.MatchString(line) {
			if nth == 0 {
				return i + 1
			}
			nth--
		}
	}
	return 1
}
