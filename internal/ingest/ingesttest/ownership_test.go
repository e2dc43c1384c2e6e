package ingesttest

import (
	"bytes"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/scoterdb/scoter/bench/load/msgpackrows"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/arrowipc"
	"github.com/scoterdb/scoter/internal/ingest/csv"
	"github.com/scoterdb/scoter/internal/ingest/lineprotocol"
	"github.com/scoterdb/scoter/internal/ingest/msgpack"
	"github.com/scoterdb/scoter/internal/ingest/ndjson"
	"github.com/scoterdb/scoter/internal/ingest/parquet"
)

// TestBatchesOwnTheirMemory overwrites each body after decoding, like a server with a pool of
// buffers. The rows must not change.
func TestBatchesOwnTheirMemory(t *testing.T) {
	one := func(batch arrow.RecordBatch, err error) ([]ingest.Rows, error) {
		return []ingest.Rows{{Batch: batch}}, err
	}
	first := func(batches []arrow.RecordBatch, err error) ([]ingest.Rows, error) {
		if err != nil {
			return nil, err
		}
		return one(batches[0], nil)
	}
	f := func(name string, body []byte, decode func(body []byte) ([]ingest.Rows, error)) {
		t.Helper()
		rows, err := decode(body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		before := Show(rows...)
		for i := range body {
			body[i] = 0xaa
		}
		if after := Show(rows...); after != before {
			t.Errorf("%s: %s became %s", name, before, after)
		}
	}
	const lines = "table,tag=a\\ value field=1,text=\"some text\" 1\n"
	f("line protocol", []byte(lines), func(body []byte) ([]ingest.Rows, error) {
		r, err := lineprotocol.Decode(body, lineprotocol.Options{Now: time.Unix(0, 0)})
		return r.Rows, err
	})
	b := msgpackrows.AppendString(msgpackrows.AppendString(msgpackrows.AppendMap(nil, 2), "m"), "table")
	b = msgpackrows.AppendArray(msgpackrows.AppendString(msgpackrows.AppendMap(msgpackrows.AppendString(b, "columns"), 1), "column"), 1)
	f("msgpack", msgpackrows.AppendString(b, "some text"), func(body []byte) ([]ingest.Rows, error) {
		return msgpack.Decode(body, msgpack.Options{Now: time.Unix(0, 0)})
	})
	const object = `{"column":"some text","list":["x"],"number":1}`
	f("ndjson", []byte(object), func(body []byte) ([]ingest.Rows, error) { return one(ndjson.Decode(body, ndjson.Options{})) })
	f("csv", []byte("column,other\nsome text,\"quoted\"\n"), func(body []byte) ([]ingest.Rows, error) {
		return one(csv.Decode(body, csv.Options{}))
	})
	batch, err := ndjson.Decode([]byte(object), ndjson.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var stream, file bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(batch.Schema()))
	p, err := pqarrow.NewFileWriter(batch.Schema(), &file, nil, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{w.Write(batch), w.Close(), p.Write(batch), p.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f("arrow", stream.Bytes(), func(body []byte) ([]ingest.Rows, error) { return first(arrowipc.Decode(body, 0, 1<<20)) })
	f("parquet", file.Bytes(), func(body []byte) ([]ingest.Rows, error) { return first(parquet.Decode(body, 1<<20)) })
}
