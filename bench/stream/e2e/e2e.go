// Package e2e measures the server's cost of reading messages from Kafka. It measures the time until
// the rows are durable and visible to queries, and the time until they are in sorted parts.
package e2e

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/bench/stream/messages"
	"github.com/scoterdb/scoter/internal/base"
)

// Options are the command-line options of the benchmark of reading from Kafka.
type Options struct {
	Messages    int    `help:"Nested messages of one run; flat ones are ten times as many." default:"500000"`
	Repeat      int    `help:"Runs of each kind." default:"3"`
	Partitions  int    `help:"Partitions of each topic." default:"4"`
	Compression string `help:"Compression of the messages in the topic." enum:"none,lz4,snappy,zstd" default:"none"`
	Fake        bool   `help:"Use a simulated Kafka in this process, for machines without Java or Maven."`
	Latency     int    `help:"Number of single messages whose latency until a query returns them is measured." default:"20"`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "The topics are filled first. Processor time is only that of the server.\nExample: scoter-bench stream --messages 200000 --repeat 1"
}

// kind is a kind of run of the benchmark: the topic that is read, and the tables that it fills.
type kind struct {
	name, topic, message string
	into                 string // into is the end of the CREATE SOURCE statement, from INTO on.
	// share says how many messages the run reads: share times Options.Messages.
	share int
	// If the field parts is true, the run ends when all rows are in parts. Otherwise it ends when
	// all rows are visible.
	parts  bool
	target float64
}

var kinds = []kind{
	{name: "nested", topic: "nested", message: messages.Auction, into: "INTO TABLE t", share: 1, target: 3.5},
	{name: "nested, with parts", topic: "nested", message: messages.Auction, into: "INTO TABLE t", share: 1, parts: true, target: 7.5},
	{name: "nested, normalized with parts", topic: "nested", message: messages.Auction, share: 1, parts: true,
		into: "INTO TABLE t (" + list(messages.NormalizedPaths) + ")"},
	{name: "flat, with parts", topic: "flat", message: messages.Event, into: "INTO TABLE t", share: 10, parts: true, target: 1.2},
}

func list(paths []string) string {
	text := ""
	for i, p := range paths {
		if i > 0 {
			text += ", "
		}
		text += p
	}
	return text
}

// Run runs the benchmark of reading from Kafka and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) (err error) {
	dir, err := env.TempDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := &run{Options: o, env: env, dir: dir, config: filepath.Join(dir, "scoter.toml")}
	if err := r.prepare(); err != nil {
		return err
	}
	k, err := r.startKafka(ctx)
	if err != nil {
		return err
	}
	defer k.stop()
	report := harness.NewReport("stream", map[string]any{"messages": o.Messages, "partitions": o.Partitions, "compression": o.Compression, "fake": o.Fake})
	samples := make(map[string]map[string][]float64, len(kinds))
	// The kinds of runs take turns, so that other load on the machine affects all of them.
	for range o.Repeat {
		for _, kind := range kinds {
			if samples[kind.name] == nil {
				samples[kind.name] = map[string][]float64{}
			}
			if err := r.measure(ctx, k, kind, samples[kind.name]); err != nil {
				return base.Wrap(err, "%s", kind.name)
			}
		}
	}
	for _, kind := range kinds {
		s := samples[kind.name]
		if kind.target > 0 {
			report.AtMost(kind.target, kind.name+": server CPU per million messages", harness.Median(s["cpu"]), "s", s["cpu"]...)
		} else {
			report.Add(kind.name+": server CPU per million messages", harness.Median(s["cpu"]), "s", s["cpu"]...)
		}
		report.Add(kind.name+": messages", harness.Median(s["messages"]), "/s", s["messages"]...)
		report.Add(kind.name+": rows", harness.Median(s["rows"]), "/s", s["rows"]...)
		report.Add(kind.name+": bytes of messages", harness.Median(s["bytes"]), "MB/s", s["bytes"]...)
		report.Add(kind.name+": peak memory", harness.Median(s["memory"]), "MiB", s["memory"]...)
	}
	if err := r.quiet(ctx, k, report); err != nil {
		return base.Wrap(err, "a quiet topic")
	}
	return env.Publish(report)
}

// run is one execution of the benchmark, with its server settings and folders.
type run struct {
	*Options
	env         *harness.Env
	dir, config string
	// bytes has the average size of the messages of each topic, in bytes.
	bytes map[string]float64
}

// token is the access token of an administrator of the server. Only an administrator may create a
// source, because a source connects to other machines and reads files.
const token = "bench"

// prepare writes the settings file of the server, and the schema files for the messages.
func (r *run) prepare() error {
	settings := fmt.Sprintf("[[token]]\nname = \"bench\"\nrole = \"admin\"\nsha256 = \"%x\"\n", sha256.Sum256([]byte(token)))
	if err := os.WriteFile(r.config, []byte(settings), 0o600); err != nil {
		return base.Errorf(base.Unavailable, "settings: %w", err)
	}
	for _, name := range []string{"auction.proto", "event.proto"} {
		text, err := fs.ReadFile(messages.Protos, name)
		if err == nil {
			err = os.WriteFile(filepath.Join(r.dir, name), text, 0o600)
		}
		if err != nil {
			return base.Errorf(base.Unavailable, "schema: %w", err)
		}
	}
	return nil
}

