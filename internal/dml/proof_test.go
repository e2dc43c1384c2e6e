package dml

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/storable"
)

// prover proves expressions for a table of one part. The values of its columns are within given
// bounds.
type prover struct {
	t     *testing.T
	pool  *duck.Pool
	conn  *duck.Conn
	table schema.Table
	part  *catalog.Part
	// values has values of each column as SQL. The first two are the least and the greatest one.
	values map[string][]string
}

// newProver returns a prover for a table without columns.
func newProver(t *testing.T) *prover {
	t.Helper()
	inst, err := duck.Open(duck.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := &prover{t: t, pool: duck.NewPool(inst, 1)}
	if p.conn, err = inst.Connect(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.conn.Close(); p.pool.Close(); inst.Close() })
	p.clear()
	return p
}

func (p *prover) clear() {
	p.values = map[string][]string{}
	p.table = schema.Table{ID: 1, Version: 1, Database: "d", Schema: "main", Name: "t"}
	p.part = &catalog.Part{ID: 1, Table: 1, SchemaVersion: 1, Rows: 10, Stats: map[base.ColumnID]schema.ColumnStats{}}
}

// column adds a column with values from least to most, in units of its last decimal digit.
func (p *prover) column(name string, typ schema.Type, least, most *big.Int, random *rand.Rand) {
	id := base.ColumnID(len(p.table.Columns) + 1)
	p.table.Columns = append(p.table.Columns, schema.Column{ID: id, Name: name, Type: typ})
	stat := func(n *big.Int) schema.Value {
		switch {
		case typ.Kind == schema.Decimal:
			return schema.DecimalValue(decimal128.FromBigInt(n), typ.Scale)
		case typ.Kind == schema.UBigInt:
			return schema.UintValue(n.Uint64())
		case storable.IsFloat(typ):
			f, _ := new(big.Float).SetInt(n).Float64()
			return schema.FloatValue(f)
		}
		return schema.IntValue(n.Int64())
	}
	p.part.Stats[id] = schema.ColumnStats{Min: stat(least), Max: stat(most)}
	width := new(big.Int).Sub(most, least)
	for i := range 4 {
		n := []*big.Int{least, most, nil, nil}[i]
		if n == nil {
			n = new(big.Int).Div(new(big.Int).Mul(width, big.NewInt(random.Int64N(1000))), big.NewInt(1000))
			n.Add(n, least)
		}
		value := n.String()
		if typ.Kind == schema.Decimal {
			value = new(big.Rat).Quo(new(big.Rat).SetInt(n), storable.Power(int(typ.Scale))).FloatString(int(typ.Scale))
		}
		p.values[name] = append(p.values[name], fmt.Sprintf("CAST('%s' AS %s)", value, typ))
	}
}

// prove reports whether the expression of an UPDATE is proven not to fail. ok is false if the
// UPDATE fails for every row.
func (p *prover) prove(sql string) (proven, ok bool) {
	p.t.Helper()
	statements, err := sqltoken.Statements(sql)
	if err != nil {
		p.t.Fatal(err)
	}
	one := oneTable{table: p.table}
	x := &Statement{Statement: &statement.Statement{Tools: &statement.Tools{Names: one, Pool: p.pool}, Ctx: p.t.Context(), Request: statement.Request{Database: "d"}, Reader: &clause.Reader{Statement: statements[0]}}, Stored: one}
	e, _, err := x.ReadExpression()
	if err != nil {
		p.t.Fatalf("%s: %v", sql, err)
	}
	proven, err = storable.Prove(x.Statement, e, &snapshot.Table{Schema: p.table, Parts: []*catalog.Part{p.part}, Versions: map[uint32]schema.Table{1: p.table}})
	return proven, err == nil
}

func TestWhatIsProvenNotToFail(t *testing.T) {
	p := newProver(t)
	random := rand.New(rand.NewPCG(1, 1))
	p.column("price", schema.DecimalOf(15, 2), big.NewInt(-5), big.NewInt(9_999_999), random)
	p.column("n", schema.Of(schema.Integer), big.NewInt(0), big.NewInt(1000), random)
	p.column("big", schema.Of(schema.BigInt), big.NewInt(0), big.NewInt(1<<62), random)
	p.column("x", schema.Of(schema.Double), big.NewInt(0), big.NewInt(1<<62), random)
	p.column("s", schema.Of(schema.Varchar), big.NewInt(0), big.NewInt(0), random)
	for sql, want := range map[string]bool{
		"price = price * 1.02":       true,
		"price = price * 1.02 + n":   true,
		"price = price * 1000000000": false,
		"n = n * 2000000":            true,
		"n = n * 3000000":            false,
		"n = -n":                     true,
		"n = n + big":                false,
		"big = big + 1":              true,
		"big = big * 2":              false,
		"x = x * 1e300 * 1e300":      true,
		"x = x / n":                  false, // only +, - and * are supported
		"x = big":                    true,
		"n = x":                      false,
		"s = 'constant', x = 1":      true,
		"s = lower(s)":               false,
		"x = x * 2 WHERE n > 5":      false, // its rows must be counted
		"price = DEFAULT":            true,
		"price = t.price * 2, n = 7, x = 0 - t.\"x\"": true,
	} {
		if got, ok := p.prove("UPDATE t SET " + sql); got != want || !ok {
			t.Errorf("%s: %v %v, want %v", sql, got, ok, want)
		}
	}
	p.table.Checks = []string{"n < 5000"}
	if got, _ := p.prove("UPDATE t SET price = 1"); got {
		t.Error("a table with a check needs a look at its rows")
	}
	p.table.Checks = nil
	p.table.Columns[1].NotNull, p.table.Columns[0].NotNull = true, true
	for sql, want := range map[string]bool{"n = n + 1": true, "n = price * 1": true, "n = big * 0": false} {
		if got, ok := p.prove("UPDATE t SET " + sql); got != want && ok {
			t.Errorf("%s: %v, want %v", sql, got, want)
		}
	}
}

