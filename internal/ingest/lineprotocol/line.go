package lineprotocol

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// reason says why a line of line protocol is rejected. If its text is empty, the line is accepted.
type reason struct {
	text     string
	conflict bool
}

func bad(text string) reason { return reason{text: text} }

func conflict(format string, args ...any) reason {
	return reason{text: fmt.Sprintf(format, args...), conflict: true}
}

// line parses the line that begins at position p, and appends it to the rows of its measurement
// (InfluxDB's word for a table). It returns the start of the next line, and the reason if this line
// is rejected.
func (d *decoder) line(p int) (next int, why reason, err error) {
	if d.checkText {
		if end := d.skip(p); !utf8.Valid(d.src[p:end]) {
			return p, bad("invalid UTF-8"), nil
		}
	}
	d.filled, d.newlines, d.scratch = 0, 0, d.scratch[:0]
	m, p, why := d.measurement(p)
	if why.text != "" {
		return p, why, nil
	}
	if p, why = d.tags(m, p); why.text != "" {
		return p, why, nil
	}
	if p, why = d.fields(m, p); why.text != "" {
		return p, why, nil
	}
	at, timed, p, why := d.timestamp(p)
	if why.text != "" {
		return p, why, nil
	}
	return p, reason{}, d.commit(m, p, timed, at)
}

// measurement reads the name of the measurement at the start of a line. It returns the measurement
// and the position after the name.
func (d *decoder) measurement(p int) (*measurement, int, reason) {
	src := d.src
	if m := d.last; m != nil {
		end := p + len(m.raw)
		if end < len(src) && (src[end] == ',' || src[end] == ' ') && string(src[p:end]) == string(m.raw) {
			return m, end, reason{}
		}
	}
	end, escaped := scan(src, p, endOfMeasurement)
	raw := src[p:end]
	switch {
	case end == p:
		return nil, p, bad("missing measurement")
	case end == len(src) || src[end] == '\n':
		return nil, p, bad("missing fields")
	}
	name := raw
	if escaped {
		name = unescape(nil, raw, endOfMeasurement)
	}
	m := d.byName[string(name)]
	if m == nil {
		var why reason
		if m, why = d.newMeasurement(string(name)); why.text != "" {
			return nil, p, why
		}
	}
	m.raw = raw
	d.last = m
	return m, end, reason{}
}

// newMeasurement returns the measurement for a name that no line had before. It is an existing
// measurement whose name differs only in case, or a new one.
func (d *decoder) newMeasurement(name string) (*measurement, reason) {
	if m := d.folded[schema.Fold(name)]; m != nil {
		d.byName[name] = m
		return m, reason{}
	}
	if err := ingest.CheckName("table", name); err != nil {
		return nil, bad(err.Error())
	}
	m := &measurement{table: ingest.NewTable(name, d.padding), columns: map[string]*column{}, folded: map[string]*column{}}
	var err error
	if m.time, err = m.table.Column(0, []byte(ingest.TimeColumn)); err != nil {
		return nil, bad(err.Error())
	}
	d.byName[name], d.folded[schema.Fold(name)] = m, m
	d.order = append(d.order, m)
	return m, reason{}
}

// tags reads the tags of a line: any number of ",key=value". It returns the position of the space
// after them.
func (d *decoder) tags(m *measurement, p int) (int, reason) {
	src := d.src
	for i := 0; p < len(src) && src[p] == ','; i++ {
		c, at, why := d.key(m, &m.tags, i, p+1, "tag")
		if why.text != "" {
			return p, why
		}
		p = at
		end, escaped := scan(src, p, endOfTagValue)
		switch {
		case end == p:
			return p, bad("missing tag value")
		case end < len(src) && src[end] == '=':
			return p, bad("invalid tag format")
		}
		text := src[p:end]
		if escaped {
			text = d.unescape(text, endOfTagValue)
		}
		v := d.value(c, tag)
		v.kind, v.text = ingest.String, text
		if why := d.check(v, m); why.text != "" {
			return p, why
		}
		p = end
	}
	return p, reason{}
}

