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

// ErrNotSelect is the error for a statement that is valid but is not a SELECT (or FROM, VALUES,
// DESCRIBE, SHOW, SUMMARIZE). DuckDB returns syntax trees only for these statements.
var ErrNotSelect = errors.New("not a select statement")

// Node is an object of DuckDB's serialized syntax tree: a query node, table reference or
// expression. Its members have the names that json_serialize_sql gives them. Numbers are
// json.Number.
type Node = map[string]any

// serialize makes DuckDB write the syntax trees of an SQL text as JSON, and parses the JSON.
// changed says that the JSON had numbers that are not valid in JSON, which the function
// quoteNonFinite replaced.
func (c *Conn) serialize(sql string) (answer serialized, changed bool, err error) {
	stmt, err := c.PrepareCached("SELECT json_serialize_sql($1::VARCHAR)::VARCHAR")
	if err != nil {
		return answer, false, err
	}
	done, err := awaitTree(c.planContext, len(sql))
	if err != nil {
		stmt.Close()
		return answer, false, base.Wrap(contextError(c.planContext, base.Errorf(base.Canceled, "%w", err)), "parse")
	}
	defer done()
	err = c.queryText(stmt, func(text string) (err error) {
		text, changed = quoteNonFinite(text)
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

// ParseSelect makes DuckDB parse one SELECT statement, and returns its query node. A syntax error
// is an Invalid error with its position in the text.
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
		castNonFinite(node)
	}
	return node, nil
}

// nonFinite matches numbers in DuckDB's JSON that are not valid in JSON, such as Infinity. It also
// matches whole strings, so that such words inside of strings are skipped.
var nonFinite = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?Infinity|NaN`)

// quoteNonFinite replaces numbers in DuckDB's JSON that are not valid in JSON by strings. For
// example, DuckDB writes the constant 1e1000 as Infinity. changed says whether it replaced any.
func quoteNonFinite(text string) (_ string, changed bool) {
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

// castNonFinite replaces infinite constants in a syntax tree by CAST('Infinity' AS DOUBLE), because
// DuckDB cannot read its own Infinity. The constants are those whose value the function
// quoteNonFinite has replaced by a string. v is a part of the syntax tree.
func castNonFinite(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			castNonFinite(item)
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
			castNonFinite(item)
		}
	}
}

// CheckSyntax makes DuckDB parse a statement of any kind. It takes a tenth of the time of
// ParseSelect, which runs a query to get a syntax tree. A syntax error is an Invalid error with its
// position in the text.
func (c *Conn) CheckSyntax(sql string) error {
	csql := C.CString(sql)
	defer C.free(unsafe.Pointer(csql))
	var statements C.duckdb_extracted_statements
	// found may be more than 1: a PIVOT becomes several statements, the first of which creates a
	// type.
	found := C.duckdb_extract_statements(c.conn, csql, &statements)
	defer C.duckdb_destroy_extracted(&statements)
	if found > 0 {
		return nil
	}
	if _, err := c.ParseSelect(sql); err != nil && !errors.Is(err, ErrNotSelect) {
		return err // ParseSelect returns the same error, with its position
	}
	return c.failure(C.GoString(C.duckdb_extract_statements_error(statements)))
}

// nestedEnumMessage is DuckDB's error for a cast to a type that contains an ENUM, such as
// ENUM('a')[]. The function json_serialize_sql cannot serialize such a type (DuckDB 1.5.5).
const nestedEnumMessage = "Cannot serialize non-constant type parameter"

// withoutEnums replaces each ENUM(...) in an SQL text by VARCHAR and spaces, so that all positions
// stay the same. This is allowed because the syntax tree of the text is only used to find names,
// and an ENUM contains no names.
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

// PrintSelect returns the SQL text of a query node. It is the inverse of ParseSelect.
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
