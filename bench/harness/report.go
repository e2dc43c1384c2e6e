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

// Env is the environment that every benchmark receives.
type Env struct {
	Scoter string // path of the scoter program; if empty, the one in the folder of this program
	Dir    string // folder for data; if empty, the system's folder for temporary files
	Output string // folder for the JSON files of reports; if empty, none is written
	Table  io.Writer
}

// Metric is one measured number with its target, if there is one.
type Metric struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // the median of the samples, if there are any
	Unit  string  `json:"unit"`
	// Target is the limit for Value, or nil if there is none. If AtLeast is set, Value must be at
	// least Target. Otherwise it must be at most Target.
	Target  *float64  `json:"target,omitempty"`
	AtLeast bool      `json:"at_least,omitempty"`
	Samples []float64 `json:"samples,omitempty"`
}

// Met reports whether the target is reached.
func (m *Metric) Met() bool {
	return m.Target == nil || m.AtLeast && m.Value >= *m.Target || !m.AtLeast && m.Value <= *m.Target
}

// Report is the result of one benchmark.
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
	// Load is the machine's load average over one minute before the benchmark. It shows whether
	// other programs were running.
	Load float64 `json:"load_average_before"`
	// Seconds of a fixed computation; see function reference.
	Reference float64        `json:"reference_seconds"`
	Options   map[string]any `json:"options"`
	Metrics   []Metric       `json:"metrics"`
	// Measurements are the results of methods for several operations and numbers of rows. The
	// report's page shows them as charts.
	Measurements []Measurement `json:"measurements,omitempty"`
	// Charts are bar charts for the report's page.
	Charts []*Chart `json:"charts,omitempty"`
}

// NewReport returns an empty report of a benchmark. options are the options with which the
// benchmark runs.
func NewReport(benchmark string, options map[string]any) *Report {
	return &Report{
		Benchmark: benchmark, Date: time.Now().UTC().Truncate(time.Second), Scoter: version.String(), DuckDB: version.DuckDB,
		Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH, Processor: procField("/proc/cpuinfo", "model name"),
		Cores: runtime.NumCPU(), Memory: memoryBytes(), Load: loadAverage(), Reference: reference(), Options: options,
	}
}

// Add adds a measured number without a target to the report. samples are the values of which it is
// the median.
func (r *Report) Add(name string, value float64, unit string, samples ...float64) {
	r.Metrics = append(r.Metrics, Metric{Name: name, Value: value, Unit: unit, Samples: samples})
}

// AtMost adds a measured number whose target is to be at most target.
func (r *Report) AtMost(target float64, name string, value float64, unit string, samples ...float64) {
	r.Metrics = append(r.Metrics, Metric{Name: name, Value: value, Unit: unit, Target: &target, Samples: samples})
}

// AtLeast adds a measured number whose target is to be at least target.
func (r *Report) AtLeast(target float64, name string, value float64, unit string, samples ...float64) {
	r.Metrics = append(r.Metrics, Metric{Name: name, Value: value, Unit: unit, Target: &target, AtLeast: true, Samples: samples})
}

// Publish prints the report, and saves it as Save does.
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

// Save writes the report as a JSON file and as an HTML page. It does nothing if Env has no output
// folder. It may be called again after numbers were added to the report.
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

// short formats a number with four significant digits.
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

// Median returns the middle sample. If the number of samples is even, it is the mean of the two in
// the middle. So of two samples, both count.
func Median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Mean returns the arithmetic mean.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// GeometricMean returns the geometric mean, which suits ratios.
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
	v, _ := strconv.ParseFloat(first, 64) // 0 if the system uses another format
	return v
}