// fields reads the fields of a line: " key=value" and then any number of ",key=value". It returns
// the position after them.
func (d *decoder) fields(m *measurement, p int) (int, reason) {
	src := d.src
	if p == len(src) || src[p] != ' ' {
		return p, bad("missing fields")
	}
	for p < len(src) && src[p] == ' ' {
		p++
	}
	if p == len(src) || src[p] == '\n' || src[p] == '\r' {
		return p, bad("missing fields")
	}
	for i := 0; ; i++ {
		c, at, why := d.key(m, &m.fields, i, p, "field")
		if why.text != "" {
			return p, why
		}
		v := d.value(c, field)
		if p, why = d.fieldValue(v, at); why.text != "" {
			return p, why
		}
		if p < len(src) && src[p] != ',' && src[p] != ' ' && src[p] != '\n' && src[p] != '\r' {
			return p, bad("invalid field format") // the digits after the space are not a timestamp
		}
		if why := d.check(v, m); why.text != "" {
			return p, why
		}
		if p == len(src) || src[p] != ',' {
			return p, reason{}
		}
		p++
	}
}

// key reads "key=" and returns the column with this name. The argument known has the columns of the
// previous line, in order. The argument i is the position of the key in the current line. If both
// lines have the same key there, no search is needed. The argument what is a name for the key in
// error messages.
func (d *decoder) key(m *measurement, known *[]*column, i, p int, what string) (*column, int, reason) {
	src := d.src
	if i < len(*known) {
		c := (*known)[i]
		end := p + len(c.raw)
		if end < len(src) && src[end] == '=' && string(src[p:end]) == string(c.raw) {
			return c, end + 1, reason{}
		}
	}
	end, escaped := scan(src, p, endOfKey)
	switch {
	case end == p:
		return nil, p, bad("missing " + what + " key")
	case end == len(src) || src[end] != '=':
		return nil, p, bad("missing " + what + " value")
	}
	raw := src[p:end]
	name := raw
	if escaped {
		name = d.unescape(raw, endOfKey)
	}
	c := m.columns[string(name)]
	if c == nil {
		if schema.Fold(string(name)) == ingest.TimeColumn {
			return nil, p, bad(fmt.Sprintf("input %s %q on measurement %q is invalid: the name is reserved", what, name, m.table.Name))
		}
		var why reason
		if c, why = m.column(name); why.text != "" {
			return nil, p, why
		}
	}
	c.raw = raw
	if i < len(*known) {
		(*known)[i] = c
	} else if i == len(*known) {
		*known = append(*known, c)
	}
	return c, end + 1, reason{}
}

// column returns the column for a name that no line of the measurement had before. It is an
// existing column whose name differs only in case, because column names are case-insensitive, or a
// new one.
func (m *measurement) column(name []byte) (*column, reason) {
	folded := schema.Fold(string(name))
	c := m.folded[folded]
	if c == nil {
		made, err := m.table.Column(len(m.table.Columns()), name)
		if err != nil {
			return nil, bad(err.Error())
		}
		c = &column{Column: made}
		m.folded[folded] = c
	}
	m.columns[string(name)] = c
	return c, reason{}
}

// value adds a value for column c to the current line, and returns it. r says whether it is a tag
// or a field.
func (d *decoder) value(c *column, r role) *value {
	if d.filled == len(d.values) {
		d.values = append(d.values, value{})
	}
	v := &d.values[d.filled]
	v.column, v.role = c, r
	d.filled++
	return v
}

// check returns a reason to reject the current line if its last value, v, contradicts another value
// of the line, or a value of an earlier line.
func (d *decoder) check(v *value, m *measurement) reason {
	c := v.column
	if c.seen != d.number && c.role == v.role && c.Kind() == v.kind {
		c.seen = d.number
		return reason{}
	}
	switch {
	case c.seen == d.number:
		for _, earlier := range d.values[:d.filled] {
			if earlier.column == c && earlier.role != v.role {
				return conflict("%q on measurement %q is both a tag and a field", c.Name(), m.table.Name)
			}
		}
		return bad(fmt.Sprintf("duplicate %s %q", roleNames[v.role], c.Name()))
	case c.role != v.role && c.role != unused:
		return conflict("input %s %q on measurement %q already exists as a %s", roleNames[v.role], c.Name(), m.table.Name, roleNames[c.role])
	case c.Kind() != v.kind && c.Kind() != ingest.Null:
		return conflict("field type conflict: input field %q on measurement %q is type %s, already exists as type %s",
			c.Name(), m.table.Name, kindNames[v.kind], kindNames[c.Kind()])
	}
	c.seen = d.number
	return reason{}
}

// kindNames are the names that InfluxDB gives to the types of fields.
var kindNames = map[ingest.Kind]string{ingest.Float: "float", ingest.Int: "integer", ingest.Uint: "unsigned",
	ingest.String: "string", ingest.Bool: "boolean"}

