package mutate

import (
	"context"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
)

// collected is a whole result of a query, read into memory.
type collected struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	bytes   int64 // the size of all batches
}

func (c *collected) Schema() *arrow.Schema { return c.schema }

func (c *collected) Next(context.Context) (arrow.RecordBatch, error) {
	if len(c.batches) == 0 {
		return nil, io.EOF
	}
	rec := c.batches[0]
	c.batches = c.batches[1:]
	return rec, nil
}

func (c *collected) Close() {
	for _, rec := range c.batches {
		rec.Release()
	}
	c.batches = nil
}
