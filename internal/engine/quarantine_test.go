package engine

import (
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/schema"
)

func TestBoundsAreReadable(t *testing.T) {
	moment := time.Date(1969, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, c := range []struct {
		value schema.Value
		kind  schema.Kind
		want  string
	}{
		{schema.IntValue(-5), schema.BigInt, "-5"},
		{schema.StringValue("a b"), schema.Varchar, `"a b"`},
		{schema.IntValue(moment.UnixMicro()), schema.Timestamp, "1969-03-04 05:06:07"},
		{schema.IntValue(moment.UnixMicro() + 1), schema.TimestampTZ, "1969-03-04 05:06:07.000001"},
		{schema.IntValue(moment.UnixNano() + 1), schema.TimestampNS, "1969-03-04 05:06:07.000000001"},
		{schema.IntValue(moment.Unix()), schema.TimestampS, "1969-03-04 05:06:07"},
		{schema.IntValue(-1), schema.Date, "1969-12-31 00:00:00"},
	} {
		if got := readable(c.value, schema.Of(c.kind)); got != c.want {
			t.Errorf("%s: %s, want %s", schema.Of(c.kind), got, c.want)
		}
	}
}
