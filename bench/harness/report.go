package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/version"
)

// Env is what every benchmark gets: paths and the functions that use them.
type Env struct {
	// Scoter is the path of the scoter program. If it is empty, the scoter program in the folder of
	// scoter-bench is used.
	Scoter string
	// Dir is the folder for data. If it is empty, the system's folder for temporary files is used.
	Dir string
	// Output is the folder for the JSON files of reports. If it is empty, no file is written.
	Output string
	Table  io.Writer
}

// Metric is one measured number of a report, with its target if it has one.
type Metric struct {
	Name string `json:"name"`
	// Value is the measured number. It is the median of the samples, if there are any.
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Target is the number that Value must reach, or nil if there is no target. If AtLeast is set,
	// Value must be at least Target, and otherwise at most Target.
	Target  *float64  `json:"target,omitempty"`
	AtLeast bool      `json:"at_least,omitempty"`
	Samples []float64 `json:"samples,omitempty"`
}

// Met reports whether the measured number reaches its target.
func (m *Metric) Met() bool {
	return m.Target == nil || m.AtLeast && m.Value >= *m.Target || !m.AtLeast && m.Value <= *m.Target
}

// Report is the result of one run of a benchmark.
type Report struct {
	Benchmark string    `json:"benchmark"`
	Date      time.Time `json:"date"`
	Scoter    string    `json:"scoter"`
	DuckDB    string    `json:"duckdb"`
	Go        string    `json:"go"`
	OS        string    `json:"os"`
	Processor string    `json:"processor"`
	Cores     int       `json:"cores"`
	Memory    int64     `json:"memory_bytes"`
	// Load is the load average of the machine over one minute before the benchmark. It shows
	// whether other programs were running.
	Load float64 `json:"load_average_before"`
	// Reference is the time in seconds of a fixed computation (see the function reference).
	Reference float64        `json:"reference_seconds"`
	Options   map[string]any `json:"options"`
	Metrics   []Metric       `json:"metrics"`
	// Measurements are the times of methods for several operations and numbers of rows. The
	// report's page shows them as charts.
	Measurements []Measurement `json:"measurements,omitempty"`
	// Charts are further bar charts on the report's page.
	Charts []*Chart `json:"charts,omitempty"`
}

// NewReport returns an empty report for a benchmark. options are the options with which the
// benchmark runs.
func NewReport(benchmark string, options map[string]any) *Report {
	return &Report{
		Benchmark: benchmark, Date: time.Now().UTC().Truncate(time.Second), Scoter: version.String(), DuckDB: version.DuckDB,
		Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH, Processor: procField("/proc/cpuinfo", "model name"),
		Cores: runtime.NumCPU(), Memory: memoryBytes(), Load: loadAverage(), Reference: reference(), Options: options,
	}
}

// Add adds a measured number without a target to the report. samples are the single measurements,
// and value is usually their median.
func (r *Report) Add(name string, value float64, unit string, samples ...float64) {
	r.Metrics = append(r.Metrics, Metric{Name: name, Value: value, Unit: unit, Samples: samples})
}

// AtMost adds a measured number to the report. Its target is reached if it is at most target.
func (r *Report) AtMost(target float64, name string, value float64, unit string, samples ...float64) {
	r.Metrics = append(r.Metrics, Metric{Name: name, Value: value, Unit: unit, Target: &target, Samples: samples})
}

// AtLeast adds a measured number to the report. Its target is reached if it is at least target.
func (r *Report) AtLeast(target float64, name string, value float64, unit string, samples ...float64) {
	r.Metrics = append(r.Metrics, Metric{Name: name, Value: value, Unit: unit, Target: &target, AtLeast: true, Samples: samples})
}

// Publish prints the report and writes its files, as Save does.
func (e *Env) Publish(r *Report) error {
	w := tabwriter.NewWriter(e.Table, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "load %s before, reference work %s s\n", short(r.Load), short(r.Reference))
	fmt.Fprintf(w, "%s\tvalue\tunit\tspread\ttarget\t\n", r.Benchmark)
	for i := range r.Metrics {
		m := &r.Metrics[i]
		spread, target, verdict := "", "", ""
		if len(m.Samples) > 1 {
			spread = fmt.Sprintf("%s .. %s", short(slices.Min(m.Samples)), short(slices.Max(m.Samples)))
		}
		if m.Target != nil {
			sign := "<="
			if m.AtLeast {
				sign = ">="
			}
			target, verdict = sign+" "+short(*m.Target), "missed"
			if m.Met() {
				verdict = "met"
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", m.Name, short(m.Value), m.Unit, spread, target, verdict)
	}
	if err := w.Flush(); err != nil {
		return base.Errorf(base.Internal, "print report: %w", err)
	}
	return e.Save(r)
}

// Save writes the report as a JSON file and as an HTML page. It does nothing if there is no folder
// for reports. It may be called again after more numbers were added.
func (e *Env) Save(r *Report) error {
	if e.Output == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return base.Errorf(base.Internal, "report: %w", err)
	}
	if err := os.MkdirAll(e.Output, 0o755); err != nil {
		return base.Errorf(base.Unavailable, "report: %w", err)
	}
	if err := os.WriteFile(filepath.Join(e.Output, r.Benchmark+".json"), append(text, '\n'), 0o644); err != nil {
		return base.Errorf(base.Unavailable, "report: %w", err)
	}
	return r.writePage(e.Output)
}

// short returns a number as text with four significant digits.
func short(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Percentile returns the value below which the given share (0 to 1) of the samples lies.
func Percentile(samples []float64, share float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// Median returns the middle one of the samples. If their number is even, it returns the mean of the
// two in the middle.
func Median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Mean returns the arithmetic mean of the values.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// GeometricMean returns the geometric mean of the values. It is the right mean for ratios.
func GeometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// procField returns a field of a Linux file with lines of the form "name : value", such as
// /proc/cpuinfo. On other systems it returns "".
func procField(path, name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func memoryBytes() int64 {
	kb, err := strconv.ParseInt(strings.TrimSuffix(procField("/proc/meminfo", "MemTotal"), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}

func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	v, _ := strconv.ParseFloat(first, 64) // 0 if the file has another format
	return v
}
