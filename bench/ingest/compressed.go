package ingest

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/bench/load/telemetry"
	"github.com/scoterdb/scoter/internal/base"
)

// leastCompressed is the target for compressed request bodies: the rate at which rows are written,
// divided by the rate with plain bodies, must be at least this number.
const leastCompressed = 0.7

var writers = []int{1, 2, 4, 16}

// encodings are the encodings of request bodies that are compared. The first one is plain, which
// means not compressed.
var encodings = []struct {
	name   string
	packer func(io.Writer) (io.WriteCloser, error)
}{
	{"plain", nil},
	{"gzip", func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }},
	{"zstd", func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }},
}

// packed is a request body that was compressed before the measurement. Its bytes cannot change, so
// all requests have rows with the same times.
type packed []byte

func (packed) Stamp(int64) {}

func (p packed) Reader() io.Reader { return bytes.NewReader(p) }

// pack compresses the request body b. packer returns the compressing writer.
func pack(b telemetry.Body, packer func(io.Writer) (io.WriteCloser, error)) (packed, error) {
	var out bytes.Buffer
	if packer == nil {
		_, err := io.Copy(&out, b.Reader())
		return out.Bytes(), err
	}
	w, err := packer(&out)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(w, b.Reader()); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// compressed compares how fast rows in line protocol are written in plain and in compressed request
// bodies. It does so for several numbers of concurrent writers.
func (o *Options) compressed(ctx context.Context, env *harness.Env, report *harness.Report) error {
	for _, n := range writers {
		rates := make([][]float64, len(encodings))
		var retries int64
		// The encodings take turns, so that other load on the machine affects all of them.
		for range o.Repeat {
			for i, e := range encodings {
				k := kind{name: e.name, path: "/write?db=default&precision=us", newBody: func(seed, rows int) telemetry.Body {
					b := telemetry.NewLineProtocol(seed, rows)
					b.Stamp(int64(seed))
					p, err := pack(b, e.packer)
					if err != nil {
						panic(err) // a write to memory does not fail
					}
					return p
				}}
				r, err := o.fixed(ctx, env, k, o.Compressed, n)
				if err != nil {
					return base.Wrap(err, "%d writers, %s", n, e.name)
				}
				rates[i] = append(rates[i], float64(o.Compressed)/r.acknowledged.Seconds())
				retries += r.retries
			}
		}
		plain := harness.Median(rates[0])
		report.Add(fmt.Sprintf("%d writers, plain: rate", n), plain, "rows/s", rates[0]...)
		for i, e := range encodings[1:] {
			report.AtLeast(leastCompressed, fmt.Sprintf("%d writers, %s: rate, of the plain one", n, e.name), harness.Median(rates[i+1])/plain, "")
		}
		report.AtMost(0, fmt.Sprintf("%d writers: requests told to retry", n), float64(retries), "")
	}
	return nil
}
