package duck

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/semaphore"
)

// keptConstants is the maximum number of constants that are retained in the syntax tree of a
// statement. A constant takes a kilobyte there, and a statement may have a million of them. Their
// values are only used for pruning.
const keptConstants = 10_000

// omitted replaces the constants of a statement beyond keptConstants.
var omitted = Node{"class": "OMITTED", "type": "OMITTED"}

// treesAtOnce limits the total size of the serialized syntax trees that are made and parsed at the
// same time. The serialized text and the parsed tree take many times the bytes of the statement. A
// tree that is larger than the limit is made alone.
var treesAtOnce = semaphore.NewWeighted(treeBytes)

const (
	treeBytes = 32 << 20
	// treeGrowth is the size of a serialized syntax tree divided by the size of its statement: 48
	// for a list of constants.
	treeGrowth = 48
	// smallTree is the size in bytes up to which a serialized syntax tree does not wait for others.
	smallTree = 512 << 10
)

// awaitTree waits until the syntax tree of a statement of this many bytes may be made. The caller
// must call done when it has parsed the tree. The error is that of ctx.
func awaitTree(ctx context.Context, statement int) (done func(), err error) {
	bytes := min(int64(statement)*treeGrowth, treeBytes)
	if bytes <= smallTree {
		return func() {}, nil
	}
	if err := treesAtOnce.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	return func() { treesAtOnce.Release(bytes) }, nil
}

// serialized is the result of DuckDB's function json_serialize_sql.
type serialized struct {
	Error                   bool
	Type, Message, Position string
	Statements              []Node // the query nodes of the statements
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
		return serialized{}, errors.New("the syntax tree is no object")
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
	names     map[string]string // names of JSON members, so that each is stored once
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
		// The digits as text, because constants above 2^53 must stay exact.
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
		if r.constants++; r.constants > keptConstants {
			return omitted, nil
		}
	}
	return node, nil
}
