package ddl

import (
	"context"
	"errors"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
)

// tempTable is the name of the temporary table that DuckDB creates to check column definitions.
const tempTable = "scoter_shape"

// definitionOf makes DuckDB parse column definitions: the text between the brackets of CREATE
// TABLE. It returns a table with these columns, primary key and CHECK constraints.
func (x *Statement) definitionOf(definitions *clause.Query) (schema.Table, error) {
	text := definitions.String()
	if err := checkDefinitions(text); err != nil {
		return schema.Table{}, definitions.WithPosition(err)
	}
	var create clause.Query
	create.Write("CREATE TEMP TABLE " + tempTable + " (")
	create.Include(definitions)
	create.Write(")")
	return x.readDefinitionOf(tempTable, func(conn *duck.Conn) error {
		// The statement is prepared, because Prepare accepts only one statement, whatever the
		// definitions contain.
		stmt, err := conn.Prepare(create.String())
		if err == nil {
			err = x.Run(stmt)
		}
		return create.WithPosition(withoutTempName(err))
	})
}

// readDefinitionOf calls the function create, which must make a temporary table in DuckDB. Then it
// reads the definition of this table from DuckDB, drops the table, and returns the definition. If
// the drop fails, it closes the connection, which removes the table too.
func (x *Statement) readDefinitionOf(table string, create func(conn *duck.Conn) error) (schema.Table, error) {
	conn, err := x.Pool.Acquire(x.Ctx)
	if err != nil {
		return schema.Table{}, err
	}
	defer x.Pool.Release(conn)
	defer func() {
		if conn.Exec("DROP TABLE IF EXISTS temp."+schema.Quote(table)) != nil {
			conn.Abandon()
		}
	}()
	if err := create(conn); err != nil {
		return schema.Table{}, err
	}
	return readDefinition(x.Ctx, conn, table)
}

// collationHint is the hint of the error for a collation in a column's definition.
const collationHint = "use COLLATE where values are compared: ORDER BY name COLLATE nocase"

// withoutTempName removes the name of the temporary table (tempTable) from an error message of
// DuckDB.
func withoutTempName(err error) error {
	e := new(base.Error)
	if !errors.As(err, &e) || !strings.Contains(err.Error(), tempTable) {
		return err
	}
	plain := strings.NewReplacer(`table "`+tempTable+`"`, "the table", tempTable, "the table").Replace(err.Error())
	return base.Errorf(e.Kind, "%s", plain).WithHint("%s", e.Hint).At(e.Position)
}

// checkDefinitions returns an error for clauses that DuckDB accepts but Scoter does not store:
// generated columns, collations and foreign keys. It recognizes a clause by its first word, which
// can mean nothing else behind a column's name.
//
// It also refuses functions that no statement may call, because DuckDB binds defaults and checks
// when it creates the table.
func checkDefinitions(text string) error {
	tokens, err := sqltoken.Split(text)
	if err != nil {
		return err
	}
	if err := checkCalls(tokens); err != nil {
		return err
	}
	for _, item := range clause.List(tokens) {
		for i, t := range item {
			if i == 0 && !t.Is("FOREIGN") || t.Depth > item[0].Depth {
				continue
			}
			what, hint := "", ""
			switch {
			case t.Is("GENERATED"), t.Is("AS") && i+1 < len(item) && item[i+1].Is("("):
				what, hint = "generated columns", "define a view that computes the column"
			case t.Is("COLLATE"):
				what, hint = "collations of columns", collationHint
			case t.Is("REFERENCES"), t.Is("FOREIGN"):
				what, hint = "FOREIGN KEY constraints", "a PRIMARY KEY makes rows unique"
			default:
				continue
			}
			return base.Errorf(base.Invalid, "%s are not supported", what).WithHint("%s", hint).At(t.Start + 1)
		}
	}
	return nil
}

// checkCalls returns an error if the tokens call a function that no statement may call.
func checkCalls(tokens []sqltoken.Token) error {
	for i, t := range tokens {
		if i+1 < len(tokens) && tokens[i+1].Is("(") && t.IsName() && duck.IsForbidden(t.Name()) {
			return base.Errorf(base.Forbidden, "function %s is not allowed", strings.ToLower(t.Name())).At(t.Start + 1)
		}
	}
	return nil
}

// readDefinition reads the definition of a temporary table from DuckDB's catalog.
func readDefinition(ctx context.Context, conn *duck.Conn, name string) (schema.Table, error) {
	var t schema.Table
	columns, err := statement.Texts(ctx, conn, `SELECT column_name, data_type, is_nullable::VARCHAR, coalesce(column_default, '')
		FROM duckdb_columns() WHERE database_name = 'temp' AND table_name = `+schema.QuoteString(name)+` ORDER BY column_index`)
	if err != nil {
		return t, err
	}
	for _, row := range columns {
		typ, err := schema.Parse(row[1])
		if err != nil {
			return t, base.Wrap(err, "column %q", row[0])
		}
		def := row[3]
		if strings.EqualFold(def, "NULL") {
			def = ""
		}
		t.Columns = append(t.Columns, schema.Column{Name: row[0], Type: typ, NotNull: row[2] == "false", Default: def})
	}
	constraints, err := statement.Texts(ctx, conn, `SELECT constraint_type, array_to_string(constraint_column_names, chr(1)), coalesce(expression, '')
		FROM duckdb_constraints() WHERE database_name = 'temp' AND table_name = `+schema.QuoteString(name)+` ORDER BY constraint_index`)
	if err != nil {
		return t, err
	}
	for _, row := range constraints {
		switch row[0] {
		case "NOT NULL":
		case "CHECK":
			t.Checks = append(t.Checks, row[2])
		case "PRIMARY KEY":
			for _, name := range strings.Split(row[1], "\x01") {
				t.PrimaryKey = append(t.PrimaryKey, base.ColumnID(t.ColumnIndex(name)+1))
			}
		default:
			return t, base.Errorf(base.Invalid, "%s constraints are not supported", row[0]).
				WithHint("a PRIMARY KEY makes rows unique")
		}
	}
	return t, nil
}