// timestamp reads what follows the fields of a line: an optional timestamp, and the line end. It
// returns the timestamp (at), whether there is one (timed), and the start of the next line (next).
func (d *decoder) timestamp(p int) (at int64, timed bool, next int, why reason) {
	src := d.src
	for p < len(src) && src[p] == ' ' {
		p++
	}
	start := p
	negative := p < len(src) && src[p] == '-'
	if negative {
		p++
	}
	magnitude, first := uint64(0), p
	for p < len(src) && src[p]-'0' <= 9 {
		magnitude = magnitude*10 + uint64(src[p]-'0')
		p++
	}
	timed = p > first
	switch {
	case !timed && negative:
		return 0, false, start, bad("bad timestamp")
	case p-first > 19 || magnitude > math.MaxInt64:
		return 0, false, start, bad("bad timestamp: out of range")
	}
	at = int64(magnitude)
	if negative {
		at = -at
	}
	for p < len(src) && (src[p] == ' ' || src[p] == '\r') {
		p++
	}
	if p < len(src) && src[p] != '\n' {
		return 0, false, start, bad("bad timestamp")
	}
	micros, _, ok := d.opts.Precision.Micros(at)
	if timed && (!ok || micros < firstMoment || micros == math.MaxInt64 || d.opts.Precision == ingest.Nanosecond && (at > lastNano || at < -lastNano)) {
		return 0, false, start, bad("bad timestamp: out of range")
	}
	return at, timed, min(p+1, len(src)), reason{}
}

const (
	// lastNano is the last timestamp that InfluxDB accepts, in nanoseconds since 1970. The first
	// one is -lastNano.
	lastNano = math.MaxInt64 - 1
	// firstMoment is the first timestamp that DuckDB can store, in microseconds since 1970. The
	// last one is one less than the largest int64, because that number means infinity.
	firstMoment = -9_223_372_022_400_000_000
)

// These constants name kinds of tokens of line protocol. The bytes that end a token depend on its
// kind. A byte that follows a backslash does not end a token.
const (
	endOfMeasurement = 1 << iota
	endOfKey
	endOfTagValue
)

var ends = [256]uint8{
	',':  endOfMeasurement | endOfKey | endOfTagValue,
	' ':  endOfMeasurement | endOfKey | endOfTagValue,
	'=':  endOfKey | endOfTagValue,
	'\n': endOfMeasurement | endOfKey | endOfTagValue,
	'\\': endOfMeasurement | endOfKey | endOfTagValue, // the byte after it has to be checked
}

// scan returns the end of the token at position p of src, and whether the token has escaped bytes.
// kind is the kind of token.
func scan(src []byte, p int, kind uint8) (end int, escaped bool) {
	for ; p < len(src); p++ {
		if ends[src[p]]&kind == 0 {
			continue
		}
		if src[p] != '\\' {
			return p, escaped
		}
		if p+1 < len(src) && escapable(src[p+1], kind) {
			escaped = true
			p++
		}
	}
	return p, escaped
}

func escapable(c byte, kind uint8) bool { return ends[c]&kind != 0 && c != '\\' && c != '\n' }

func unescape(dst, src []byte, kind uint8) []byte {
	for i := 0; i < len(src); i++ {
		if src[i] == '\\' && i+1 < len(src) && escapable(src[i+1], kind) {
			i++
		}
		dst = append(dst, src[i])
	}
	return dst
}

// unescape returns the text that an escaped token of the given kind stands for. The text is valid
// until the next line is read.
func (d *decoder) unescape(raw []byte, kind uint8) []byte {
	start := len(d.scratch)
	d.scratch = slices.Grow(d.scratch, len(raw))
	d.scratch = unescape(d.scratch, raw, kind)
	return d.scratch[start:]
}

// stringEnd returns the position of the closing quote of a string. The content of the string begins
// at position p of src. ok is false if there is no closing quote.
func stringEnd(src []byte, p int) (end int, escaped, ok bool) {
	for {
		i := bytes.IndexByte(src[p:], '"')
		if i < 0 {
			return len(src), escaped, false
		}
		j := bytes.IndexByte(src[p:p+i], '\\')
		if j < 0 {
			return p + i, escaped, true
		}
		escaped = true
		if p += j + 2; p > len(src) {
			return len(src), escaped, false
		}
	}
}
