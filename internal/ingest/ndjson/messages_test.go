package ndjson

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

func TestEmptyObjectsAreNull(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: `{}`, `{"a": {}, "b": [{ }, {"c": {}}], "d": "{}"}{"e\\": "\"{}", "{}": {"{": 1}}`: `{"a": null, "b": [null, {"c": null}], "d": "{}"}{"e\\": "\"{}", "{}": {"{": 1}}`,
	} {
		if got := string(withoutEmpty([]byte(text))); got != want || !mayHaveEmpty([]byte(text)) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if mayHaveEmpty([]byte(`{"a": {"b": 1}, "c": "}"}`)) {
		t.Error("there is no empty object")
	}
	// An empty object is decoded as NULL, even if the same field of another message has a non-empty
	// object.
	for _, messages := range [][]string{{`{"a": { }}`}, {`{"a": {}}`, `{"a": {"k": 1}}`}} {
		d := &messageDecoder{}
		for _, m := range messages {
			if err := d.Append([]byte(m)); err != nil {
				t.Fatal(err)
			}
		}
		rows, _, err := d.FinishWithMessages()
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Column(0).IsNull(0) && rows.Column(0).DataType().ID() != arrow.NULL {
			t.Errorf("%s: %s", messages, rows)
		}
		rows.Release()
	}
}
