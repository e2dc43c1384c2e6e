package harness

// Chart is a bar chart of a report. It compares several sides (systems or methods) in several
// cases. Each side has one bar in each case.
type Chart struct {
	Title string   `json:"title"`
	Unit  string   `json:"unit"`
	Cases []string `json:"cases"`
	Bars  []*Bars  `json:"bars"`
}

// Bars are the values of one side of a chart, one value per case. A value is nil if the side was
// not measured in that case.
type Bars struct {
	Side   string     `json:"side"`
	Values []*float64 `json:"values"`
}

// Set sets the value of a side in one case of the chart. The parameter in is the name of the case.
// The chart shows sides and cases in the order in which Set first gets their names.
func (c *Chart) Set(side, in string, value float64) {
	at := -1
	for i, name := range c.Cases {
		if name == in {
			at = i
		}
	}
	if at < 0 {
		at, c.Cases = len(c.Cases), append(c.Cases, in)
	}
	var bars *Bars
	for _, b := range c.Bars {
		if b.Side == side {
			bars = b
		}
	}
	if bars == nil {
		bars = &Bars{Side: side}
		c.Bars = append(c.Bars, bars)
	}
	for len(bars.Values) <= at {
		bars.Values = append(bars.Values, nil)
	}
	bars.Values[at] = &value
}

// Chart adds an empty chart to the report, and returns it. The report's page shows it.
func (r *Report) Chart(title, unit string) *Chart {
	c := &Chart{Title: title, Unit: unit}
	r.Charts = append(r.Charts, c)
	return c
}
