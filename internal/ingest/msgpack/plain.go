package msgpack

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// DecodeTable decodes a body for a single table, the one in the URL of the request. The body has
// maps from column names to values: a single map, an array of maps, or a sequence of maps. It may
// also be a single {"columns": {name: [values]...}}, as in Decode. No column has a special meaning:
// integers under "time" stay integers. types are the known columns of the table.
func DecodeTable(body []byte, types []schema.Field) (arrow.RecordBatch, error) {
	d := decoder{reader: reader{src: body}, types: ingest.Declared(types, declares)}
	t := &table{Table: ingest.NewTable("", ingest.NewPadding())}
	for d.p < len(body) {
		if err := d.plain(t); err != nil {
			return nil, err
		}
	}
	return t.Finish(nil)
}

func (d *decoder) plain(t *table) error {
	code, err := d.code()
	if err != nil {
		return err
	}
	if isArray(code) {
		if err := d.enter(); err != nil {
			return err
		}
		defer d.leave()
		n, err := d.arrayHeader()
		for i := 0; i < n && err == nil; i++ {
			err = d.plain(t)
		}
		return err
	}
	start := d.p
	n, err := d.mapHeader()
	if err != nil {
		return err
	}
	if n == 1 {
		if key, err := d.str(); err == nil && string(key) == "columns" && d.p < len(d.src) && isMap(d.src[d.p]) {
			return d.columns(t)
		}
	}
	d.p = start
	if err := d.row(t); err != nil {
		return err
	}
	return t.Grow(1)
}
