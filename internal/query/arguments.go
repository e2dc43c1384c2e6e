package query

import (
	"maps"
	"strconv"
	"time"

	"github.com/scoterdb/scoter/internal/duck"
)

// withArguments replaces parameters in constants by the request's arguments, in order to find
// bounds. It returns false if an argument is missing or has a type for which there are no bounds.
// Such an argument is not an error here, because the query itself will report errors.
func (b *binding) withArguments(constants []duck.Node) ([]duck.Node, bool) {
	out := make([]duck.Node, len(constants))
	for i, c := range constants {
		var ok bool
		if out[i], ok = b.withArgument(c); !ok {
			return nil, false
		}
	}
	return out, true
}

func (b *binding) withArgument(node duck.Node) (duck.Node, bool) {
	switch text(node, "class") {
	case "PARAMETER":
		return b.argument(text(node, "identifier"))
	case "CAST":
		child, ok := b.withArgument(object(node, "child"))
		out := maps.Clone(node)
		out["child"] = child
		return out, ok
	case "FUNCTION":
		children, _ := node["children"].([]any)
		replaced := make([]any, len(children))
		for i, c := range children {
			child, ok := b.withArgument(c.(duck.Node))
			if !ok {
				return nil, false
			}
			replaced[i] = child
		}
		out := maps.Clone(node)
		out["children"] = replaced
		return out, true
	}
	return node, true
}

// argument returns the value of a parameter as a constant of the type that duck.Stmt.Bind gives it.
func (b *binding) argument(name string) (duck.Node, bool) {
	var value any
	if named, ok := b.namedArguments(); ok {
		if value, ok = named[name]; !ok {
			return nil, false
		}
	} else {
		i, err := strconv.Atoi(name)
		if err != nil || i < 1 || i > len(b.req.Args) {
			return nil, false
		}
		value = b.req.Args[i-1]
	}
	switch v := value.(type) {
	case bool:
		return castTo(strconv.FormatBool(v), "BOOLEAN"), true
	case int:
		return castTo(strconv.Itoa(v), "BIGINT"), true
	case int32:
		return castTo(strconv.Itoa(int(v)), "INTEGER"), true
	case int64:
		return castTo(strconv.FormatInt(v, 10), "BIGINT"), true
	case uint64:
		return castTo(strconv.FormatUint(v, 10), "UBIGINT"), true
	case float64:
		return castTo(strconv.FormatFloat(v, 'g', -1, 64), "DOUBLE"), true
	case string:
		return textConstant(v), true
	case time.Time:
		return castTo(v.UTC().Format("2006-01-02 15:04:05.999999Z07:00"), "TIMESTAMP WITH TIME ZONE"), true
	}
	return nil, false
}

func (b *binding) namedArguments() (map[string]any, bool) {
	if len(b.req.Args) != 1 {
		return nil, false
	}
	named, ok := b.req.Args[0].(map[string]any)
	return named, ok
}

func textConstant(s string) duck.Node {
	return duck.Node{"class": "CONSTANT", "type": "VALUE_CONSTANT", "alias": "",
		"value": duck.Node{"type": duck.Node{"id": "VARCHAR", "type_info": nil}, "is_null": false, "value": s}}
}

func castTo(s, typeID string) duck.Node {
	return duck.Node{"class": "CAST", "type": "OPERATOR_CAST", "alias": "", "child": textConstant(s),
		"cast_type": duck.Node{"id": typeID, "type_info": nil}, "try_cast": false}
}
