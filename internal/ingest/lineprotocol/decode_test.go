package lineprotocol

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

var now = time.Unix(1_800_000_000, 123_456_789)

const nowText = "2027-01-15T08:00:00.123456Z"

// decode returns the rows and rejected lines of a body as text.
func decode(t *testing.T, body string, precision ingest.Precision) string {
	t.Helper()
	r, err := Decode([]byte(body), Options{Now: now, Precision: precision})
	if err != nil {
		t.Fatal(err)
	}
	defer ingest.Release(r.Rows)
	text := ingesttest.Show(r.Rows...)
	for _, rows := range r.Rows {
		if err := ingest.Validate(rows.Batch); err != nil {
			t.Error(err)
		}
	}
	for _, e := range r.Errors {
		text += fmt.Sprintf("\nline %d: %s", e.Line, e.Reason)
	}
	if len(r.Errors) != r.Rejected {
		t.Errorf("%d rejected, %d described", r.Rejected, len(r.Errors))
	}
	return strings.TrimPrefix(text, "\n")
}

func TestDecode(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		if got := decode(t, body, ingest.Auto); got != want {
			t.Errorf("%q:\n got %s\nwant %s", body, got, want)
		}
	}
	const at, atText = "1700000000000000000", "us [2023-11-14T22:13:20Z]"
	one := func(line, columns string) { t.Helper(); f(line+" "+at, "m: "+columns+" time "+atText) }

	one("m,a=x,b=y f=1.5,g=2i,h=3u,i=t,j=\"s\"", "#a utf8 [x] #b utf8 [y] f float64 [1.5] g int64 [2] h uint64 [3] i bool [true] j utf8 [s]")
	one("m f=1", "f float64 [1]")
	one("m f=-1.25e2,g=+5i,h=.5,i=5.,j=-0,k=1E3", "f float64 [-125] g int64 [5] h float64 [0.5] i float64 [5] j float64 [-0] k float64 [1000]")
	one("m f=9223372036854775807i,g=-9223372036854775808i,h=18446744073709551615u",
		"f int64 [9223372036854775807] g int64 [-9223372036854775808] h uint64 [18446744073709551615]")
	one("m a=T,b=true,c=True,d=TRUE,e=f,f=F,g=false,h=False,i=FALSE",
		"a bool [true] b bool [true] c bool [true] d bool [true] e bool [false] f bool [false] g bool [false] h bool [false] i bool [false]")
	one(`m,a\,b=c\ d,e\=f=g\=h f\ g=1`, "#a,b utf8 [c d] #e=f utf8 [g=h] f g float64 [1]")
	one(`m,a=C:\dir\,x f=1`, `#a utf8 [C:\dir,x] f float64 [1]`)
	one(`m,a=\\x f=1`, `#a utf8 [\\x] f float64 [1]`[:0]+`#a utf8 [\\x] f float64 [1]`)
	one(`m f="a \"quoted\" \\ back\slash, = x"`, `f utf8 [a "quoted" \ back\slash, = x]`)
	one("m f=\"two\nlines\",g=1", "f utf8 [two\nlines] g float64 [1]")
	one(`m f=""`, "f utf8 []")
	one("m,ü=ö f=1", "#ü utf8 [ö] f float64 [1]")
	f(`my\ m\,x f=1 `+at, "my m,x: f float64 [1] time "+atText)
	f("m  f=1   "+at+"  \r\n", "m: f float64 [1] time "+atText)
	f("m f=1", "m: f float64 [1] time us ["+nowText+"]")
	f("m f=1\r\n\r\n# comment\n \n  m f=2 \n#", "m: f float64 [1 2] time us ["+nowText+" "+nowText+"]")
	f("m f=1 -1", "m: f float64 [1] time ns [1969-12-31T23:59:59.999999999Z]")
	f("m f=1 1000\nm f=1 1\n", "m: f float64 [1 1] time ns [1970-01-01T00:00:00.000001Z 1970-01-01T00:00:00.000000001Z]")
	f("a f=1 0\nb,x=1 f=1 0\na f=2 0", "a: f float64 [1 2] time us [1970-01-01T00:00:00Z 1970-01-01T00:00:00Z]\n"+
		"b: #x utf8 [1] f float64 [1] time us [1970-01-01T00:00:00Z]")
	f("m,a=1 f=1 0\nm,b=2 g=1i,f=2 0\nm,b=3,a=4 f=3 0", "m: #a utf8 [1 (null) 4] #b utf8 [(null) 2 3] f float64 [1 2 3] g int64 [(null) 1 (null)] "+
		"time us [1970-01-01T00:00:00Z 1970-01-01T00:00:00Z 1970-01-01T00:00:00Z]")
	f("", "")
	f("\n\n", "")
}

