package duck

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/semaphore"
)

// maxTreeConstants is the maximum number of constants that stay in the syntax tree of a statement.
// A constant takes a kilobyte in a tree, and a statement may have a million of them. Their values
// are only used for pruning.
const maxTreeConstants = 10_000

// omittedConstant is a node of a syntax tree. It takes the place of the constants of a statement
// beyond the number maxTreeConstants.
var omittedConstant = Node{"class": "OMITTED", "type": "OMITTED"}

// treeBudget limits the total size of the serialized syntax trees that are made and parsed at the
// same time. It is needed because the serialized text and the parsed tree take many times the bytes
// of the statement. A tree that is larger than the limit is made alone.
var treeBudget = semaphore.NewWeighted(treeBytes)

const (
	treeBytes = 32 << 20
	// treeGrowth is the assumed size of a serialized syntax tree divided by the size of its
	// statement. For a list of constants the quotient is 48.
	treeGrowth = 48
	// smallTreeBytes is a size in bytes. A serialized syntax tree up to this size does not wait for
	// others.
	smallTreeBytes = 512 << 10
)

// awaitTree waits until the syntax tree of a statement may be made. The argument statement is the
// size of the statement in bytes. The caller must call the returned function done when it has
// parsed the tree. awaitTree returns the error of ctx if ctx ends.
func awaitTree(ctx context.Context, statement int) (done func(), err error) {
	bytes := min(int64(statement)*treeGrowth, treeBytes)
	if bytes <= smallTreeBytes {
		return func() {}, nil
	}
	if err := treeBudget.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	return func() { treeBudget.Release(bytes) }, nil
}

// serialized is the result of DuckDB's function json_serialize_sql.
type serialized struct {
	Error                   bool
	Type, Message, Position string
	Statements              []Node // the query node (root of the syntax tree) of each statement
}

// readTree parses the JSON text that json_serialize_sql returned.
func readTree(text string) (serialized, error) {
	r := treeReader{names: map[string]string{}, d: jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	value, err := r.value()
	if err != nil {
		return serialized{}, err
	}
	root, ok := value.(Node)
	if !ok {
		return serialized{}, errors.New("the syntax tree is not an object")
	}
	var out serialized
	out.Error, _ = root["error"].(bool)
	out.Type, _ = root["error_type"].(string)
	out.Message, _ = root["error_message"].(string)
	out.Position, _ = root["position"].(string)
	statements, _ := root["statements"].([]any)
	for _, s := range statements {
		statement, _ := s.(Node)
		node, _ := statement["node"].(Node)
		out.Statements = append(out.Statements, node)
	}
	return out, nil
}

type treeReader struct {
	d         *jsontext.Decoder
	names     map[string]string // the names of JSON members, so that equal names share memory
	constants int
}

func (r *treeReader) value() (any, error) {
	token, err := r.d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return r.object()
	case '[':
		list := []any{}
		for r.d.PeekKind() != ']' {
			item, err := r.value()
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := r.d.ReadToken()
		return list, err
	case '"':
		return token.String(), nil
	case '0':
		// Numbers stay text (json.Number), because constants above 2^53 must stay exact.
		return json.Number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func (r *treeReader) object() (any, error) {
	node := Node{}
	for r.d.PeekKind() != '}' {
		name, err := r.d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		if known, ok := r.names[key]; ok {
			key = known
		} else {
			r.names[key] = key
		}
		if node[key], err = r.value(); err != nil {
			return nil, err
		}
	}
	if _, err := r.d.ReadToken(); err != nil {
		return nil, err
	}
	if node["class"] == "CONSTANT" {
		if r.constants++; r.constants > maxTreeConstants {
			return omittedConstant, nil
		}
	}
	return node, nil
}