// start starts a server. If the argument parts is false, the server flushes no rows, so that only
// the work before a flush is measured.
func (r *run) start(ctx context.Context, parts bool) (*harness.Server, error) {
	flags := []string{"--config", r.config, "--merge-parallel=0"}
	if parts {
		flags = append(flags, harness.FlushSoon(time.Second)...)
	} else {
		flags = append(flags, "--write-memory=4GiB", "--flush-bytes=1GiB", "--flush-age=1h")
	}
	s, err := r.env.StartServer(ctx, flags...)
	if err == nil {
		s.Authorize(token)
	}
	return s, err
}

// createSource returns the CREATE SOURCE statement for a kind of run. k is the Kafka cluster.
func (r *run) createSource(k *cluster, kind kind) string {
	return fmt.Sprintf(`CREATE SOURCE s FROM KAFKA (brokers = '%s', topic = '%s')
		FORMAT protobuf (schema = '%s,%s', message = '%s') %s`,
		k.addr, kind.topic, filepath.Join(r.dir, "auction.proto"), filepath.Join(r.dir, "event.proto"), kind.message, kind.into)
}

// measure reads a topic into a table twice with the same server. It adds the measurement of the
// second time to samples. The first time makes the server allocate its memory, so that it is like a
// server that has run for a while. So the cost of fresh memory from the operating system is not
// measured.
func (r *run) measure(ctx context.Context, k *cluster, kind kind, samples map[string][]float64) (err error) {
	s, err := r.start(ctx, kind.parts)
	if err != nil {
		return err
	}
	defer r.env.Finish(s, &err)
	if _, _, err := r.read(ctx, s, k, kind); err != nil {
		return err
	}
	for _, statement := range []string{"DROP SOURCE s", "DROP TABLE t"} {
		if _, err := s.SQL(ctx, statement); err != nil {
			return err
		}
	}
	use, visible, err := r.read(ctx, s, k, kind)
	if err != nil {
		return err
	}
	n := r.Messages * kind.share
	rows, err := s.Number(ctx, "SELECT count(*) FROM t")
	if err != nil {
		return err
	}
	memory, err := s.PeakRSS()
	if err != nil {
		return err
	}
	seconds := visible.Seconds()
	for name, value := range map[string]float64{
		"cpu": use.CPU / float64(n) * 1e6, "messages": float64(n) / seconds, "rows": rows / seconds,
		"bytes": float64(n) * r.bytes[kind.topic] / seconds / 1e6, "memory": float64(memory) / (1 << 20),
	} {
		samples[name] = append(samples[name], value)
	}
	return nil
}

// read creates a source for a topic, and waits until all messages are stored. It returns the
// processor time that the server used, and the time until all rows were visible.
func (r *run) read(ctx context.Context, s *harness.Server, k *cluster, kind kind) (use harness.Use, visible time.Duration, err error) {
	use, err = s.Measure(func() error {
		started := time.Now()
		if _, err := s.SQL(ctx, r.createSource(k, kind)); err != nil {
			return err
		}
		if err := waitFor(ctx, s, float64(r.Messages*kind.share), started); err != nil {
			return err
		}
		visible = time.Since(started)
		if kind.parts {
			return s.WaitFlushed(ctx)
		}
		return nil
	})
	return use, visible, err
}

// maxWait is the maximum time that one run may take.
const maxWait = 10 * time.Minute

// waitFor waits until the source has stored n messages in its tables. started is the time at which
// the source was created.
func waitFor(ctx context.Context, s *harness.Server, n float64, started time.Time) error {
	for {
		rows, err := s.SQL(ctx, "SELECT messages, state, coalesce(error, '') FROM scoter.sources")
		if err != nil {
			return err
		}
		if len(rows) == 1 && rows[0][0] == n {
			return nil
		}
		if time.Since(started) > maxWait {
			return base.Errorf(base.Timeout, "the source is at %v after %s", rows, maxWait)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// The method quiet measures a source without new messages: what the source costs, and how soon a
// single new message is visible to a query.
func (r *run) quiet(ctx context.Context, k *cluster, report *harness.Report) (err error) {
	s, err := r.start(ctx, true)
	if err != nil {
		return err
	}
	defer r.env.Finish(s, &err)
	topic := kind{topic: "quiet", message: messages.Event, into: "INTO TABLE t"}
	if err := k.fill(ctx, topic.topic, r.Partitions, nil, 0); err != nil {
		return err
	}
	if _, err := s.SQL(ctx, r.createSource(k, topic)); err != nil {
		return err
	}
	if err := k.send(ctx, topic.topic, messages.NewSource(1).AppendEvent(nil)); err != nil {
		return err
	}
	if err := waitFor(ctx, s, 1, time.Now()); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // until the part is written
	const idle = 10 * time.Second
	use, err := s.Measure(func() error {
		time.Sleep(idle)
		return nil
	})
	if err != nil {
		return err
	}
	report.AtMost(1, "a source without messages: server CPU", 100*use.CPU/use.Wall.Seconds(), "% of a core")
	var took []float64
	source := messages.NewSource(2)
	for i := range r.Latency {
		began := time.Now()
		if err := k.send(ctx, topic.topic, source.AppendEvent(nil)); err != nil {
			return err
		}
		for {
			n, err := s.Number(ctx, "SELECT count(*) FROM t")
			if err != nil {
				return err
			}
			if int(n) == i+2 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	if len(took) > 0 {
		slowest := took[0]
		for _, t := range took {
			slowest = max(slowest, t)
		}
		report.AtMost(1000, "a single message: until a query shows it, the slowest", slowest, "ms", took...)
	}
	return nil
}
