package mutate

import (
	"context"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
)

// bufferedRows is a whole result of a query, read into memory.
type bufferedRows struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	bytes   int64 // the size of all batches
}

func (c *bufferedRows) Schema() *arrow.Schema { return c.schema }

func (c *bufferedRows) Next(context.Context) (arrow.RecordBatch, error) {
	if len(c.batches) == 0 {
		return nil, io.EOF
	}
	rec := c.batches[0]
	c.batches = c.batches[1:]
	return rec, nil
}

func (c *bufferedRows) Close() {
	for _, rec := range c.batches {
		rec.Release()
	}
	c.batches = nil
}
