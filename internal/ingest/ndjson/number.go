package ndjson

import (
	"bytes"
	"math"
	"math/big"
	"strconv"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// number sets the given row of column c to the number whose JSON text is raw. t is the declared
// type of the column. It is nil if the number can be decoded without the type.
func number(c *ingest.Column, row int, raw []byte, t *schema.Type) error {
	whole := !bytes.ContainsAny(raw, ".eE") && string(raw) != "-0"
	switch {
	case t == nil:
	case t.Kind == schema.Decimal || t.Kind == schema.HugeInt || t.Kind == schema.UHugeInt:
		return c.SetString(row, raw) // stored as text: a float64 may lose digits
	case !whole && t.Kind.IsInteger():
		return wholeNumber(c, row, raw, *t)
	}
	if whole {
		return integer(c, row, raw)
	}
	f, err := float(c, row, raw)
	if err != nil {
		return err
	}
	return c.SetFloat(row, f)
}

func float(c *ingest.Column, row int, raw []byte) (float64, error) {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(f, 0) {
		return 0, base.Errorf(base.Invalid, "row %d, column %q: number %s is out of range", c.Row(row)+1, c.Name(), ingest.Quote(raw))
	}
	return f, nil
}

func integer(c *ingest.Column, row int, raw []byte) error {
	// more than the 309 digits that a float64 has at most before its point
	const maxDigits = 400
	text := string(raw)
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return c.SetInt(row, v)
	}
	if v, err := strconv.ParseUint(text, 10, 64); err == nil {
		return c.SetUint(row, v)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && len(raw) <= maxDigits {
		exact, _ := new(big.Int).SetString(text, 10)
		if near, _ := big.NewFloat(f).Int(nil); near.Cmp(exact) == 0 {
			return c.SetFloat(row, f)
		}
	}
	return base.Errorf(base.Invalid, "row %d, column %q: integer %s does not fit into 64 bits", c.Row(row)+1, c.Name(), ingest.Quote(raw)).
		WithHint("send it as a string")
}

// wholeNumber sets the given row of column c to the number whose JSON text is raw, such as 2.0 or
// 1e3. The text has a point or an exponent, but the declared type t of the column is an integer
// type.
func wholeNumber(c *ingest.Column, row int, raw []byte, t schema.Type) error {
	digits, whole := batch.WholeNumber(string(raw))
	if v, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return c.SetInt(row, v)
	}
	if v, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return c.SetUint(row, v)
	}
	f, err := float(c, row, raw)
	if err != nil {
		return err
	}
	// the number is not an integer, but rounding it to float64 would make it an integer
	if !whole && f == math.Trunc(f) {
		return base.Errorf(base.Invalid, "row %d, column %q: %s is not exact in type %s", c.Row(row)+1, c.Name(), ingest.Quote(raw), t)
	}
	// no error here, because the engine may change the table's column to DOUBLE
	return c.SetFloat(row, f)
}