// TestWhatIsProvenDoesNotFail makes random tables and expressions. If an expression is proven not
// to fail, DuckDB computes it for the bounds of the columns and for values between them.
func TestWhatIsProvenDoesNotFail(t *testing.T) {
	types := []schema.Type{schema.Of(schema.TinyInt), schema.Of(schema.SmallInt), schema.Of(schema.Integer), schema.Of(schema.BigInt), schema.Of(schema.UTinyInt),
		schema.Of(schema.UInteger), schema.Of(schema.UBigInt), schema.DecimalOf(3, 2), schema.DecimalOf(9, 0), schema.DecimalOf(15, 2), schema.DecimalOf(18, 6),
		schema.DecimalOf(30, 3), schema.DecimalOf(38, 10), schema.Of(schema.Float), schema.Of(schema.Double)}
	p := newProver(t)
	proven, tables := 0, 25
	for seed := range tables {
		random := rand.New(rand.NewPCG(uint64(seed), 3))
		p.clear()
		for i := range 4 {
			typ := types[random.IntN(len(types))]
			least, most := bounds(typ, random)
			p.column(fmt.Sprintf("c%d", i), typ, least, most, random)
		}
		for range 25 {
			target := p.table.Columns[random.IntN(4)]
			value := numbersOf(random, 3)
			ok, valid := p.prove("UPDATE t SET " + target.Name + " = " + value)
			if !ok || !valid {
				continue
			}
			proven++
			var from []string
			for _, c := range p.table.Columns {
				from = append(from, fmt.Sprintf("(SELECT unnest([%s]) AS %s)", strings.Join(p.values[c.Name], ", "), c.Name))
			}
			sql := fmt.Sprintf("SELECT bit_xor(hash(CAST((%s) AS %s)))::VARCHAR FROM %s", value, target.Type, strings.Join(from, ", "))
			if _, err := statement.Texts(t.Context(), p.conn, sql); err != nil {
				t.Errorf("seed %d, %s: %v\n%s", seed, target.Type, err, sql)
			}
		}
	}
	if proven < tables {
		t.Errorf("only %d expressions were proven", proven)
	}
}

// bounds returns random bounds of a column within its type.
func bounds(typ schema.Type, random *rand.Rand) (least, most *big.Int) {
	low, high := big.NewInt(-1<<50), big.NewInt(1<<50)
	switch {
	case typ.Kind == schema.Decimal:
		high = storable.Power(int(typ.Width)).Num()
		high = new(big.Int).Sub(high, big.NewInt(1))
		low = new(big.Int).Neg(high)
	case !storable.IsFloat(typ):
		from, to, _ := storable.Limits(typ)
		low, high = from.Num(), to.Num()
	}
	bits := uint(random.IntN(130))
	least, most = new(big.Int).Rsh(high, bits), new(big.Int).Rsh(high, uint(random.IntN(130)))
	if low.Sign() < 0 && random.IntN(2) == 0 {
		least = new(big.Int).Neg(least)
		if random.IntN(8) == 0 {
			least = low
		}
	}
	if least.Cmp(most) > 0 {
		least, most = most, least
	}
	return least, most
}

// numbersOf returns a random expression.
func numbersOf(random *rand.Rand, depth int) string {
	if depth == 0 || random.IntN(4) == 0 {
		if random.IntN(3) == 0 {
			return []string{"1", "2", "100", "0.5", "1.02", "-3", "1e3", "3000000000", "123456.789", "0"}[random.IntN(10)]
		}
		return fmt.Sprintf("c%d", random.IntN(4))
	}
	if random.IntN(6) == 0 {
		return "(- " + numbersOf(random, depth-1) + ")"
	}
	return "(" + numbersOf(random, depth-1) + []string{" + ", " - ", " * "}[random.IntN(3)] + numbersOf(random, depth-1) + ")"
}
