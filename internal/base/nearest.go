package base

import (
	"strings"
	"unicode/utf8"
)

// Nearest returns the candidate that a person most likely meant when typing the given word, or ""
// if no candidate is near. A candidate is near if at most a third of its letters are wrong. One
// wrong letter is always allowed, and two are allowed in candidates of four letters or more. Letter
// case does not matter.
func Nearest(word string, candidates []string) string {
	best, bestDistance := "", 1<<30
	for _, c := range candidates {
		limit := max(1, utf8.RuneCountInString(c)/3)
		if utf8.RuneCountInString(c) >= 4 {
			limit = max(limit, 2)
		}
		d := Distance(strings.ToLower(word), strings.ToLower(c))
		if d <= limit && d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// Distance returns how many insertions, deletions, replacements and swaps of adjacent characters
// are needed to turn a into b. If a or b has more than 200 characters, it returns 1 << 20.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 200 || len(y) > 200 {
		return 1 << 20
	}
	before := make([]int, len(y)+1)
	previous := make([]int, len(y)+1)
	current := make([]int, len(y)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(x); i++ {
		current[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(y)]
}
