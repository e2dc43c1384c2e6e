package ingest

import "github.com/scoterdb/scoter/internal/base"

// Budget is how much memory the rows of a request may take. Dictionaries and views show the same bytes any number
// of times: few bytes of a body can be gigabytes of rows.
type Budget struct{ limit, left int64 }

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit, limit} }

func (b *Budget) take(n int) error {
	if b.left -= int64(n); b.left < 0 {
		return b.exceeded()
	}
	return nil
}

func (b *Budget) exceeded() error {
	return base.Errorf(base.TooLarge, "the request's rows take more than %d bytes in memory", b.limit).
		WithHint("send smaller requests, or raise write_memory")
}
