package stream

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/protobuf"
)

// faulty is a decoder that panics on one message.
type faulty struct{ jsonDecoder }

func (d *faulty) Append(msg []byte) error {
	if string(msg) == `{"id": 2}` {
		panic("index out of range")
	}
	return d.jsonDecoder.Append(msg)
}

// FinishWithMessages panics, and keeps what it has, if a third message is there.
func (d *faulty) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	if d.messages == 3 {
		panic("index out of range")
	}
	return d.jsonDecoder.FinishWithMessages()
}

// TestAPanicOfADecoderIsAboutOneRecord: the others of its batch are decoded again, by another decoder.
func TestAPanicOfADecoderIsAboutOneRecord(t *testing.T) {
	p := &plan{format: &format{name: "json"}, shapes: [][]protobuf.Column{nil}}
	d := newDecodings(p)
	d.byKey[""] = &decoding{decoders: []decoder{&faulty{}}}
	ctx := context.Background()
	for i, value := range []string{`{"id": 1}`, `{"id": 2}`, `{"id": 3}`} {
		err := d.add(ctx, &kgo.Record{Value: []byte(value)}, i)
		if (err != nil) != (i == 1) || err != nil && (!ofMessage(err) || !errors.Is(err, errDefect)) {
			t.Errorf("%s: %v", value, err)
		}
	}
	if !d.broken {
		t.Error("rows that are lost with the decoder are not decoded again")
	}
	d.reset()
	// Nor is what a decoder holds after a panic at its end.
	d.byKey[""] = &decoding{decoders: []decoder{&faulty{}}}
	d.last = d.byKey[""]
	add := func(n int) {
		for i := range n {
			if err := d.add(ctx, &kgo.Record{Value: []byte(`{"id": 1}`)}, i); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(3)
	if _, err := d.finish(); !errors.Is(err, errDefect) {
		t.Error(err)
	}
	add(1)
	if pieces, err := d.finish(); err != nil || pieces[0][0].rows.NumRows() != 1 {
		t.Error(pieces, err)
	} else {
		releasePieces(pieces)
	}
	if err := guarded(func() error { return base.Errorf(base.Unavailable, "away") }); base.KindOf(err) != base.Unavailable {
		t.Error(err)
	}
}

func TestEmptyObjectsAreNull(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: `{}`, `{"a": {}, "b": [{ }, {"c": {}}], "d": "{}"}{"e\\": "\"{}", "{}": {"{": 1}}`: `{"a": null, "b": [null, {"c": null}], "d": "{}"}{"e\\": "\"{}", "{}": {"{": 1}}`,
	} {
		if got := string(withoutEmpty([]byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
