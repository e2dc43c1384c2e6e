//go:build cgo

package duckdb

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// Quote returns name as an SQL identifier in double quotes.
func (e *Engine) Quote(name string) string { return ir.QuoteName(name) }

// Tables returns the names of the tables and views that the method Table can find.
func (e *Engine) Tables(context.Context) ([]string, error) {
	return e.db.strings(`SELECT table_name FROM duckdb_tables() WHERE NOT internal UNION SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1`)
}

// Table describes a table by its name, [catalog.][schema.]table. Case is ignored, as in DuckDB. A
// temporary table hides a permanent one.
func (e *Engine) Table(_ context.Context, name []string) (*analyze.TableInfo, error) {
	where := "lower(table_name) = lower(" + literal(name[len(name)-1]) + ")"
	switch len(name) {
	case 1:
		where += " AND (schema_name = current_schema() AND database_name = current_database() OR database_name = 'temp')"
	case 2:
		where += " AND (lower(schema_name) = lower(" + literal(name[0]) + ") AND database_name = current_database() OR lower(database_name) = lower(" + literal(name[0]) + ") AND schema_name = 'main')"
	default:
		where += " AND lower(schema_name) = lower(" + literal(name[1]) + ") AND lower(database_name) = lower(" + literal(name[0]) + ")"
	}
	rows, err := e.db.strings(`SELECT CAST(to_json([database_name, schema_name, table_name]) AS VARCHAR) FROM duckdb_tables() WHERE ` + where + ` ORDER BY database_name = 'temp' DESC LIMIT 1`)
	if err != nil {
		return nil, fmt.Errorf("look up table %s: %w", strings.Join(name, "."), err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	var at [3]string
	if err := json.Unmarshal([]byte(rows[0]), &at); err != nil {
		return nil, fmt.Errorf("look up table %s: %w", strings.Join(name, "."), err)
	}
	info := &analyze.TableInfo{Schema: at[1], Name: at[2], SQLName: ir.QuoteName(at[2])}
	qualified := ir.QuoteName(at[0]) + "." + ir.QuoteName(at[1]) + "." + ir.QuoteName(at[2])
	switch {
	case len(name) == 3 && at[0] != "temp":
		info.SQLName = qualified
	case len(name) == 2 && at[0] != "temp" && strings.EqualFold(at[1], name[0]):
		info.SQLName = ir.QuoteName(at[1]) + "." + ir.QuoteName(at[2])
	// The user wrote catalog.table. SQLName does not name the default schema of the catalog,
	// because the name of this schema depends on which databases are attached.
	case len(name) == 2 && at[0] != "temp":
		info.SQLName = ir.QuoteName(at[0]) + "." + ir.QuoteName(at[2])
	}
	if err := e.tableColumns(info, qualified, at); err != nil {
		return nil, fmt.Errorf("describe table %s: %w", info.Name, err)
	}
	return info, nil
}

func (e *Engine) tableColumns(info *analyze.TableInfo, qualified string, at [3]string) error {
	p, err := e.db.prepare("SELECT * FROM " + qualified)
	if err != nil {
		return err
	}
	where := fmt.Sprintf(" WHERE database_name = %s AND schema_name = %s AND table_name = %s", literal(at[0]), literal(at[1]), literal(at[2]))
	rows, err := e.db.strings("SELECT CAST(to_json({name: column_name, nullable: is_nullable, fallback: column_default}) AS VARCHAR) FROM duckdb_columns()" + where + " ORDER BY column_index")
	if err != nil {
		return err
	}
	if len(rows) != len(p.columns) {
		return fmt.Errorf("%d columns, %d described", len(p.columns), len(rows))
	}
	index := map[string]int{}
	for i, row := range rows {
		var c struct {
			Name     string
			Nullable bool
			Fallback *string
		}
		if err := json.Unmarshal([]byte(row), &c); err != nil {
			return err
		}
		out := analyze.TableColumnInfo{Name: c.Name, Nullable: c.Nullable}
		if out.Type, err = e.named(p.columns[i]); err != nil {
			return err
		}
		if c.Fallback != nil && *c.Fallback != "" && !strings.EqualFold(*c.Fallback, "NULL") {
			out.HasDefault, out.Default = true, *c.Fallback
		}
		// The catalog functions do not tell which columns are generated. But preparing an INSERT
		// into a generated column fails.
		if _, err := e.db.prepare("INSERT INTO " + qualified + " (" + ir.QuoteName(c.Name) + ") VALUES (NULL)"); err != nil && strings.Contains(err.Error(), "generated column") {
			out.Generated, out.HasDefault = ir.GeneratedVirtual, false
		}
		index[c.Name] = i
		info.Columns = append(info.Columns, out)
	}
	rows, err = e.db.strings("SELECT CAST(to_json({kind: constraint_type, columns: constraint_column_names}) AS VARCHAR) FROM duckdb_constraints()" + where +
		" AND constraint_type IN ('PRIMARY KEY', 'UNIQUE') ORDER BY constraint_type = 'PRIMARY KEY' DESC, constraint_index")
	if err != nil {
		return err
	}
	for _, row := range rows {
		var c struct {
			Kind    string
			Columns []string
		}
		if err := json.Unmarshal([]byte(row), &c); err != nil {
			return err
		}
		var unique []int
		for _, name := range c.Columns {
			unique = append(unique, index[name])
			if c.Kind == "PRIMARY KEY" {
				info.HasPrimary = true
				info.Columns[index[name]].PrimaryKey = true
			}
		}
		info.Unique = append(info.Unique, unique)
	}
	return nil
}
