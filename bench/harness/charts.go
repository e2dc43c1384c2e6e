package harness

// Chart compares sides in some cases. Each side is one bar per case.
type Chart struct {
	Title string   `json:"title"`
	Unit  string   `json:"unit"`
	Cases []string `json:"cases"`
	Bars  []*Bars  `json:"bars"`
}

// Bars are the values of one side, one per case. A value is nil if the side was not measured in
// that case.
type Bars struct {
	Side   string     `json:"side"`
	Values []*float64 `json:"values"`
}

// Set sets the value of a side in a case. Sides and cases are shown in the order in which Set first
// names them.
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

// Chart adds an empty chart, which the report's page shows.
func (r *Report) Chart(title, unit string) *Chart {
	c := &Chart{Title: title, Unit: unit}
	r.Charts = append(r.Charts, c)
	return c
}
