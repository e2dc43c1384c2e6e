package sqg

import (
	"slices"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

func column(name string, kind ir.Kind) ir.Column {
	return ir.Column{Name: ir.NewName(name), Type: ir.Type{Kind: kind}, Origin: &ir.Origin{Table: "tasks"}}
}

// module returns a module with a query of a whole table, and an appender of that table, which has a
// serial column.
func module(serial string) *ir.Module {
	columns := []ir.Column{column("id", ir.Int32), column("title", ir.Text)}
	return &ir.Module{
		FormatVersion: ir.FormatVersion, Engine: ir.Postgres,
		Enums: []ir.Enum{{Ref: "mood", Name: ir.NewName("mood"), Values: []ir.EnumValue{
			{Value: "soSo", Name: ir.NewName("soSo")}, {Value: "so-so", Name: ir.NewName("so-so")}, {Value: "soso", Name: ir.NewName("soso2")}}}},
		Rows: []ir.Row{
			{Ref: "users_1_result", Name: ir.NewName("users_1_result"), Columns: slices.Clone(columns)},
			{Ref: "tasks_row", Name: ir.NewName("tasks_row"), Columns: slices.Clone(columns)},
		},
		Queries: []ir.Query{{Name: ir.NewName("users1"), Columns: columns, Row: "users_1_result"}},
		Tables: []ir.Table{{Name: ir.NewName("tasks"), Table: "tasks", Ops: []ir.Op{ir.OpAppender}, Insert: []int{0, 1}, InsertRow: "tasks_row",
			Columns: []ir.TableColumn{{Name: ir.NewName("id"), Default: serial}, {Name: ir.NewName("title")}}}},
	}
}

func TestNamesArePythonsOfSQG(t *testing.T) {
	m, target := module(""), &ir.Target{Language: "python", Name: ir.NewName("test2")}
	Adapt(m, target)
	if got := m.Queries[0].Name.Snake() + " " + m.Row(m.Queries[0].Row).Name.Pascal() + " " + target.Name.Snake(); got != "users_1 Users1Row test_2" {
		t.Error(got)
	}
}

func TestColumnsThatAreNumberedByThemselvesAreNotAppended(t *testing.T) {
	m := module("nextval('tasks_id_seq'::regclass)")
	Adapt(m, &ir.Target{Language: "java"})
	if row := m.Row("tasks_row"); len(row.Columns) != 1 || row.Columns[0].Name.Original != "title" || !slices.Equal(m.Tables[0].Insert, []int{1}) {
		t.Errorf("%+v", m)
	}
	if m.Queries[0].Row != "users_1_result" {
		t.Error("a query has a row type without one of its columns")
	}
	m = module("nextval('tasks_id_seq'::regclass)")
	m.Tables[0].Ops = append(m.Tables[0].Ops, ir.OpUpsert)
	if Adapt(m, &ir.Target{Language: "java"}); len(m.Tables[0].Insert) != 2 {
		t.Error("an upsert lacks a column")
	}
}

func TestAQueryOfAWholeTableHasTheRowsOfItsAppenderInJava(t *testing.T) {
	m := module("")
	Adapt(m, &ir.Target{Language: "java"})
	if m.Queries[0].Row != "tasks_row" || len(m.Rows) != 1 {
		t.Errorf("%+v", m.Rows)
	}
}

func TestConstantsOfAnEnumAreTheLabelsInCapitals(t *testing.T) {
	m := module("")
	Adapt(m, &ir.Target{Language: "java"})
	var names []string
	for _, v := range m.Enums[0].Values {
		names = append(names, v.Name.Screaming())
	}
	// SO_SO and SOSO are the same name in Pascal case
	if !slices.Equal(names, []string{"SOSO", "SO_SO_2", "SOSO_3"}) {
		t.Error(names)
	}
}
