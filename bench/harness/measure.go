package harness

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"html/template"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// Measurement has the measurements of one method (a way to do something) for one operation and one
// number of rows. Its slices have one element for each run that counts.
type Measurement struct {
	Operation string    `json:"operation"`
	Method    string    `json:"method"`
	Rows      int       `json:"rows"`
	Millis    []float64 `json:"millis"`
	CPU       []float64 `json:"cpu_seconds"`
	Allocated []float64 `json:"allocated_bytes"`
}

// Measured returns the measurement of a method for an operation and a number of rows. It returns
// nil if there is none.
func (r *Report) Measured(operation, method string, rows int) *Measurement {
	for i := range r.Measurements {
		if m := &r.Measurements[i]; m.Operation == operation && m.Method == method && m.Rows == rows {
			return m
		}
	}
	return nil
}

// Measure adds the measurements of one run to the report. The run used a method for an operation,
// with a number of rows.
func (r *Report) Measure(operation, method string, rows int, millis, cpu, allocated float64) {
	m := r.Measured(operation, method, rows)
	if m == nil {
		r.Measurements = append(r.Measurements, Measurement{Operation: operation, Method: method, Rows: rows})
		m = &r.Measurements[len(r.Measurements)-1]
	}
	m.Millis, m.CPU, m.Allocated = append(m.Millis, millis), append(m.CPU, cpu), append(m.Allocated, allocated)
}

// MergeEarlier copies measurements from the file at path, an earlier report of the same benchmark,
// into this report, so that a long benchmark can be run in pieces. It copies nothing for an
// operation and number of rows that this report has measured itself.
func (r *Report) MergeEarlier(path string) error {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return base.Errorf(base.Unavailable, "earlier report: %w", err)
	}
	var old Report
	if err := json.Unmarshal(text, &old); err != nil {
		return base.Errorf(base.Invalid, "%s: %w", path, err)
	}
	measured := map[[2]any]bool{}
	for _, m := range r.Measurements {
		measured[[2]any{m.Operation, m.Rows}] = true
	}
	for _, m := range old.Measurements {
		if !measured[[2]any{m.Operation, m.Rows}] {
			r.Measurements = append(r.Measurements, m)
		}
	}
	slices.SortStableFunc(r.Measurements, func(a, b Measurement) int {
		return cmp.Or(cmp.Compare(on(a.Operation), on(b.Operation)), cmp.Compare(order(a.Operation), order(b.Operation)), cmp.Compare(a.Rows, b.Rows))
	})
	return nil
}

// on returns the first part of an operation's full name. For example, it is the database in "DuckDB
// INSERT".
func on(operation string) string { return operation[:strings.LastIndexByte(operation, ' ')+1] }

func order(operation string) int {
	return slices.Index([]string{"INSERT", "UPDATE", "DELETE", "UPSERT"}, strings.TrimPrefix(operation, on(operation)))
}

//go:embed report.html
var page string

// writePage writes the report as an HTML page that needs no network. It shows the measurements as
// charts, and all numbers.
func (r *Report) writePage(dir string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return base.Errorf(base.Internal, "report: %w", err)
	}
	f, err := os.Create(filepath.Join(dir, r.Benchmark+".html"))
	if err != nil {
		return base.Errorf(base.Unavailable, "report: %w", err)
	}
	defer f.Close()
	t, err := template.New("report").Parse(page)
	if err != nil {
		return base.Errorf(base.Internal, "report: %w", err)
	}
	// The JSON can be put into a script element: Go's JSON encoder escapes the characters that
	// would end the element.
	if err := t.Execute(f, map[string]any{"Title": r.Benchmark, "Data": template.JS(data)}); err != nil {
		return base.Errorf(base.Unavailable, "report: %w", err)
	}
	return nil
}
