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

// refused is the error that binding a value gives.
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

// An Appender that could not write some rows does not end as if it had.
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
