package scoter

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"
)

func TestParseUUIDRefusesWhatIsNone(t *testing.T) {
	for _, s := range []string{"", "12", strings.Repeat("ab", 17), strings.Repeat("ab", 1000), strings.Repeat("ab", 15) + "xy"} {
		if u, err := ParseUUID(s); err == nil || u != (UUID{}) {
			t.Errorf("%.40q: %v %v", s, u, err)
		}
	}
	u := NewUUID()
	if again, err := ParseUUID(u.String()); err != nil || again != u {
		t.Error(u, again, err)
	}
}

// refused returns the error that binding a value gives.
func refused(v any) error {
	valuer, ok := v.(driver.Valuer)
	if !ok {
		return nil
	}
	_, err := valuer.Value()
	return err
}

func TestTimesOfDayDoNotWrap(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "00:00:00", 90*time.Minute + 1500*time.Microsecond: "01:30:00.0015", 24*time.Hour - time.Microsecond: "23:59:59.999999",
		24 * time.Hour: "24:00:00", 25*time.Hour + time.Millisecond: "25:00:00.001", -time.Hour: "-01:00:00",
	} {
		if got := scClockText(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
		outside := d < 0 || d > 24*time.Hour
		if err := refused(scTimeText(d)); (err != nil) != outside {
			t.Errorf("%s: SQLite: %v", d, err)
		}
	}
	for _, text := range []string{"24:00:00", "24:00", "24:00:00.000000"} {
		if d, err := scClock(text); err != nil || d != 24*time.Hour {
			t.Error(text, d, err)
		}
	}
	for _, text := range []string{"24:00:01", "25:00:00", "-01:00:00"} {
		if d, err := scClock(text); err == nil {
			t.Error(text, d)
		}
	}
}

func TestYearsBeyondFourDigitsAndBeforeTheFirst(t *testing.T) {
	for text, want := range map[string]string{
		"0044-03-15 BC": "-0043-03-15T00:00:00Z", "0044-03-15 (BC)": "-0043-03-15T00:00:00Z", "-000043-03-15": "-0043-03-15T00:00:00Z",
		"0044-03-15 10:00:00.5 BC": "-0043-03-15T10:00:00.5Z", "0044-03-15 (BC) 10:00:00.5": "-0043-03-15T10:00:00.5Z",
		"0044-03-15 10:00:00+05:30 BC": "-0043-03-15T04:30:00Z", "-000043-03-15T10:00:00.500Z": "-0043-03-15T10:00:00.5Z",
		"0001-02-29 BC": "0000-02-29T00:00:00Z", "0001-01-01 00:00:00+01": "0000-12-31T23:00:00Z", "4713-01-01 (BC)": "-4712-01-01T00:00:00Z",
		"12345-06-07": "12345-06-07T00:00:00Z", "+012345-06-07T08:09:10.5Z": "12345-06-07T08:09:10.5Z", "12000-02-29 23:00:00-02": "12000-03-01T01:00:00Z",
		"294276-12-31 12:00:00+00": "294276-12-31T12:00:00Z", "5881580-07-10": "5881580-07-10T00:00:00Z",
	} {
		if got, err := scTime(text); err != nil || got.Format(time.RFC3339Nano) != want {
			t.Error(text, got, err)
		}
	}
	for _, text := range []string{"infinity", "-infinity"} {
		if got, err := scDay(text); err == nil || err.Error() != text+" is not a day or moment of Go" {
			t.Error(text, got, err)
		}
	}
	for _, text := range []string{"", "BC", "44-03-15 BC", "12345-06", "12345-02-30", "infinite", "12345-06-07 25:00:00"} {
		if got, err := scTime(text); err == nil {
			t.Error(text, got)
		}
	}
}

