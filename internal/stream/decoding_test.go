package stream

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/schema"
)

// jsonFormat returns the format JSON, opened without options.
func jsonFormat() *format {
	f, err := newFormat(map[string]string{"name": "json"})
	if err != nil {
		panic(err)
	}
	return f
}

// jsonDecoder returns a decoder of JSON messages.
func jsonDecoder() wire.MessageDecoder {
	all, err := jsonFormat().Decoders(context.Background(), nil, wholeShape)
	if err != nil {
		panic(err)
	}
	return all[0]
}

// faulty is a decoder that panics on one message.
type faulty struct {
	wire.MessageDecoder
	messages int
}

func (d *faulty) Append(msg []byte) error {
	if string(msg) == `{"id": 2}` {
		panic("index out of range")
	}
	d.messages++
	return d.MessageDecoder.Append(msg)
}

// FinishWithMessages panics if there are three messages, and leaves them in the decoder.
func (d *faulty) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	if d.messages == 3 {
		panic("index out of range")
	}
	return d.MessageDecoder.FinishWithMessages()
}

// TestAPanicOfADecoderIsAboutOneRecord checks that only the record at which a decoder panics fails,
// and that a new decoder decodes the other records of the batch again.
func TestAPanicOfADecoderIsAboutOneRecord(t *testing.T) {
	p := &plan{format: jsonFormat(), shapes: wholeShape}
	d := newDecodings(p)
	d.byKey[""] = &decoding{decoders: []wire.MessageDecoder{&faulty{MessageDecoder: jsonDecoder()}}}
	ctx := context.Background()
	for i, value := range []string{`{"id": 1}`, `{"id": 2}`, `{"id": 3}`} {
		err := d.add(ctx, &kgo.Record{Value: []byte(value)}, i)
		if (err != nil) != (i == 1) || err != nil && (!isRecordError(err) || !errors.Is(err, errPanic)) {
			t.Errorf("%s: %v", value, err)
		}
	}
	if !d.broken {
		t.Error("rows that are lost with the decoder are not decoded again")
	}
	d.reset()
	// A decoder is also dropped if it panics in FinishWithMessages.
	d.byKey[""] = &decoding{decoders: []wire.MessageDecoder{&faulty{MessageDecoder: jsonDecoder()}}}
	d.last = d.byKey[""]
	add := func(n int) {
		for i := range n {
			if err := d.add(ctx, &kgo.Record{Value: []byte(`{"id": 1}`)}, i); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(3)
	if _, err := d.finish(); !errors.Is(err, errPanic) {
		t.Error(err)
	}
	add(1)
	if pieces, err := d.finish(); err != nil || pieces[0][0].rows.NumRows() != 1 {
		t.Error(pieces, err)
	} else {
		releasePieces(pieces)
	}
	if err := recoverPanic(func() error { return base.Errorf(base.Unavailable, "away") }); base.KindOf(err) != base.Unavailable {
		t.Error(err)
	}
}

// TestPathsOfUnknownTypesAreForgotten checks that a path of unknown type is forgotten if a message
// tells its type, or if there are too many paths.
func TestPathsOfUnknownTypesAreForgotten(t *testing.T) {
	table, err := schema.New(schema.Table{Database: "d", Schema: "main", Name: Messages, Columns: []schema.Column{
		{Name: "id", Type: schema.Of(schema.BigInt)},
		{Name: "items", Type: schema.ListOf(schema.StructOf(schema.Field{Name: "price", Type: schema.Of(schema.BigInt)}))},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var u unknowns
	for _, path := range [][]string{{"ID"}, {"items", "Price"}, {"items", "name"}, {"other", "name"}} {
		u.add(path)
	}
	with, lacks := u.addTo(table)
	if got := with.Columns[1].Type.String() + " " + with.Columns[len(with.Columns)-1].Name; !lacks || len(with.Columns) != 3 || got != "STRUCT(price BIGINT, \"name\" VARCHAR)[] other" {
		t.Errorf("%s, %d columns", got, len(with.Columns))
	}
	u.forgetKnown(table)
	if len(u.paths) != 2 || len(table.Columns) != 2 || len(table.Columns[1].Type.Elem.Fields) != 1 {
		t.Errorf("%v, %+v", u.paths, table.Columns)
	}
	u.forgetKnown(with)
	if _, lacks := u.addTo(table); lacks || len(u.paths) != 0 {
		t.Errorf("%v", u.paths)
	}
	for i := range 2 * maxUnknown {
		u.add([]string{fmt.Sprint("c", i)})
	}
	if u.forgetKnown(table); len(u.paths) != maxUnknown {
		t.Errorf("%d paths", len(u.paths))
	}
}
