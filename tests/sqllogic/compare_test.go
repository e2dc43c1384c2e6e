package sqllogic

import (
	"crypto/md5"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var hashed = regexp.MustCompile(`^\d+ values hashing to [0-9a-f]{32}$`)

// differs returns how rows differ from a record's expected rows, or "". Cells are text, NULL and
// (empty).
func differs(types, order string, want []string, rows [][]string) string {
	rows = slices.Clone(rows)
	if order == "rowsort" {
		slices.SortFunc(rows, func(a, b []string) int { return slices.Compare(a, b) })
	}
	var got []string
	for _, row := range rows {
		if len(row) != len(types) {
			return fmt.Sprintf("%d columns, want %d", len(row), len(types))
		}
		got = append(got, row...)
	}
	if order == "valuesort" || order == "sort" {
		slices.Sort(got)
	}
	if len(want) == 1 && hashed.MatchString(want[0]) {
		sum := md5.New()
		for _, v := range got {
			fmt.Fprintln(sum, v)
		}
		if have := fmt.Sprintf("%d values hashing to %x", len(got), sum.Sum(nil)); have != want[0] {
			return have + ", want " + want[0]
		}
		return ""
	}
	if len(types) > 1 && (len(want) == len(rows) || len(want)*len(types) != len(got)) {
		var cells []string
		for _, line := range want {
			cells = append(cells, strings.Split(line, "\t")...)
		}
		want = cells
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%d values, want %d", len(got), len(want))
	}
	for i := range got {
		if !same(got[i], want[i]) {
			return fmt.Sprintf("row %d column %d: %.200q, want %.200q", i/len(types)+1, i%len(types)+1, got[i], want[i])
		}
	}
	return ""
}

// same compares two cells. Numbers may differ by a hundredth, as in DuckDB's own runner, unless
// both are integers.
func same(got, want string) bool {
	if got == want || strings.HasPrefix(want, "<REGEX>:") && matches(strings.TrimPrefix(want, "<REGEX>:"), got) ||
		strings.HasPrefix(want, "<!REGEX>:") && !matches(strings.TrimPrefix(want, "<!REGEX>:"), got) {
		return true
	}
	truth := map[string]string{"true": "1", "false": "0"}
	if t := truth[strings.ToLower(got)]; t != "" && (t == want || t == truth[strings.ToLower(want)]) {
		return true
	}
	a, errA := strconv.ParseFloat(got, 64)
	b, errB := strconv.ParseFloat(want, 64)
	if errA != nil || errB != nil || !strings.ContainsAny(got+want, ".enEN") {
		return false
	}
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= math.Abs(b)*0.01+1e-8
}

func matches(pattern, text string) bool {
	r, err := regexp.Compile("(?s)^(?:" + pattern + ")$")
	return err == nil && r.MatchString(text)
}
