package gen

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	_ "github.com/apache/arrow-go/v18/arrow/extensions" // UUIDs and JSON
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// arrow returns the method that returns the rows of a call as Arrow, or nil if there is none. A
// statement that changes rows has none here, because it would run twice.
func (u *unit) arrow(c call) (method *emit.Query) {
	name := c.Call + c.Stream
	if name == "" || c.Error != "" || strings.HasPrefix(u.target.id, "python/") {
		return nil
	}
	if q := u.queryPlan(name); q.Arrow != "" && q.ReadOnly {
		return q
	}
	return nil
}

// checkArrow compares the Arrow result of a call: the bytes of an Arrow IPC stream in hexadecimal.
func (u *unit) checkArrow(t *testing.T, c call, result [2]string) {
	if result[0] != "ok" {
		t.Errorf("%s\n%s as Arrow: %s %s", u.path, c.line, result[0], result[1])
		return
	}
	rows, err := arrowRows(result[1], u.arrow(c).Pluck, c.Take)
	if err != nil {
		t.Errorf("%s\n%s as Arrow: %v", u.path, c.line, err)
		return
	}
	if diff := compare(c.Want, rows, true); diff != "" {
		t.Errorf("%s\n%s as Arrow:\n%s", u.path, c.line, diff)
	}
}

// arrowRows returns the first count rows of a stream in the form in which the programs print rows.
func arrowRows(text string, pluck bool, count int) (string, error) {
	stream, err := hex.DecodeString(strings.Trim(text, `"`))
	if err != nil {
		return "", err
	}
	r, err := ipc.NewReader(bytes.NewReader(stream))
	if err != nil {
		return "", err
	}
	defer r.Release()
	var rows []string
	for r.Next() {
		batch := r.RecordBatch()
		for i := range int(batch.NumRows()) {
			var values []string
			for _, c := range batch.Columns() {
				values = append(values, cell(c, i))
			}
			if pluck {
				rows = append(rows, values...)
			} else {
				rows = append(rows, "["+strings.Join(values, ",")+"]")
			}
		}
	}
	if count > 0 {
		rows = rows[:min(count, len(rows))]
	}
	return "[" + strings.Join(rows, ",") + "]", r.Err()
}

func jsonText(s string) string {
	text, _ := json.Marshal(s) // a string always has a JSON form
	return string(text)
}

// cell returns a value in the form that canonical gives the values of rows.
func cell(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "null"
	}
	list := func(a arrow.Array, from, to int64) string {
		var parts []string
		for i := from; i < to; i++ {
			parts = append(parts, cell(a, int(i)))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	switch a := a.(type) {
	case *array.Boolean:
		return fmt.Sprint(a.Value(i))
	case *array.Float32:
		return strconv.FormatFloat(float64(a.Value(i)), 'g', -1, 32)
	case *array.Float64:
		return strconv.FormatFloat(a.Value(i), 'g', -1, 64)
	case *array.String:
		return jsonText(a.Value(i))
	case *array.StringView:
		return jsonText(a.Value(i))
	case *array.Binary:
		return jsonText(hex.EncodeToString(a.Value(i)))
	case *array.FixedSizeBinary:
		return jsonText(hex.EncodeToString(a.Value(i)))
	case *array.Decimal128:
		return a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale)
	case *array.Date32:
		return jsonText(a.Value(i).ToTime().Format(time.DateOnly))
	case *array.Time64:
		unit := a.DataType().(*arrow.Time64Type).Unit
		return jsonText(a.Value(i).ToTime(unit).Format("15:04:05.999999999"))
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		return jsonText(a.Value(i).ToTime(unit).Format("2006-01-02T15:04:05.999999999Z"))
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		return fmt.Sprintf("[%d,%d,%d]", v.Months, v.Days, v.Nanoseconds/1000)
	case *array.Dictionary:
		return cell(a.Dictionary(), a.GetValueIndex(i))
	case *array.Map:
		from, to := a.ValueOffsets(i)
		var pairs []string
		for j := from; j < to; j++ {
			pairs = append(pairs, "["+cell(a.Keys(), int(j))+","+cell(a.Items(), int(j))+"]")
		}
		slices.Sort(pairs)
		return "[" + strings.Join(pairs, ",") + "]"
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		return list(a.ListValues(), from, to)
	case *array.Struct:
		var parts []string
		for j := range a.NumField() {
			parts = append(parts, cell(a.Field(j), i))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case array.ExtensionArray:
		if a.ExtensionType().ExtensionName() == "arrow.uuid" {
			return jsonText(a.ValueStr(i))
		}
		return cell(a.Storage(), i)
	}
	if !arrow.IsInteger(a.DataType().ID()) {
		panic(fmt.Sprintf("a value of %s: %s", a.DataType(), a.ValueStr(i)))
	}
	return a.ValueStr(i)
}
