package ingest

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
	tableName = "cpu"
	hosts     = 100
	regions   = 10
	// firstMicros is the time of the first row; rows are stepMicros apart, hosts in turn.
	firstMicros = 1_700_000_000_000_000
	stepMicros  = 1000
)

var fieldNames = []string{"usage_user", "usage_system", "usage_idle"}

// body is an encoded request, of which only the times are written anew before it is sent: the
// generator must cost little beside the server.
type body interface {
	// stamp gives the rows the times of the n-th request.
	stamp(n int64)
	reader() io.Reader
}

// value is a reading in percent, of two decimals.
func value(random *rand.Rand) float64 { return math.Round(random.Float64()*10_000) / 100 }

func timeAt(request int64, rows, row int) int64 {
	return firstMicros + (request*int64(rows)+int64(row))*stepMicros
}

type messagePack struct {
	bytes []byte
	times int // where the first time stands; one follows every nine bytes
	rows  int
}

func newMessagePack(seed, rows int) body {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	m := &messagePack{rows: rows}
	b := msgpackrows.AppendMap(nil, 3)
	b = msgpackrows.AppendString(msgpackrows.AppendString(b, "m"), tableName)
	b = msgpackrows.AppendMap(msgpackrows.AppendString(b, "columns"), 3+len(fieldNames))
	b = msgpackrows.AppendArray(msgpackrows.AppendString(b, "time"), rows)
	m.times = len(b)
	for range rows {
		b = msgpackrows.AppendInt64(b, 0)
	}
	b = msgpackrows.AppendArray(msgpackrows.AppendString(b, "host"), rows)
	for i := range rows {
		b = msgpackrows.AppendString(b, fmt.Sprintf("host-%02d", i%hosts))
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

func (m *messagePack) stamp(n int64) {
	for i := range m.rows {
		binary.BigEndian.PutUint64(m.bytes[m.times+9*i+1:], uint64(timeAt(n, m.rows, i)))
	}
}

func (m *messagePack) reader() io.Reader { return bytes.NewReader(m.bytes) }

type lineProtocol struct {
	bytes []byte
	times []int // where each row's time stands, of 16 digits
}

func newLineProtocol(seed, rows int) body {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	l := &lineProtocol{}
	for i := range rows {
		l.bytes = fmt.Appendf(l.bytes, "%s,host=host-%02d,region=region-%d ", tableName, i%hosts, i%regions)
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

func (l *lineProtocol) stamp(n int64) {
	for i, at := range l.times {
		strconv.AppendInt(l.bytes[:at], timeAt(n, len(l.times), i), 10) // of as many digits: in place
	}
}

func (l *lineProtocol) reader() io.Reader { return bytes.NewReader(l.bytes) }
