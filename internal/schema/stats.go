package schema

// ColumnStats describes the values of one column in one part. Min and Max are bounds of every value
// that is not NULL. If they are unknown both are the zero Value (NULL): there is no value, the type
// has no order (nested types), or the text is too long. If a value is NaN, Max is NaN.
type ColumnStats struct {
	Min   Value `json:"min"`
	Max   Value `json:"max"`
	Nulls int64 `json:"nulls"` // number of rows with NULL
}
