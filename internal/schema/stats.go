package schema

// ColumnStats describes one column of one part. Min and Max bound every value that is
// not NULL; both are the zero Value (NULL) if nothing is known: no value, no order (nested
// types), a text too long to keep. With a NaN among the values, Max is NaN.
type ColumnStats struct {
	Min   Value `json:"min"`
	Max   Value `json:"max"`
	Nulls int64 `json:"nulls"` // rows
}
