package clause

import (
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// questionMarks returns, for each token, the number of ? parameters up to and including it.
func questionMarks(tokens []sqltoken.Token) []int {
	out := make([]int, len(tokens))
	n := 0
	for i, t := range tokens {
		if t.Kind == sqltoken.Parameter && t.Text() == "?" {
			n++
		}
		out[i] = n
	}
	return out
}

// parameter takes the token of a parameter. It returns the name under which the parameter is passed
// to DuckDB, and the number of its argument in the statement, from 1. That number is 0 for a named
// parameter. For a ?, the argument mark is that number.
func parameter(t sqltoken.Token, mark int) (name string, position int) {
	if t.Text() == "?" {
		return positionalName(mark), mark
	}
	name = t.Text()[1:]
	switch {
	case strings.HasPrefix(name, `"`):
		return strings.ReplaceAll(name[1:len(name)-1], `""`, `"`), 0
	case name != "" && name[0] <= '9':
		if position, err := strconv.Atoi(strings.ReplaceAll(name, "_", "")); err == nil {
			return positionalName(position), position
		}
	}
	return name, 0
}

func positionalName(position int) string { return "scoter_" + strconv.Itoa(position) }

func first(args []any) any {
	if len(args) != 1 {
		return nil
	}
	return args[0]
}

// CheckArguments fails if there are more or fewer arguments than the statement has parameters.
func CheckArguments(tokens []sqltoken.Token, args []any) error {
	n := 0
	names, marks := map[string]bool{}, questionMarks(tokens)
	for i, t := range tokens {
		if t.Kind == sqltoken.Parameter {
			name, position := parameter(t, marks[i])
			n = max(n, position)
			if position == 0 {
				names[name] = true
			}
		}
	}
	if named, ok := first(args).(map[string]any); ok && (len(named) > 0 || len(names) > 0) && n == 0 {
		for name := range names {
			if _, ok := named[name]; !ok {
				return base.Errorf(base.Invalid, "no value for parameter $%s", name)
			}
		}
		n, args = len(names), make([]any, len(named))
	}
	if n != len(args) {
		return duck.ErrParameters(n, len(args))
	}
	return nil
}

// Argument returns the value of a parameter, or nil if there is none. The
// argument tokens has all tokens of the statement, and args has its arguments.
func Argument(tokens []sqltoken.Token, args []any, t sqltoken.Token) any {
	mark := 0
	for _, other := range tokens {
		if other.Start <= t.Start && other.Kind == sqltoken.Parameter && other.Text() == "?" {
			mark++
		}
	}
	name, position := parameter(t, mark)
	if position == 0 {
		named, _ := first(args).(map[string]any)
		return named[name]
	}
	if position > len(args) {
		return nil
	}
	return args[position-1]
}
