package duck

/*
#include <stdlib.h>
#include <duckdb.h>
*/
import "C"

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// ErrNotSelect says that a statement is valid as far as DuckDB's parser can tell, but
// no SELECT (or FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE), which alone have a tree to show.
var ErrNotSelect = errors.New("not a select statement")

// Node is an object of DuckDB's serialized syntax tree: the query nodes, table
// references and expressions of DuckDB's own parser, under the names that
// json_serialize_sql gives them. Numbers are json.Number.
type Node = map[string]any

// serialize has DuckDB make the syntax trees of a text, and reads them. changed tells that finite
// changed numbers.
func (c *Conn) serialize(sql string) (answer serialized, changed bool, err error) {
	stmt, err := c.PrepareCached("SELECT json_serialize_sql($1::VARCHAR)::VARCHAR")
	if err != nil {
		return answer, false, err
	}
	done, err := awaitTree(c.lent, len(sql))
	if err != nil {
		stmt.Close()
		return answer, false, base.Wrap(contextError(c.lent, base.Errorf(base.Canceled, "%w", err)), "parse")
	}
	defer done()
	err = c.queryText(stmt, func(text string) (err error) {
		text, changed = finite(text)
		if answer, err = readTree(text); err != nil {
			return base.Errorf(base.Internal, "%w", err)
		}
		return nil
	}, sql)
	if err != nil {
		return answer, false, base.Wrap(err, "parse")
	}
	return answer, changed, nil
}

// ParseSelect returns the query node of one SELECT statement, as DuckDB's parser sees
// it. A syntax error is Invalid with its position in the text.
func (c *Conn) ParseSelect(sql string) (Node, error) {
	answer, infinite, err := c.serialize(sql)
	if err != nil {
		return nil, err
	}
	switch {
	case answer.Error && strings.HasPrefix(answer.Message, nestedEnumMessage):
		if plain := withoutEnums(sql); plain != sql {
			return c.ParseSelect(plain)
		}
		return nil, base.Errorf(base.Invalid, "%s", answer.Message)
	case answer.Error && answer.Type == "not implemented":
		return nil, ErrNotSelect
	case answer.Error:
		e := base.Errorf(base.Invalid, "%s", answer.Message)
		if p, err := strconv.Atoi(answer.Position); err == nil {
			e = e.At(p + 1)
		}
		return nil, e
	case len(answer.Statements) != 1:
		return nil, base.Errorf(base.Invalid, "expected one statement, found %d", len(answer.Statements))
	}
	node := answer.Statements[0]
	if infinite {
		castInfinite(node)
	}
	return node, nil
}

// nonFinite matches the numbers that DuckDB writes into JSON and JSON does not have, and strings, to pass over what is in them.
var nonFinite = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?Infinity|NaN`)

// finite puts a string in the place of every number in a syntax tree that JSON does not have: the constant 1e1000 is Infinity.
func finite(text string) (_ string, changed bool) {
	if !strings.Contains(text, "Infinity") && !strings.Contains(text, "NaN") {
		return text, false
	}
	text = nonFinite.ReplaceAllStringFunc(text, func(token string) string {
		if token[0] == '"' {
			return token
		}
		changed = true
		return `"` + token + `"`
	})
	return text, changed
}

// castInfinite makes CAST('Infinity' AS DOUBLE) of every constant in a node whose number finite replaced: DuckDB does not read its
// own Infinity back.
func castInfinite(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			castInfinite(item)
		}
	case Node:
		value, _ := v["value"].(Node)
		kind, _ := value["type"].(Node)
		number, isText := value["value"].(string)
		if v["class"] == "CONSTANT" && isText && (kind["id"] == "DOUBLE" || kind["id"] == "FLOAT") {
			child := maps.Clone(v)
			child["alias"] = ""
			child["value"] = Node{"type": Node{"id": "VARCHAR", "type_info": nil}, "is_null": false, "value": number}
			v["class"], v["type"], v["child"], v["cast_type"], v["try_cast"] = "CAST", "OPERATOR_CAST", child, kind, false
			delete(v, "value")
			return
		}
		for _, item := range v {
			castInfinite(item)
		}
	}
}

// CheckSyntax lets DuckDB's parser judge a statement of whatever kind. It takes a tenth of the time of ParseSelect, which makes a tree, and
// runs a query for that. A syntax error is Invalid with its position in the text.
func (c *Conn) CheckSyntax(sql string) error {
	csql := C.CString(sql)
	defer C.free(unsafe.Pointer(csql))
	var statements C.duckdb_extracted_statements
	found := C.duckdb_extract_statements(c.conn, csql, &statements) // more than one of a PIVOT, which makes a type first
	defer C.duckdb_destroy_extracted(&statements)
	if found > 0 {
		return nil
	}
	if _, err := c.ParseSelect(sql); err != nil && !errors.Is(err, ErrNotSelect) {
		return err // the same, with the position
	}
	return c.failure(C.GoString(C.duckdb_extract_statements_error(statements)))
}

// nestedEnumMessage is what json_serialize_sql says to a cast to a type that holds an ENUM,
// such as ENUM('a')[]: it has no form for that (DuckDB 1.5.5).
const nestedEnumMessage = "Cannot serialize non-constant type parameter"

// withoutEnums writes VARCHAR in the place of every ENUM(...), so that all else stays where it
// is: the tree serves to find names, and no name is in an ENUM.
func withoutEnums(sql string) string {
	tokens, err := sqltoken.Split(sql)
	if err != nil {
		return sql
	}
	out := []byte(sql)
	for i := 0; i+1 < len(tokens); i++ {
		if !tokens[i].Is("ENUM") || !tokens[i+1].Is("(") {
			continue
		}
		start, depth := tokens[i].Start, tokens[i].Depth
		for i += 2; !(tokens[i].Is(")") && tokens[i].Depth == depth); i++ {
		}
		copy(out[start:tokens[i].End], "VARCHAR"+strings.Repeat(" ", tokens[i].End-start))
	}
	return string(out)
}

// PrintSelect returns SQL text for a query node: the inverse of ParseSelect.
func (c *Conn) PrintSelect(node Node) (string, error) {
	stmt, err := c.PrepareCached("SELECT json_deserialize_sql($1::VARCHAR::JSON)")
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(Node{"error": false, "statements": []any{Node{"node": node, "named_param_map": []any{}}}})
	if err != nil {
		return "", base.Errorf(base.Internal, "print: %w", err)
	}
	var sql string
	err = c.queryText(stmt, func(text string) error {
		sql = strings.Clone(text)
		return nil
	}, string(text))
	return sql, err
}
