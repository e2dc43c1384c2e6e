package storable

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/statement"
)

// Prove reports whether it is certain that the expressions of an UPDATE without WHERE fail for no
// row. Then the UPDATE can be stored without trying it out, and it changes all rows.
//
// A proof is possible for constants, columns, and +, - and * of numbers. Floating-point operations
// never fail. For other numbers, prove computes the least and the greatest possible value from the
// statistics of the parts' columns.
//
// The error is not nil if the UPDATE would fail for every row, because a constant has an error.
func Prove(x *statement.Statement, e *Update, t *snapshot.Table) (bool, error) {
	if e.Where != "" || e.Table.Condition() != "" {
		return false, nil
	}
	conn, err := x.Pool.Acquire(x.Ctx)
	if err != nil {
		return false, err
	}
	nodes, err := e.parse(conn)
	x.Pool.Release(conn)
	if err != nil {
		return false, clause.WithoutPosition(err)
	}
	p := &proof{table: t}
	roots := make([]*number, len(nodes))
	for i, node := range nodes {
		c := e.Table.Columns[e.Table.ColumnByID(e.Set[i].Column)]
		if !names(node) {
			constant, err := x.ConstantOf(e.Set[i].Value, c.Type)
			if err != nil {
				return false, err
			}
			if constant == "" && c.NotNull {
				return false, base.Errorf(base.Invalid, "column %q is NOT NULL", c.Name)
			}
			continue
		}
		if roots[i] = p.read(e, node); roots[i] == nil || c.NotNull && roots[i].nullable {
			return false, nil
		}
	}
	if err := typesOf(x, e, p.numbers); err != nil {
		return false, err
	}
	for i, root := range roots {
		c := e.Table.Columns[e.Table.ColumnByID(e.Set[i].Column)]
		if root != nil && !(root.holds() && root.assignable(c.Type)) {
			return false, nil
		}
	}
	return true, nil
}

// names reports whether an expression names a column. v is a part of DuckDB's syntax tree.
func names(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, names)
	case duck.Node:
		if v["class"] == "COLUMN_REF" {
			return true
		}
		for _, child := range v {
			if names(child) {
				return true
			}
		}
	}
	return false
}

// number is a numeric expression, with what is known about its value.
type number struct {
	sql         string
	operands    []*number
	operator    string
	typ         schema.Type
	least, most *big.Rat // the bounds of the value; nil if they are not known
	nullable    bool
}

// proof collects the numeric expressions in the assignments of an UPDATE, to prove that they cannot
// fail.
type proof struct {
	table   *snapshot.Table
	numbers []*number
}

// read turns a syntax tree into a number (an expression with its operands). It returns nil if no
// proof is possible for the expression.
func (p *proof) read(e *Update, node duck.Node) *number {
	var n *number
	switch node["class"] {
	case "COLUMN_REF":
		c, err := e.column(node)
		parts, _ := node["column_names"].([]any)
		if err != nil || c.Type.Kind < schema.TinyInt || c.Type.Kind > schema.Decimal || len(parts) > 2 || len(parts) == 2 && schema.Fold(parts[0].(string)) != schema.Fold(e.Alias) {
			return nil
		}
		n = &number{sql: schema.Quote(c.Name)}
		if !p.bounds(n, c) {
			return nil
		}
	case "CONSTANT":
		if n = constantNumber(node); n == nil {
			return nil
		}
	case "FUNCTION":
		n = &number{operator: statement.TextOf(node, "function_name")}
		children, _ := node["children"].([]any)
		if !slices.Contains([]string{"+", "-", "*"}, n.operator) || len(children) == 0 || len(children) > 2 || len(children) == 1 && n.operator == "*" {
			return nil
		}
		for _, v := range children {
			child, _ := v.(duck.Node)
			operand := p.read(e, child)
			if operand == nil {
				return nil
			}
			n.operands, n.nullable = append(n.operands, operand), n.nullable || operand.nullable
		}
		if len(n.operands) == 1 {
			n.sql = "(" + n.operator + " " + n.operands[0].sql + ")"
		} else {
			n.sql = "(" + n.operands[0].sql + " " + n.operator + " " + n.operands[1].sql + ")"
		}
	default:
		return nil
	}
	p.numbers = append(p.numbers, n)
	return n
}