func TestPrecision(t *testing.T) {
	for name, want := range map[string]string{"ns": "1970-01-01T00:00:00.000007Z", "us": "1970-01-01T00:00:00.007Z", "ms": "1970-01-01T00:00:07Z",
		"s": "1970-01-01T01:56:40Z", "m": "1970-01-05T20:40:00Z", "h": "1970-10-19T16:00:00Z"} {
		p, err := ingest.ParsePrecision(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := decode(t, "m f=1 7000", p), "m: f float64 [1] time us ["+want+"]"; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if got := decode(t, "m f=1 9223372036854775807", ingest.Second); got != "line 1: bad timestamp: out of range" {
		t.Error(got)
	}
}

func TestBadLinesAreRejectedAndTheOthersStored(t *testing.T) {
	f := func(line, reason string) {
		t.Helper()
		want := "ok: v float64 [1 2] time us [" + nowText + " " + nowText + "]\nline 2: " + reason
		if got := decode(t, "ok v=1\n"+line+"\nok v=2", ingest.Auto); got != want {
			t.Errorf("%q:\n got %s\nwant %s", line, got, want)
		}
	}
	f("garbage", "missing fields")
	f("m", "missing fields")
	f("m ", "missing fields")
	f("m \r", "missing fields")
	f(",a=b f=1", "missing measurement")
	f("m,a f=1", "missing tag value")
	f("m,a= f=1", "missing tag value")
	f("m,=b f=1", "missing tag key")
	f("m,a=b=c f=1", "invalid tag format")
	f("m,a=b", "missing fields")
	f("m,a=b,", "missing tag key")
	f("m f", "missing field value")
	f("m f=", "missing field value")
	f("m =1", "missing field key")
	f("m f=1,", "missing field key")
	f("m f=1,,g=1", "missing field key")
	f("m f=x", "invalid boolean")
	f("m f=truex", "invalid boolean")
	f("m f=NaN", "invalid boolean")
	f("m f=1x", "invalid number")
	f("m f=-", "invalid number")
	f("m f=.", "invalid number")
	f("m f=1e", "invalid number")
	f("m f=0x1p-2", "invalid number")
	f("m f=1_000", "invalid number")
	f("m f=1e999", "invalid number: out of range")
	f("m f=9223372036854775808i", `unable to parse integer "9223372036854775808"`)
	f("m f=1.5i", "invalid number")
	f("m f=-1u", `unable to parse unsigned "-1"`)
	f("m f=1ii", "invalid field format")
	f("m f=12i34", "invalid field format")
	f("m f=1i-34", "invalid field format")
	f("m f=12u34", "invalid field format")
	f("m f=t1", "invalid field format")
	f(`m f="x"5`, "invalid field format")
	f(`m f="x"-5`, "invalid field format")
	f(`m f="x"y`, "invalid field format")
	f("m f=tt", "invalid boolean")
	f("m f=1 12x", "bad timestamp")
	f("m f=1 -", "bad timestamp")
	f("m f=1 1 1", "bad timestamp")
	f("m f=1 1.5", "bad timestamp")
	f("m f=1 9223372036854775808", "bad timestamp: out of range")
	f("m f=1 00000000000000000001", "bad timestamp: out of range")
	f("m,a=1,a=2 f=1", `duplicate tag "a"`)
	f("m f=1,f=2", `duplicate field "f"`)
	f("m,a=1 a=1", `"a" on measurement "m" is both a tag and a field`)
	f("ok,v=x f=1", `input tag "v" on measurement "ok" already exists as a field`)
	f("ok v=2i", `field type conflict: input field "v" on measurement "ok" is type integer, already exists as type float`)
	f("ok v=\"x\"", `field type conflict: input field "v" on measurement "ok" is type string, already exists as type float`)
	f("m time=1", `input field "time" on measurement "m" is invalid: the name is reserved`)
	f("m,time=1 f=1", `input tag "time" on measurement "m" is invalid: the name is reserved`)
	f("m,a=\xff f=1", "invalid UTF-8")
	f("m f=\"\xff\"", "invalid UTF-8")
	f(strings.Repeat("m", 257)+" f=1", `table name of 257 bytes is longer than 256: "`+strings.Repeat("m", 32)+`"...`)
}

func TestARejectedLineLeavesNothing(t *testing.T) {
	if got, want := decode(t, "m,a=1 f=1i,g=2,h=x\nm b=1 0", ingest.Auto), "m: b float64 [1] time us [1970-01-01T00:00:00Z]\nline 1: invalid boolean"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// Names in a rejected line do not affect later lines.
	if got, want := decode(t, "m a=1,h=x\nm,a=1 f=1i 0", ingest.Auto), "m: #a utf8 [1] f int64 [1] time us [1970-01-01T00:00:00Z]\nline 1: invalid boolean"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLineNumbersCountLinesInsideStrings(t *testing.T) {
	body := "m f=\"a\nb\nc\"\nbad\nm f=\"x\ny\" zz\nbad\n#\nm f=\"open\nm f=1"
	want := "m: f utf8 [a\nb\nc] time us [" + nowText + "]\nline 4: missing fields\nline 5: bad timestamp\nline 7: missing fields\nline 9: unbalanced quotes"
	if got := decode(t, body, ingest.Auto); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestOnlyTheFirstRejectedLinesAreDescribed(t *testing.T) {
	r, err := Decode([]byte(strings.Repeat("bad\n", 1000)), Options{Now: now})
	if err != nil || r.Rejected != 1000 || len(r.Errors) != wire.MaxErrors || r.Errors[wire.MaxErrors-1].Line != wire.MaxErrors {
		t.Errorf("%d rejected, %d described, %v", r.Rejected, len(r.Errors), err)
	}
}

func TestSparseLinesAreTooLarge(t *testing.T) {
	var b strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&b, "m f%d=1\n", i%9000)
	}
	if _, err := Decode([]byte(b.String()), Options{Now: now}); base.KindOf(err) != base.TooLarge {
		t.Error(err)
	}
}

func TestMemoryDoesNotGrowWithColumnsThatFewLinesHave(t *testing.T) {
	var b strings.Builder
	for i := range 64 {
		fmt.Fprintf(&b, "m f%d=1\n", i)
	}
	b.WriteString("#" + strings.Repeat(" ", 1<<20) + "\nm f0=1\n")
	body := []byte(b.String())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Decode(body, Options{Now: now})
	runtime.ReadMemStats(&after)
	if err != nil || r.Rejected > 0 {
		t.Fatal(err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8*uint64(len(body)) {
		t.Errorf("%d bytes for a body of %d", grown, len(body))
	}
}

func TestFloatsAreTheNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := strconv.FormatFloat(r.NormFloat64()*1e3, 'f', r.IntN(20), 64)
		if r.IntN(4) == 0 {
			text = strconv.FormatFloat(r.ExpFloat64()*1e300, 'g', -1, 64)
		}
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		var v value
		if end, why := number(&v, []byte(text), 0); end != len(text) || why.text != "" || floatOf(v.number) != want {
			t.Fatalf("%s: %v, want %v (%s)", text, floatOf(v.number), want, why.text)
		}
	}
}

// TestRoundTrip writes random rows as lines, with every escape, and reads them back.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const alphabet = "ab ,=\\\"ü"
	word := func() string {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteRune([]rune(alphabet)[r.IntN(8)])
		}
		return b.String() + "x" // a backslash cannot be the last character
	}
	key := strings.NewReplacer(",", `\,`, " ", `\ `, "=", `\=`)
	quoted := strings.NewReplacer(`"`, `\"`, `\`, `\\`)
	plain := func(s string) string { // a backslash before an escaped character cannot be expressed
		for _, c := range `,= ` {
			s = strings.ReplaceAll(s, `\`+string(c), string(c))
		}
		return s
	}
	var b strings.Builder
	var tags, texts []string
	for i := range 3000 {
		tag, text := plain(plain(word())), word()
		tags, texts = append(tags, tag), append(texts, text)
		fmt.Fprintf(&b, "m,%s=%s f=\"%s\" %d\n", key.Replace("t ,="), key.Replace(tag), quoted.Replace(text), i*1000)
	}
	res, err := Decode([]byte(b.String()), Options{Now: now})
	if err != nil || res.Rejected > 0 {
		t.Fatal(err, res.Errors)
	}
	defer ingest.Release(res.Rows)
	batch := res.Rows[0].Batch
	for i := range tags {
		if got := batch.Column(0).ValueStr(i); got != tags[i] {
			t.Fatalf("tag %d is %q, want %q", i, got, tags[i])
		}
		if got := batch.Column(1).ValueStr(i); got != texts[i] {
			t.Fatalf("text %d is %q, want %q", i, got, texts[i])
		}
		if got := batch.Column(2).(*array.Timestamp).Value(i); int(got) != i {
			t.Fatalf("time %d is %d", i, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("m,a=x,b=y f=1.5,g=2i,h=3u,i=t,j=\"s\" 1\nm,a=z f=2\r\n# c\n"))
	f.Add([]byte(`m\ x,a\,b=c\ d f="a \"q\" \\",g=-1e5` + "\nbad\nm f=\"open"))
	f.Add([]byte("m f=1\nm f=1i\nm f=\"x\ny\"\nm,f=1 a=1 5"))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Decode(body, Options{Now: now})
		if err != nil && base.KindOf(err) != base.TooLarge {
			t.Fatal(err)
		}
		for _, rows := range r.Rows {
			if err := ingest.Validate(rows.Batch); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	const n = 10_000
	for _, digits := range []int{2, -1} {
		b.Run(fmt.Sprintf("digits=%d", digits), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			var body []byte
			for i := range n {
				body = fmt.Appendf(body, "cpu,host=host-%02d.example,region=region-%d ", r.IntN(100), r.IntN(10))
				for _, name := range []string{"user=", ",system=", ",idle="} {
					body = strconv.AppendFloat(append(body, name...), 100*r.Float64(), 'f', digits, 64)
				}
				body = fmt.Appendf(body, " %d\n", 1_700_000_000_000_000_000+int64(i)*1_000_000)
			}
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := Decode(body, Options{Now: now})
				if err != nil || r.Rejected > 0 || r.Rows[0].Batch.NumRows() != n {
					b.Fatal(r.Errors, err)
				}
				ingest.Release(r.Rows)
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())*1e6/float64(b.N)/n, "ms/Mrow")
		})
	}
}
