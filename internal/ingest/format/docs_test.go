package format_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/ingest/format"
)

// section returns a part of a page of the docs: the text from a given line, such as a heading, to
// the next heading.
func section(t *testing.T, page, from string) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(text), "\n"+from+"\n")
	if !ok {
		t.Fatalf("%s has no line %q", page, from)
	}
	before, _, _ := strings.Cut(after, "\n#")
	return before
}

var code = regexp.MustCompile("`([^`]+)`")

// column returns, sorted, the words in code style that column n of a Markdown table has. Columns
// are counted from 0.
func column(text string, n int) (words []string) {
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) <= n+1 || cells[0] != "" || strings.HasPrefix(cells[1], "---") {
			continue
		}
		for _, m := range code.FindAllStringSubmatch(cells[n+1], -1) {
			words = append(words, m[1])
		}
	}
	slices.Sort(words)
	return words
}

func compare(t *testing.T, where string, documented, registered []string) {
	t.Helper()
	slices.Sort(documented)
	slices.Sort(registered)
	if !slices.Equal(documented, registered) {
		t.Errorf("%s has %q, the registry of formats %q", where, documented, registered)
	}
}

// TestTheDocsListTheFormats checks that the docs list the media types, file endings and names of
// all formats in the list All.
func TestTheDocsListTheFormats(t *testing.T) {
	var mediaTypes, endings []string
	for _, f := range format.All {
		mediaTypes, endings = append(mediaTypes, f.MediaTypes...), append(endings, f.Endings...)
	}
	_, table, _ := strings.Cut(section(t, "API.md", "### Body formats"), "|---|")
	compare(t, "docs/API.md, Body formats,", column(table, 0), mediaTypes)
	_, table, _ = strings.Cut(section(t, "API.md", "## Load files"), "|---|")
	compare(t, "docs/API.md, Load files,", column(table, 1), endings)

	first, _, _ := strings.Cut(section(t, "STREAM.md", "## Options of FORMAT"), "decode")
	var names []string
	for _, m := range code.FindAllStringSubmatch(first, -1) {
		names = append(names, strings.TrimPrefix(m[1], "FORMAT "))
	}
	compare(t, "docs/STREAM.md, Options of FORMAT,", names, format.Names(format.OfMessages(false)))
	_, table, _ = strings.Cut(section(t, "STREAM.md", "## Keys"), "|---|")
	compare(t, "docs/STREAM.md, Keys,", column(table, 0), format.Names(format.OfMessages(true)))
}