// bounds sets the bounds of a column's values from the statistics of all parts. It returns false if
// the bounds are not certain. That is so if one of these things is true for some part:
//   - It has no statistics of the column.
//   - The column did not exist or had another type when the part was written.
//   - An expression update (an UPDATE that is stored as SQL) sets the column, and no merge has
//     written its results yet.
func (p *proof) bounds(n *number, c schema.Column) bool {
	n.nullable = !c.NotNull
	for _, part := range p.table.Parts {
		written := p.table.Versions[part.SchemaVersion]
		i := written.ColumnByID(c.ID)
		if i < 0 || !written.Columns[i].Type.Equal(c.Type) || slices.Contains(p.table.PendingColumns(part), c.ID) {
			return false
		}
		if c.Type.Kind == schema.Float || c.Type.Kind == schema.Double {
			continue
		}
		if !n.widen(part, c.ID) {
			return false
		}
	}
	if n.least == nil {
		n.least, n.most = new(big.Rat), new(big.Rat) // the column has only NULLs
	}
	return true
}

func (n *number) widen(part *catalog.Part, id base.ColumnID) bool {
	stats, ok := part.Stats[id]
	if !ok {
		return false
	}
	if stats.Nulls == part.Rows {
		return true
	}
	least, ok1 := stats.Min.Rat()
	most, ok2 := stats.Max.Rat()
	if !ok1 || !ok2 {
		return false
	}
	if n.least == nil || least.Cmp(n.least) < 0 {
		n.least = least
	}
	if n.most == nil || most.Cmp(n.most) > 0 {
		n.most = most
	}
	return true
}

// constantNumber returns an integer or decimal literal as a number. It returns nil for other nodes
// of the syntax tree.
func constantNumber(node duck.Node) *number {
	value, _ := node["value"].(duck.Node)
	typ, _ := value["type"].(duck.Node)
	unscaled, isNumber := value["value"].(json.Number)
	if value["is_null"] == true || !isNumber {
		return nil
	}
	r, ok := new(big.Rat).SetString(unscaled.String())
	if !ok {
		return nil
	}
	switch statement.TextOf(typ, "id") {
	case "INTEGER", "BIGINT":
		return &number{sql: unscaled.String(), least: r, most: r}
	case "DOUBLE":
		return &number{sql: "CAST(" + unscaled.String() + " AS DOUBLE)", least: r, most: r}
	case "DECIMAL":
		info, _ := typ["type_info"].(duck.Node)
		scale, _ := info["scale"].(json.Number)
		digits, err := scale.Int64()
		if err != nil || digits < 0 {
			return nil
		}
		r.Quo(r, Power(int(digits)))
		return &number{sql: r.FloatString(int(digits)), least: r, most: r}
	}
	return nil
}

// typesOf sets the types of numeric expressions over a table's columns, as DuckDB determines them.
func typesOf(x *statement.Statement, e *Update, numbers []*number) error {
	if len(numbers) == 0 {
		return nil
	}
	var columns, types []string
	for _, c := range e.Table.Columns {
		columns = append(columns, fmt.Sprintf("CAST(NULL AS %s) AS %s", c.Type, schema.Quote(c.Name)))
	}
	for _, n := range numbers {
		types = append(types, "typeof("+n.sql+")")
	}
	conn, err := x.Pool.Acquire(x.Ctx)
	if err != nil {
		return err
	}
	defer x.Pool.Release(conn)
	rows, err := statement.Texts(x.Ctx, conn, "SELECT "+strings.Join(types, ", ")+" FROM (SELECT "+strings.Join(columns, ", ")+")")
	if err != nil {
		return clause.WithoutPosition(err)
	}
	for i, n := range numbers {
		if n.typ, err = schema.Parse(rows[0][i]); err != nil {
			return err
		}
	}
	return nil
}

