package schema

// ColumnStats describes one column of one part. Min and Max bound every value that is not NULL.
// Both are the zero Value (NULL) if they are unknown: there is no value, the type has no order
// (nested types), or the text is too long. If one of the values is NaN, Max is NaN.
type ColumnStats struct {
	Min   Value `json:"min"`
	Max   Value `json:"max"`
	Nulls int64 `json:"nulls"` // number of rows with NULL
}
