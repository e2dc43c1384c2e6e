package ingest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func TestParseTimestampAgreesWithPackageTime(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	layouts := []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05-0700", "2006-01-02 15:04Z07", "2006-01-02T15:04:05", "2006-01-02"}
	first := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	last := time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC).Unix()
	for range 20_000 {
		at := time.Unix(first+86_400+r.Int64N(last-first-86_400), r.Int64N(1e9)).In(time.FixedZone("", 60*15*(r.IntN(96)-48)))
		layout := layouts[r.IntN(len(layouts))]
		text := at.Format(layout)
		want, err := time.Parse(layout, text)
		if err != nil {
			continue // an offset with minutes in a layout without minutes
		}
		m, ok := ParseTimestamp([]byte(text))
		if !ok || m.Micros != want.UnixMicro() || int(m.Nanos) != want.Nanosecond()%1000 {
			t.Fatalf("%s: %+v, %v, want %d", text, m, ok, want.UnixMicro())
		}
		if m.IsDate != (layout == "2006-01-02") {
			t.Fatalf("%s: IsDate is %v", text, m.IsDate)
		}
	}
}

func TestParseTimestampKnowsEveryDay(t *testing.T) {
	for _, year := range []int{0, 1, 4, 100, 400, 1600, 1700, 1900, 1969, 1970, 1972, 2000, 2024, 2100, 9999} {
		for day := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() == year; day = day.AddDate(0, 0, 1) {
			text := fmt.Sprintf("%04d-%02d-%02d", day.Year(), day.Month(), day.Day())
			if m, ok := ParseTimestamp([]byte(text)); !ok || m.Micros != day.UnixMicro() {
				t.Fatalf("%s: %d, %v, want %d", text, m.Micros, ok, day.UnixMicro())
			}
		}
	}
}

func TestParseTimestampRefuses(t *testing.T) {
	for _, text := range []string{"", "2026", "2026-1-1", "2026-13-01", "2026-00-01", "2026-02-29", "1900-02-29", "2026-04-31", "2026-01-00", "2026-01-01T", "2026-01-01T24:00",
		"2026-01-01T00:60", "2026-01-01T00:00:60", "2026-01-01T00:00:00.", "2026-01-01T00:00:00.0000000001", "2026-01-01T00:00:00+", "2026-01-01T00:00:00+1", "2026-01-01T00:00:00+24:00",
		"2026-01-01T00:00:00Zx", "2026-01-01T00:00:00 UTC", "20260101", "2026/01/01", "2026-01-01x00:00", "2026-01-01T0:00:00", "x026-01-01"} {
		if m, ok := ParseTimestamp([]byte(text)); ok {
			t.Errorf("%q is taken for %+v", text, m)
		}
	}
}
