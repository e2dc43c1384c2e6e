// Package telemetry makes request bodies for load generators. Their rows are readings of hosts in
// the order of time. The bodies are encoded before the measurement, so that the load generator
// takes little processor time compared with the server.
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
	// Table is the name of the table that has the readings. Its columns are time, host, region, and
	// three doubles in percent.
	Table = "cpu"
	// Hosts is the number of hosts with readings. They report in turn, each host every ten seconds.
	// Each region has ten hosts.
	Hosts   = 100
	regions = 10

	firstMicros = 1_700_000_000_000_000
	stepMicros  = 100_000
)

var fieldNames = []string{"usage_user", "usage_system", "usage_idle"}

// Host returns the name of host i, counted from 0. If i is too large, it begins again with the
// first host.
func Host(i int) string { return fmt.Sprintf("host-%02d", i%Hosts) }

// Body is the encoded body of a request. Only the times of its rows change before it is sent.
type Body interface {
	// Stamp sets the times of the body's rows to the times for request n.
	Stamp(n int64)
	Reader() io.Reader
}

// value returns a random reading in percent, with two decimals.
func value(random *rand.Rand) float64 { return math.Round(random.Float64()*10_000) / 100 }

// Micros returns the time of one row in a request, in microseconds since 1970. request is the
// number of the request, rows is the number of rows in each request, and row is the number of the
// row in this request.
func Micros(request int64, rows, row int) int64 {
	return firstMicros + (request*int64(rows)+int64(row))*stepMicros
}

type messagePack struct {
	bytes []byte
	// times is the position of the first time in the bytes of the body. Each of the other times
	// follows nine bytes after the one before it.
	times int
	rows  int
}

// NewMessagePack returns a body for the MessagePack endpoint, with an array of values per column.
// Different seeds give different values.
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
	// times are the positions of the times in the bytes of the body. Each time has 16 digits.
	times []int
}

// NewLineProtocol returns a body in line protocol, with times in microseconds. It has the same rows
// as the body that NewMessagePack returns for the same seed.
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
		// The time replaces the old one. It has the same number of digits.
		strconv.AppendInt(l.bytes[:at], Micros(n, len(l.times), i), 10)
	}
}

func (l *lineProtocol) Reader() io.Reader { return bytes.NewReader(l.bytes) }
