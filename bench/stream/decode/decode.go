// Package decode measures the cost of decoding Protobuf messages into Arrow batches with Scoter's
// decoder. For comparison, it also measures protobuf-go with Arrow's builders.
package decode

import (
	"context"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/bench/stream/baseline"
	"github.com/scoterdb/scoter/bench/stream/messages"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/protobuf"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// Options are the command-line options of the benchmark of Protobuf decoding.
type Options struct {
	Messages int `help:"Nested messages of one sample. Flat messages are a twelfth of their size: a sample has eight times as many." default:"245760"`
	Batch    int `help:"Messages of one batch." default:"122880"`
	Repeat   int `help:"Number of samples. The median counts." default:"5"`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "Processor time per message, including garbage collection. The kinds of messages take turns.\nExample: scoter-bench decode --repeat 9"
}

// decoder is what the benchmark measures: it decodes messages into a batch.
type decoder interface {
	Append(msg []byte) error
	Finish() arrow.RecordBatch
}

// shape is one case of the benchmark: messages of one type, and a decoder for them.
type shape struct {
	name     string
	messages [][]byte
	decoder  decoder
	// times says how many messages a sample decodes, as a multiple of Options.Messages. It is large
	// for flat messages, because they are small, and the cost of the garbage collection after each
	// sample must not dominate. It is small for slow decoders.
	times  float64
	micros []float64
}

// distinct is the number of different messages that are decoded. After them, the same messages are
// decoded again.
const distinct = 16_384

// Run runs the benchmark of Protobuf decoding and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) error {
	shapes, err := o.shapes(ctx)
	if err != nil {
		return err
	}
	report := harness.NewReport("decode", map[string]any{"messages": o.Messages, "batch": o.Batch, "repeat": o.Repeat})
	for i := range o.Repeat + 1 {
		for _, s := range shapes {
			micros, err := s.sample(o)
			if err != nil {
				return base.Wrap(err, "shape %s", s.name)
			}
			if i > 0 { // the first sample does not count: its buffers grow to their size
				s.micros = append(s.micros, micros)
			}
		}
	}
	median := make(map[string]float64, len(shapes))
	for _, s := range shapes {
		median[s.name] = harness.Median(s.micros)
	}
	targets := map[string]float64{"nested": 1.8, "flat": 0.15, "normalized": 0.9}
	for _, s := range shapes {
		if target, ok := targets[s.name]; ok {
			report.AtMost(target, s.name, median[s.name], "us/message", s.micros...)
		} else {
			report.Add(s.name, median[s.name], "us/message", s.micros...)
		}
	}
	report.AtLeast(8, "nested against protobuf-go", median["nested, protobuf-go"]/median["nested"], "x")
	report.AtLeast(8, "flat against protobuf-go", median["flat, protobuf-go"]/median["flat"], "x")
	return env.Publish(report)
}

func (o *Options) shapes(ctx context.Context) ([]*shape, error) {
	files, err := protobuf.CompileProto(ctx, messages.Protos, "auction.proto", "event.proto")
	if err != nil {
		return nil, err
	}
	nested, err := planOf(files, messages.Auction, nil)
	if err != nil {
		return nil, err
	}
	flat, err := planOf(files, messages.Event, nil)
	if err != nil {
		return nil, err
	}
	normalized, err := planOf(files, messages.Auction, messages.NormalizedPaths)
	if err != nil {
		return nil, err
	}
	auctions, events := messages.NewSource(1).Auctions(distinct), messages.NewSource(1).Events(distinct)
	const many, slow = 8, 1. / 8
	return []*shape{
		{name: "nested", messages: auctions, decoder: nested.NewDecoder(), times: 1},
		{name: "nested, protobuf-go", messages: auctions, decoder: baseline.New(nested.Message(), nested.Schema()), times: slow},
		{name: "flat", messages: events, decoder: flat.NewDecoder(), times: many},
		{name: "flat, protobuf-go", messages: events, decoder: baseline.New(flat.Message(), flat.Schema()), times: many * slow},
		{name: "normalized", messages: auctions, decoder: normalized.NewDecoder(), times: 1},
	}, nil
}

// planOf returns the plan for decoding messages of a type. paths are the columns to decode; without
// paths, all columns are decoded.
func planOf(files *protoregistry.Files, name string, paths []string) (*protobuf.Plan, error) {
	md, err := protobuf.FindMessage(files, name)
	if err != nil {
		return nil, err
	}
	var columns []wire.Column
	for _, p := range paths {
		columns = append(columns, wire.Column{Path: p})
	}
	return protobuf.NewPlan(md, protobuf.Options{Columns: columns})
}

// sample decodes the messages of the case once, and returns the processor time per message in
// microseconds.
func (s *shape) sample(o *Options) (float64, error) {
	n := max(int(float64(o.Messages)*s.times), 1)
	runtime.GC()
	before, err := cpuSeconds()
	if err != nil {
		return 0, err
	}
	for i := range n {
		if err := s.decoder.Append(s.messages[i%len(s.messages)]); err != nil {
			return 0, err
		}
		if (i+1)%o.Batch == 0 {
			s.decoder.Finish().Release()
		}
	}
	if n%o.Batch != 0 {
		s.decoder.Finish().Release()
	}
	runtime.GC() // the cost of the messages' garbage is part of the time
	after, err := cpuSeconds()
	return (after - before) * 1e6 / float64(n), err
}
