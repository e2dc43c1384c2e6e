package harness

import (
	"encoding/json"
	"testing"
)

func TestChart(t *testing.T) {
	r := NewReport("charts", nil)
	c := r.Chart("time", "ms")
	c.Set("one", "first", 10)
	c.Set("one", "second", 5)
	c.Set("two", "second", 20) // without a value in the first case
	c.Set("one", "second", 6)
	text, err := json.Marshal(r.Charts)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"title":"time","unit":"ms","cases":["first","second"],"bars":[{"side":"one","values":[10,6]},{"side":"two","values":[null,20]}]}]`
	if string(text) != want {
		t.Errorf("the charts are %s, want %s", text, want)
	}
}
