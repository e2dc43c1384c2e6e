package duck

import (
	"regexp"
	"slices"
	"strings"
)

// This file edits the text of DuckDB's error messages. DuckDB (1.5.6) adds two things to its
// messages: names similar to an unknown one, and advice. The names become the hint of the error.
// Advice to change settings or to load extensions is removed, since no statement may do that.

// suggestionLines matches the lines of a message that list names similar to an unknown one.
var suggestionLines = regexp.MustCompile(`(?m)^(Candidate (?:[a-z ]*bindings|[a-z ]*zones|Entries): |Did you mean:? )(.*?)\??$`)

// nearName matches one name in a line that suggestionLines matches.
var nearName = regexp.MustCompile(`"(.*?)"(?:, |$)`)

// aboutFunction matches the beginning of a message about an unknown function.
var aboutFunction = regexp.MustCompile(`^(Scalar|Aggregate|Table|Macro|Table Macro)( Function)? with name`)

// publicNames maps the names of functions that DuckDB uses internally to the names that users
// write. It maps a function that users cannot call to the empty name.
var publicNames = map[string]string{
	"count_star": "count", "sum_no_overflow": "sum",
	"combine": "", "finalize": "", "constant_or_null": "", "create_sort_key": "", "icu_sort_key": "", "getvariable": "",
	"variant_bytes_to_variant": "", "variant_to_parquet_variant": "",
}

// takeSuggestions removes from a message the lines that list similar names. It returns the rest of
// the message, and the distinct names in the form in which users write them.
func takeSuggestions(message string) (rest string, names []string) {
	function := aboutFunction.MatchString(message)
	for _, line := range suggestionLines.FindAllStringSubmatch(message, -1) {
		for _, name := range nearName.FindAllStringSubmatch(line[2], -1) {
			if n := publicName(name[1], function); n != "" && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return strings.TrimSpace(suggestionLines.ReplaceAllString(message, "")), names
}

// publicName returns a name that DuckDB suggests, in the form in which users write it. It returns
// "" for an internal name that users cannot write. function says that the name is the name of a
// function.
func publicName(name string, function bool) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "system."), "main.")
	if strings.HasPrefix(name[strings.LastIndexByte(name, '.')+1:], "scoter_") {
		return ""
	}
	if !function {
		return name
	}
	if public, internal := publicNames[name]; internal {
		return public
	}
	first := strings.TrimLeft(name, "!")
	if IsForbidden(name) || strings.HasPrefix(first, "__") || strings.HasPrefix(name, "icu_collate_") || first == "" || !isLetter(first[0]) {
		return ""
	}
	return name
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// alternatives joins names for a hint such as "did you mean a, b or c?".
func alternatives(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return strings.Join(names, "")
}

// uselessAdvice matches the parts of messages that advise something that users cannot do.
var uselessAdvice = regexp.MustCompile(`(?s)\n\nPossible solutions:\n.*?(?:how_to_tune_workloads|$)` +
	`|\nDatabase is launched in in-memory mode.*?temp_directory='[^']*'` +
	`|\n\nPlease try installing.*$` +
	`|\s*Use "?SET (?:max_expression_depth|scalar_subquery_error_on_multiple_rows|pivot_limit|lambda_syntax|deprecated_using_key_syntax)\b[^\n]*` +
	`|\n\* SET order_by_non_integer_literal=[^\n]*`)

// missingExtension matches messages about functions and types of extensions that are not part of
// the program.
var missingExtension = regexp.MustCompile(` is not in the catalog, but it exists in the (\w+) extension\.?`)

// repeated matches a line of a message that lists a candidate function: a function that the user
// may have meant. A message may list the same candidate several times.
var repeated = regexp.MustCompile(`(?m)^\t[^\t\n]+\) -> .*\n?`)

// withoutAdvice returns a message without the advice that users cannot follow. It lists each
// candidate function once.
func withoutAdvice(message string) string {
	message = uselessAdvice.ReplaceAllString(message, "")
	message = strings.Replace(message, `Values list "`, `Table "`, 1)
	seen := map[string]bool{}
	return repeated.ReplaceAllStringFunc(message, func(line string) string {
		if trimmed := strings.TrimSpace(line); !seen[trimmed] {
			seen[trimmed] = true
			return line
		}
		return ""
	})
}