func TestYearsAreWrittenAsEachDatabaseReadsThem(t *testing.T) {
	ides, far := time.Date(-43, 3, 15, 10, 0, 0, 5e8, time.UTC), time.Date(12345, 6, 7, 0, 0, 0, 0, time.UTC)
	for want, got := range map[string]any{
		"0044-03-15 10:00:00.5Z BC": scPG(ides), `{"0044-03-15 10:00:00.5Z BC"}`: scPG([]time.Time{ides}), "-0043-03-15 10:00:00.5Z": scDuckDB(&ides),
		`["-0043-03-15 10:00:00.5Z"]`: scJSONNested([]time.Time{ides}), "12345-06-07 00:00:00Z": scPG(far), "0001-02-29 00:00:00Z BC": scPG(time.Date(0, 2, 29, 0, 0, 0, 0, time.UTC)),
		"0000-02-29": scDateText(time.Date(0, 2, 29, 0, 0, 0, 0, time.UTC)), "9999-12-31 23:59:59": scMomentText(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)),
	} {
		if got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
	for _, v := range []any{scDateText(ides), scDateText(far), scMomentText(time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -7200)))} {
		if err := refused(v); err == nil || !strings.Contains(err.Error(), "is not of SQLite's 0 to 9999") {
			t.Errorf("%v: %v", v, err)
		}
	}
}

func TestAnOffsetKeepsItsSeconds(t *testing.T) {
	moment := time.Date(1900, 1, 1, 12, 0, 0, 0, time.FixedZone("LMT", 19*60+32))
	if got := scPG(moment); got != "1900-01-01 12:00:00+00:19:32" {
		t.Error(got)
	}
	if back, err := scTime(scPG(moment)); err != nil || !back.Equal(moment) {
		t.Error(back, err)
	}
	if got := scPG(moment.In(time.FixedZone("", 5*3600+1800))); got != "1900-01-01 17:10:28+05:30" {
		t.Error(got)
	}
}

func TestTextOfAnotherStyleIsNoValue(t *testing.T) {
	for _, text := range []string{"1-2", "3 4:05:06", "P1Y2M", "@ 1 year 2 mons", "1 year 2", "1 year x"} {
		if i, err := scInterval(text); err == nil {
			t.Errorf("%q: %+v", text, i)
		}
	}
	if i, err := scInterval("1 year 2 months -3 days -04:05:06.7"); err != nil || i != (Interval{14, -3, -14706700000}) {
		t.Error(i, err)
	}
	if b, err := scBlob(`ab\001`); err == nil {
		t.Errorf("%q", b)
	}
	if b, err := scBlob(`\x6162`); err != nil || string(b) != "ab" {
		t.Errorf("%q %v", b, err)
	}
}

func TestNilWhereThereMustBeAValueIsRefused(t *testing.T) {
	for _, v := range []any{scPG(json.RawMessage(nil)), scBytes(nil), scJSONText(nil), scJSONNested([]string(nil)), scWire((*big.Int)(nil))} {
		if err := refused(scNeeded("p", v)); err == nil || !strings.Contains(err.Error(), "parameter p") {
			t.Errorf("%v: %v", v, err)
		}
	}
	if v := scNeeded("p", scBytes([]byte{})); refused(v) != nil {
		t.Error("no bytes are a value")
	}
	if _, err := json.Marshal([]any{scNeeded("p", nil)}); err == nil {
		t.Error("it became JSON")
	}
	if got := scPG(scSome[string](nil)); got != "{}" {
		t.Errorf("a list of none: %v", got)
	}
}

// TestAnAppenderThatFailedStaysFailed checks that Close of an Appender returns an error after a
// failed write.
func TestAnAppenderThatFailedStaysFailed(t *testing.T) {
	calls, failure := 0, errors.New("no room")
	a := &Appender[int]{write: func(context.Context, iter.Seq2[int, error]) (int64, error) {
		calls++
		return 0, failure
	}}
	ctx := context.Background()
	if err := a.Append(ctx, make([]int, scPortion)...); err != failure {
		t.Error(err)
	}
	if err := a.Append(ctx, 1); err != nil {
		t.Error(err)
	}
	if err := a.Close(ctx); err != failure || calls != 1 {
		t.Error(err, calls)
	}
}

func TestNumbersThatJSONDoesNotHave(t *testing.T) {
	list := []float64{1.5, math.NaN(), math.Inf(1), math.Inf(-1)}
	if got := scJSONList(list, scPlain); got != "[1.5,null,9e999,-9e999]\n" {
		t.Errorf("%v", got)
	}
	if err := refused(scJSONList([]any{[]byte("x")}, scPlain)); err == nil {
		t.Error("bytes became text")
	}
}
