package ingest

import "github.com/scoterdb/scoter/internal/base"

// Budget limits how much memory the rows of one request may take. The limit is needed because a
// dictionary or view can refer to the same bytes any number of times: a body of a few bytes can
// become gigabytes of rows.
type Budget struct{ limit, left int64 }

// NewBudget returns a budget of limit bytes of memory.
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
