package types

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// TestConformReadsTextAsDuckDBDoes checks that texts which Conform accepts as values of a type have
// the same meaning in DuckDB: the stored value must equal DuckDB's own cast of the text. Refused
// texts are listed too.
func TestConformReadsTextAsDuckDBDoes(t *testing.T) {
	db := open(t)
	for _, c := range []struct {
		declared string
		taken    []string
		refused  []string
	}{
		{"BOOLEAN", []string{"true", "FALSE", "t", "f", "1", "0"}, []string{"maybe", "", "2"}},
		{"INTEGER", []string{"0", "-2147483648", " 12 ", "+5", "007", "2.0", "-1e3"}, []string{"", "1.5", "2147483648", "2147483648.0", "0x10", "1_000"}},
		{"BIGINT", []string{"9007199254740993.0", "9007199254740993000e-3", "-9223372036854775808.00"}, []string{"9007199254740993.5", "9223372036854775808.0", "1e19", "1e2e3"}},
		{"UBIGINT", []string{"18446744073709551615", "+3", "1.8446744073709551615e19"}, []string{"-1", "18446744073709551616"}},
		{"HUGEINT", []string{"-170141183460469231731687303715884105728", "00", "-0", "+9", "1e5", "1.0", "12345678901234567890123.000"}, []string{"1.5", "1e39", "170141183460469231731687303715884105728"}},
		{"UHUGEINT", []string{"340282366920938463463374607431768211455"}, []string{"-1", "340282366920938463463374607431768211456"}},
		{"DOUBLE", []string{"1e308", "-0.1", "inf", "-Infinity", "nan", ".5", "5.", "1E-320"}, []string{"1e400", "0x1p3", "", "1.2.3"}},
		{"FLOAT", []string{"0.1", "3.4e38"}, []string{"1e39"}},
		{"DECIMAL(10,2)", []string{"1", "-1.50", "99999999.99", "1.5e3", "1500e-3", ".25", "+7.", "0.000"}, []string{"0.001", "100000000", "", ".", "1e", "abc", "1e99999"}},
		{"DECIMAL(38,0)", []string{"-99999999999999999999999999999999999999"}, []string{"100000000000000000000000000000000000000"}},
		{"UUID", []string{"7f0e1d2c-3b4a-5968-8776-655443322110", "{7F0E1D2C-3B4A-5968-8776-655443322110}", "7f0e1d2c3b4a59688776655443322110"}, []string{"", "7f0e", "zf0e1d2c-3b4a-5968-8776-655443322110"}},
		{"DATE", []string{"1970-01-01", "2024-02-29", "0001-01-01", "1600-02-29", "-0044-03-15", "infinity", "-infinity", "2024-3-9", "99999-12-31"}, []string{"2023-02-29", "1900-02-29", "2024-13-01", "2024", "", "2024-01-01x"}},
		{"TIME", []string{"00:00:00", "23:59:59.999999", "24:00:00", "1:02:03", "12:34"}, []string{"24:00:01", "12:60:00", "12", "12:00:00.0000001", "12:00:60"}},
		{"TIMETZ", []string{"12:00:00+02", "23:59:59.999999-15:59:59", "00:00:00", "12:00:00+02:30", "12:34:56.7-08"}, []string{"12:00:00+16", "x", "25:00:00+00"}},
		{"TIMESTAMP", []string{"2024-03-09", "2024-03-09 10:11:12", "2024-03-09T10:11:12.123456Z", "2024-03-09 10:11:12+00", "1969-12-31 23:59:59.999999", "infinity", "-290000-01-01 00:00:00", "294246-12-31 23:59:59"},
			// DuckDB drops the offset, which would store another time than the client sent.
			[]string{"2024-03-09 10:11:12+02:30", "2024-03-09 25:00:00", "2024-03-09 10:11:12.1234567", "now", "", "2024-03-09 10:11:12 nowhere", "300000-01-01"}},
		{"TIMESTAMP_S", []string{"2024-03-09 10:11:12"}, []string{"2024-03-09 10:11:12.5"}},
		{"TIMESTAMP_MS", []string{"2024-03-09 10:11:12.123"}, []string{"2024-03-09 10:11:12.1234"}},
		{"TIMESTAMP_NS", []string{"2024-03-09 10:11:12.123456789", "1677-09-22 00:00:00", "2262-04-11 23:47:16.854775806"}, []string{"1600-01-01", "2262-04-11 23:47:16.854775808"}},
		{"TIMESTAMPTZ", []string{"2024-03-09 10:11:12.5+02", "2024-03-09T10:11:12Z", "2024-03-09 10:11:12 UTC"}, []string{"yesterday"}},
		{"INTERVAL", []string{"1 year 2 months 3 days 04:05:06.000007", "-1 years -2 months 3 days -100:00:00", "5 weeks", "90 minutes", "00:00:00", "-00:00:00.000001", "0 days",
			"3 days 9223372036854775807 microseconds", "-9223372036854775807 microseconds -1 microsecond", "2147483647 months", "999999999:59:59.999999", "1000 milliseconds 1 hour", "1 month -1 days"},
			[]string{"", "1", "1 fortnight", "x days", "2147483648 days", "9223372036854775807 microseconds 1 second", "99999999999 years"}},
		{"BIT", []string{"0", "0110"}, []string{"", "012"}},
		// other text is a JSON string: see package batch
		{"JSON", []string{`{"a": [1, 2.5e3, true, null, "\ud83e\udd86"]}`, `"x"`, " 1 ", "1e999", "-0"}, nil},
		{"ENUM('a', 'B')", []string{"a", "B"}, []string{"b", ""}},
	} {
		declared := mustParse(t, c.declared)
		table, err := schema.New(schema.Table{Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{{Name: "c", Type: declared}}})
		if err != nil {
			t.Fatal(err)
		}
		rec, err := batch.Conform(textBatch(c.taken), table, batch.ConformOptions{})
		if err != nil {
			t.Errorf("%s: %v", declared, err)
			continue
		}
		path := writeArray(t, declared, rec.Column(0))
		for i, text := range c.taken {
			var same bool
			query := fmt.Sprintf("SELECT CAST(c AS %[1]s) IS NOT DISTINCT FROM CAST(%[2]s AS %[1]s) FROM read_parquet(%[3]s) WHERE file_row_number = %[4]d",
				declared, schema.QuoteString(text), schema.QuoteString(path), i)
			if err := db.QueryRow(query).Scan(&same); err != nil {
				t.Errorf("%s %q, stored as %s: %v", declared, text, rec.Column(0).ValueStr(i), err)
			} else if !same {
				t.Errorf("%s %q is stored as %s, which is not what DuckDB takes it for", declared, text, rec.Column(0).ValueStr(i))
			}
		}
		for _, text := range c.refused {
			if got, err := batch.Conform(textBatch([]string{text}), table, batch.ConformOptions{}); err == nil {
				t.Errorf("%s %q is stored as %s", declared, text, got.Column(0).ValueStr(0))
			}
		}
	}
}

func textBatch(values []string) arrow.RecordBatch {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	s := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	return array.NewRecordBatch(s, []arrow.Array{b.NewArray()}, int64(len(values)))
}
