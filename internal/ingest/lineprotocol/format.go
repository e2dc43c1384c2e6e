package lineprotocol

import (
	"bytes"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/schema"
)

// Format is InfluxDB's wire format, the line protocol.
var Format = &wire.Format{Name: "lineprotocol", DecodeTables: decodeTables}

// decodeTables decodes the lines of a body in line protocol. If lines disagree about the type of a
// field, the types of the existing tables decide which of these lines are valid.
func decodeTables(body []byte, o wire.TableOptions) (wire.Tables, error) {
	opts := Options{Now: o.Now, Precision: o.Precision}
	decoded, err := Decode(body, opts)
	if err != nil || o.Types == nil || !slices.ContainsFunc(decoded.Errors, func(e wire.LineError) bool { return e.Conflict }) {
		return decoded, err
	}
	// The first line with a field decides the type of the field, but the type in the table should.
	// So decode the lines again, with additional lines in front of them: one for each measurement,
	// in which the fields have the types of the table. Then the lines with other types are
	// rejected.
	var typed bytes.Buffer
	var measurements []string
	for _, rows := range decoded.Rows {
		if line := typedLine(o.Types(rows.Table), rows); line != "" {
			typed.WriteString(line)
			measurements = append(measurements, rows.Table)
		}
	}
	if len(measurements) == 0 {
		return decoded, nil
	}
	ingest.Release(decoded.Rows)
	typed.Write(body)
	again, err := Decode(typed.Bytes(), opts)
	if err != nil {
		return again, err
	}
	return withoutTyped(again, measurements), nil
}

// withoutTyped removes the first lines of a decoded body from the result, with their rows and
// errors. These are the lines that decodeTables added, one for each of the measurements.
func withoutTyped(all wire.Tables, measurements []string) wire.Tables {
	n := len(measurements)
	// An added line is rejected if the name of its table cannot be written in line protocol. Such a
	// line has no row.
	for len(all.Errors) > 0 && all.Errors[0].Line <= n {
		measurements[all.Errors[0].Line-1] = ""
		all.Errors = all.Errors[1:]
		all.Rejected--
	}
	for i := range all.Errors {
		all.Errors[i].Line -= n
	}
	out := wire.Tables{Rejected: all.Rejected, Errors: all.Errors}
	for i, rows := range all.Rows {
		added := 0
		if slices.Contains(measurements, rows.Table) {
			whole := rows.Batch
			rows.Batch = whole.NewSlice(1, whole.NumRows())
			whole.Release()
			added = 1
		}
		if rows.Batch.NumRows() == 0 {
			rows.Batch.Release()
			continue
		}
		out.Rows, out.Lines = append(out.Rows, rows), append(out.Lines, all.Lines[i].(lines).without(added, n))
	}
	return out
}

// typedLine returns a line in line protocol that has the fields of rows. The value of each field
// has the type of the table's column, as given in types. Fields whose type line protocol does not
// have are left out. If no field is left, typedLine returns "".
func typedLine(types []schema.Field, rows ingest.Rows) string {
	var fields []string
	for i, f := range rows.Batch.Schema().Fields() {
		t := ingest.TypeNamed(types, []byte(f.Name))
		if t == nil || f.Name == ingest.TimeColumn || slices.Contains(rows.Tags, i) {
			continue
		}
		if value, ok := typedValues[t.Kind]; ok {
			fields = append(fields, fieldName.Replace(f.Name)+"="+value)
		}
	}
	if len(fields) == 0 || strings.ContainsAny(rows.Table+strings.Join(fields, ""), "\n\r") {
		return ""
	}
	return measurementName.Replace(rows.Table) + " " + strings.Join(fields, ",") + " 0\n"
}

// fieldName and measurementName escape the names of fields and measurements for line protocol.
var (
	fieldName       = strings.NewReplacer(",", `\,`, " ", `\ `, "=", `\=`)
	measurementName = strings.NewReplacer(",", `\,`, " ", `\ `)
)

// typedValues maps the type of a column to a value of that type in line protocol.
var typedValues = map[schema.Kind]string{
	schema.Boolean: "t", schema.BigInt: "0i", schema.UBigInt: "0u", schema.Double: "0", schema.Varchar: `""`,
}
