package ingesttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/ingest/csv"
	"github.com/scoterdb/scoter/internal/ingest/ndjson"
)

// TestValuesPassTheTypesThatAreInferredFromThem creates tables from values that look like times and
// numbers, and stores the values in them.
func TestValuesPassTheTypesThatAreInferredFromThem(t *testing.T) {
	f := func(format, text string, rec arrow.RecordBatch, err error) string {
		t.Helper()
		if err != nil {
			return err.Error()
		}
		defer rec.Release()
		table, err := batch.InferTable("d", "main", "t", rec, nil, batch.InferOptions{})
		if err != nil {
			t.Errorf("%s of %s: %v", format, text, err)
			return ""
		}
		conformed, err := batch.Conform(rec, table, batch.ConformOptions{})
		if err != nil {
			t.Errorf("%s of %s: %v", format, text, err)
			return ""
		}
		defer conformed.Release()
		return table.Columns[0].Type.String() + " " + conformed.Column(0).ValueStr(0)
	}
	r := rand.New(rand.NewPCG(1, 2))
	of := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	seen := map[string]bool{}
	for range 20_000 {
		var text string
		switch r.IntN(4) {
		case 0:
			text = of("", "-", "+") + of("", "0", "7", "123456789012345678901") + of("", ".") + of("", "0", "25", "123456789012345678") + of("", "e3", "E-2", "e400")
		default:
			text = of("2026-01-31", "0001-02-28", "9999-12-31", "2026-1-1", "0000-02-29", "2262-04-12") + of("T", " ", "t", "") + of("", "23:59", "00:00:00", "16:49:45", "24:00") +
				of("", ".", ",") + of("", "5", "896", "123456", "123456789", "0000000000") + of("", "Z", "z", "+02", "-15:59", "+16:00", "-2359", "+24:00", " UTC")
		}
		quoted := fmt.Sprintf("%q", text)
		rec, err := ndjson.Decode(fmt.Appendf(nil, `{"c":%s}`, quoted), ndjson.Options{Moments: true})
		inJSON := f("NDJSON", quoted, rec, err)
		rec, err = csv.Decode([]byte("c\n"+quoted+"\n"), csv.Options{})
		inCSV := f("CSV", quoted, rec, err)
		if len(text) > 10 && text[4] == '-' && inJSON != inCSV {
			t.Errorf("%s: %s in NDJSON, %s in CSV", text, inJSON, inCSV)
		}
		seen[inCSV[:max(strings.LastIndex(inCSV, " "), 0)]] = true
	}
	for _, want := range []string{"BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "VARCHAR"} {
		if !seen[want] {
			t.Errorf("never %s", want)
		}
	}
}
