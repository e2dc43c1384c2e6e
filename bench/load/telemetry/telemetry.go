// Package telemetry makes requests that write readings of hosts in time order. They are encoded
// beforehand, so that a load generator takes little processor time compared with the server.
package telemetry

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/scoterdb/scoter/bench/load/msgpackrows"
)

const (
	// Table is the table of the readings. Its columns are time, host, region and three doubles in
	// percent.
	Table = "cpu"
	// Hosts is the number of hosts. They report in turn, each every ten seconds. A region has ten
	// hosts.
	Hosts   = 100
	regions = 10

	firstMicros = 1_700_000_000_000_000
	stepMicros  = 100_000
)

var fieldNames = []string{"usage_user", "usage_system", "usage_idle"}

// Host returns the name of a host. i begins at 0.
func Host(i int) string { return fmt.Sprintf("host-%02d", i%Hosts) }

// Body is an encoded request. Only its times are changed before it is sent.
type Body interface {
	// Stamp sets the times of the rows to those of the n-th request.
	Stamp(n int64)
	Reader() io.Reader
}

// value returns a reading in percent with two decimals.
func value(random *rand.Rand) float64 { return math.Round(random.Float64()*10_000) / 100 }

// Micros returns the time of a row of the n-th request, in microseconds since 1970.
func Micros(request int64, rows, row int) int64 {
	return firstMicros + (request*int64(rows)+int64(row))*stepMicros
}

type messagePack struct {
	bytes []byte
	times int // position of the first time; the next ones follow every nine bytes
	rows  int
}

// NewMessagePack returns a columnar request for the MessagePack endpoint. Different seeds give
// different values.
func NewMessagePack(seed, rows int) Body {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	m := &messagePack{rows: rows}
	b := msgpackrows.AppendMap(nil, 3)
	b = msgpackrows.AppendString(msgpackrows.AppendString(b, "m"), Table)
	b = msgpackrows.AppendMap(msgpackrows.AppendString(b, "columns"), 3+len(fieldNames))
	b = msgpackrows.AppendArray(msgpackrows.AppendString(b, "time"), rows)
	m.times = len(b)
	for range rows {
		b = msgpackrows.AppendInt64(b, 0)
	}
	b = msgpackrows.AppendArray(msgpackrows.AppendString(b, "host"), rows)
	for i := range rows {
		b = msgpackrows.AppendString(b, Host(i))
	}
	b = msgpackrows.AppendArray(msgpackrows.AppendString(b, "region"), rows)
	for i := range rows {
		b = msgpackrows.AppendString(b, fmt.Sprintf("region-%d", i%regions))
	}
	for _, name := range fieldNames {
		b = msgpackrows.AppendArray(msgpackrows.AppendString(b, name), rows)
		for range rows {
			b = msgpackrows.AppendFloat(b, value(random))
		}
	}
	b = msgpackrows.AppendArray(msgpackrows.AppendString(b, "tag_keys"), 2)
	m.bytes = msgpackrows.AppendString(msgpackrows.AppendString(b, "host"), "region")
	return m
}

func (m *messagePack) Stamp(n int64) {
	for i := range m.rows {
		binary.BigEndian.PutUint64(m.bytes[m.times+9*i+1:], uint64(Micros(n, m.rows, i)))
	}
}

func (m *messagePack) Reader() io.Reader { return bytes.NewReader(m.bytes) }

type lineProtocol struct {
	bytes []byte
	times []int // positions of the rows' times, of 16 digits each
}

// NewLineProtocol returns the same rows in line protocol. The times are in microseconds.
func NewLineProtocol(seed, rows int) Body {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	l := &lineProtocol{}
	for i := range rows {
		l.bytes = fmt.Appendf(l.bytes, "%s,host=%s,region=region-%d ", Table, Host(i), i%regions)
		for k, name := range fieldNames {
			if k > 0 {
				l.bytes = append(l.bytes, ',')
			}
			l.bytes = strconv.AppendFloat(append(append(l.bytes, name...), '='), value(random), 'f', -1, 64)
		}
		l.bytes = append(l.bytes, ' ')
		l.times = append(l.times, len(l.bytes))
		l.bytes = strconv.AppendInt(l.bytes, firstMicros, 10)
		l.bytes = append(l.bytes, '\n')
	}
	return l
}

func (l *lineProtocol) Stamp(n int64) {
	for i, at := range l.times {
		// in place: the number of digits does not change
		strconv.AppendInt(l.bytes[:at], Micros(n, len(l.times), i), 10)
	}
}

func (l *lineProtocol) Reader() io.Reader { return bytes.NewReader(l.bytes) }