// holds computes the bounds of an expression's value, and reports whether the expression fails for
// no row.
func (n *number) holds() bool {
	for _, operand := range n.operands {
		if !operand.holds() {
			return false
		}
	}
	if IsFloat(n.typ) {
		return true // The operands are cast to a floating-point type, and such a cast never fails.
	}
	if slices.ContainsFunc(n.operands, func(o *number) bool { return IsFloat(o.typ) }) {
		return false
	}
	switch {
	case len(n.operands) == 1 && n.operator == "-":
		n.least, n.most = new(big.Rat).Neg(n.operands[0].most), new(big.Rat).Neg(n.operands[0].least)
	case len(n.operands) == 1:
		n.least, n.most = n.operands[0].least, n.operands[0].most
	case len(n.operands) == 2:
		n.combine(n.operands[0], n.operands[1])
	}
	// DuckDB casts the operands of a sum to the type of the sum, so they must fit into that type.
	// It casts the operands of a product only to the width of the product's type, so they need not
	// fit.
	return n.within(n.typ) && (n.operator == "*" || !slices.ContainsFunc(n.operands, func(o *number) bool { return !o.within(n.typ) }))
}

func (n *number) combine(a, b *number) {
	n.least, n.most = nil, nil
	for _, left := range []*big.Rat{a.least, a.most} {
		for _, right := range []*big.Rat{b.least, b.most} {
			r := new(big.Rat)
			switch n.operator {
			case "+":
				r.Add(left, right)
			case "-":
				r.Sub(left, right)
			case "*":
				r.Mul(left, right)
			}
			if n.least == nil || r.Cmp(n.least) < 0 {
				n.least = r
			}
			if n.most == nil || r.Cmp(n.most) > 0 {
				n.most = r
			}
		}
	}
}

// within reports whether all possible values of an expression fit into a type, after rounding.
func (n *number) within(t schema.Type) bool {
	least, most, ok := Limits(t)
	return ok && n.least.Cmp(least) >= 0 && n.most.Cmp(most) <= 0
}

// assignable reports whether a cast of all possible values of an expression to a column's type
// never fails.
func (n *number) assignable(t schema.Type) bool {
	switch {
	case t.Kind == schema.Double, t.Kind == schema.Float && n.typ.Kind != schema.Double:
		return true
	case t.Equal(n.typ):
		return true
	}
	return !IsFloat(n.typ) && n.within(t)
}

// IsFloat reports whether a type is FLOAT or DOUBLE.
func IsFloat(t schema.Type) bool { return t.Kind == schema.Float || t.Kind == schema.Double }

// Limits returns the least and the greatest value of an integer or decimal type.
func Limits(t schema.Type) (least, most *big.Rat, ok bool) {
	whole := func(bits uint, signed bool) (*big.Rat, *big.Rat, bool) {
		most := new(big.Int).Lsh(big.NewInt(1), bits)
		most.Sub(most, big.NewInt(1))
		least := new(big.Int)
		if signed {
			least.Neg(most)
			least.Sub(least, big.NewInt(1))
		}
		return new(big.Rat).SetInt(least), new(big.Rat).SetInt(most), true
	}
	switch t.Kind {
	case schema.TinyInt:
		return whole(7, true)
	case schema.SmallInt:
		return whole(15, true)
	case schema.Integer:
		return whole(31, true)
	case schema.BigInt:
		return whole(63, true)
	case schema.UTinyInt:
		return whole(8, false)
	case schema.USmallInt:
		return whole(16, false)
	case schema.UInteger:
		return whole(32, false)
	case schema.UBigInt:
		return whole(64, false)
	case schema.Decimal:
		most := new(big.Rat).Quo(Power(int(t.Width)), Power(int(t.Scale)))
		most.Sub(most, new(big.Rat).Inv(Power(int(t.Scale))))
		return new(big.Rat).Neg(most), most, true
	}
	return nil, nil, false
}

// Power returns 10 to the power of n.
func Power(n int) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
}
