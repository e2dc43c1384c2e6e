// Package telemetry makes request bodies for load generators: readings of hosts in time order. The
// bodies are encoded beforehand, so that the load generator takes little processor time compared
// with the server.
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
	// Table is the name of the table for the readings. Its columns are time, host, region, and
	// three doubles in percent.
	Table = "cpu"
	// Hosts is the number of hosts. They report in turn, each one every ten seconds. Ten hosts are
	// in one region.
	Hosts   = 100
	regions = 10

	firstMicros = 1_700_000_000_000_000
	stepMicros  = 100_000
)

var fieldNames = []string{"usage_user", "usage_system", "usage_idle"}

// Host returns the name of host i, counted from 0. After the last host it begins again with the
// first.
func Host(i int) string { return fmt.Sprintf("host-%02d", i%Hosts) }

// Body is the encoded body of a request. Before it is sent, only the times of its rows are changed.
type Body interface {
	// Stamp sets the times of the rows as they are in the n-th request.
	Stamp(n int64)
	Reader() io.Reader
}

// value returns a reading in percent with two decimals.
func value(random *rand.Rand) float64 { return math.Round(random.Float64()*10_000) / 100 }

// Micros returns the time of one row of a request, in microseconds since 1970. request is the
// number of the request, rows is the number of rows of a request, and row is the row's number in
// it.
func Micros(request int64, rows, row int) int64 {
	return firstMicros + (request*int64(rows)+int64(row))*stepMicros
}

type messagePack struct {
	bytes []byte
	times int // position of the first time in the bytes; the next ones follow every nine bytes
	rows  int
}

// NewMessagePack returns a body for the MessagePack endpoint, which contains a list of values for
// each column. Different seeds give different values.
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
	times []int // positions of the times in the bytes; each has 16 digits
}

// NewLineProtocol returns a body in line protocol, with the rows that NewMessagePack returns for
// the same seed. The times are in microseconds.
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
		// Write the time over the old one. The number of digits does not change.
		strconv.AppendInt(l.bytes[:at], Micros(n, len(l.times), i), 10)
	}
}

func (l *lineProtocol) Reader() io.Reader { return bytes.NewReader(l.bytes) }
