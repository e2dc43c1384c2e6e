package schema

// ColumnStats describes the values of one column in one part. Min and Max are bounds of all values
// that are not NULL. If a value is NaN, Max is NaN. Both bounds are the zero Value (NULL) if they
// are unknown: if there is no value, if the type has no order (nested types), or if the text is too
// long.
type ColumnStats struct {
	Min   Value `json:"min"`
	Max   Value `json:"max"`
	Nulls int64 `json:"nulls"` // number of rows with NULL
}
