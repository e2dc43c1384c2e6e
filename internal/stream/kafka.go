package stream

import (
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/option"
)

// kafka has the options of the clause KAFKA (...): which records are read, and how many of them
// make a batch.
type kafka struct {
	brokers []string
	topics  []string
	// partitions are the numbers of the partitions to read. If it is empty, all partitions are
	// read.
	partitions []int32
	// group is the consumer group that assigns partitions to this source. If it is empty, the
	// source uses no group.
	group      string
	start      start
	maxAge     time.Duration
	batchRows  int
	batchBytes int64
	// tombstones says what a record with a key and no value does: "delete", "ignore" or
	// "dead_letter".
	tombstones string
	client     []kgo.Opt
}

// optionTombstones is the option that says what tombstones (records with a key and no value) do,
// and the other constants are its values. If a definition lacks the option, for example because an
// older version of Scoter wrote it, tombstones become dead letters.
const (
	optionTombstones     = "tombstones"
	tombstonesDelete     = "delete"
	tombstonesIgnored    = "ignore"
	tombstonesDeadLetter = "dead_letter"
)

const (
	// fetchBytes is how many bytes the client requests from a broker with one fetch. The client
	// buffers one response per broker.
	fetchBytes = 8 << 20
	// maxRecordBytes is the maximum decompressed size of one record batch of Kafka (the records
	// that a producer has sent together).
	maxRecordBytes = 256 << 20
)

// newKafka reads the options of the clause KAFKA (...). Errors are base.Invalid.
func newKafka(values map[string]string) (kafka, error) {
	o := option.New("KAFKA", values)
	k := kafka{brokers: o.List("brokers"), topics: o.List("topic"), group: o.Text("group", "")}
	for _, p := range o.List("partitions") {
		n, err := strconv.ParseInt(p, 10, 32)
		if err != nil || n < 0 {
			o.Fail("KAFKA partitions: invalid partition number %q", p)
		}
		k.partitions = append(k.partitions, int32(n))
	}
	k.start = option.Parsed(o, "start", earliest, parseStart)
	k.maxAge = option.Parsed(o, "max_age", time.Second, time.ParseDuration)
	k.batchRows = option.Parsed(o, "batch_rows", 122_880, strconv.Atoi)
	k.batchBytes = option.Parsed(o, "batch_bytes", 32<<20, parseBytes)
	k.tombstones = o.OneOf(optionTombstones, tombstonesDeadLetter, tombstonesDelete, tombstonesIgnored, tombstonesDeadLetter)
	isolation := kgo.ReadCommitted()
	if o.OneOf("isolation", "read_committed", "read_committed", "read_uncommitted") == "read_uncommitted" {
		isolation = kgo.ReadUncommitted()
	}
	security, err := o.TLS("tls")
	if err != nil {
		return k, err
	}
	k.client = []kgo.Opt{
		kgo.SeedBrokers(k.brokers...), kgo.ClientID("scoter"), kgo.WithLogger(silent{}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), kgo.FetchIsolationLevel(isolation),
		// Transaction markers are records too: their offsets have to be stored.
		kgo.KeepControlRecords(),
		kgo.FetchMaxBytes(fetchBytes), kgo.FetchMaxPartitionBytes(fetchBytes / 2), kgo.BrokerMaxReadBytes(maxRecordBytes),
		kgo.MaxDecompressBatchBytes(maxRecordBytes), kgo.MetadataMaxAge(time.Minute),
	}
	if security != nil {
		k.client = append(k.client, kgo.DialTLSConfig(security))
	}
	if err := k.readSASL(o); err != nil {
		return k, err
	}
	if err := o.End(); err != nil {
		return k, err
	}
	switch {
	case len(k.brokers) == 0:
		return k, base.Errorf(base.Invalid, "KAFKA needs brokers").WithHint("KAFKA (brokers = 'host:9092', topic = 'events')")
	case len(k.topics) == 0:
		return k, base.Errorf(base.Invalid, "KAFKA needs a topic")
	case k.group != "" && len(k.partitions) > 0:
		return k, base.Errorf(base.Invalid, "KAFKA: partitions and group cannot be combined")
	case k.batchRows < 1 || k.batchBytes < 1 || k.maxAge < time.Millisecond:
		return k, base.Errorf(base.Invalid, "KAFKA: batch_rows, batch_bytes and max_age must be positive")
	}
	return k, nil
}

func parseBytes(text string) (int64, error) {
	var b config.Bytes
	err := b.UnmarshalText([]byte(text))
	return int64(b), err
}

func parseStart(text string) (start, error) {
	switch strings.ToLower(text) {
	case "earliest":
		return earliest, nil
	case "latest":
		return latest, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, base.Errorf(base.Invalid, "expected earliest, latest or a time such as 2026-01-31T12:00:00Z")
	}
	return max(start(at.UnixMilli()), 0), nil // records have no timestamp before 1970
}

func (k *kafka) readSASL(o *option.Set) error {
	mechanism := o.OneOf("sasl", "none", "none", "plain", "scram-sha-256", "scram-sha-512")
	user := o.Text("user", "")
	password, err := o.Secret("password")
	if err != nil {
		return err
	}
	switch mechanism {
	case "plain":
		k.client = append(k.client, kgo.SASL(plain.Auth{User: user, Pass: password}.AsMechanism()))
	case "scram-sha-256":
		k.client = append(k.client, kgo.SASL(scram.Auth{User: user, Pass: password}.AsSha256Mechanism()))
	case "scram-sha-512":
		k.client = append(k.client, kgo.SASL(scram.Auth{User: user, Pass: password}.AsSha512Mechanism()))
	case "none":
		if user != "" || password != "" {
			return base.Errorf(base.Invalid, "KAFKA: user and password need sasl = 'plain', 'scram-sha-256' or 'scram-sha-512'")
		}
	}
	return nil
}

// silent is a logger for the Kafka client that discards everything. The client also returns its
// problems as errors, and those are handled.
type silent struct{}

func (silent) Level() kgo.LogLevel              { return kgo.LogLevelNone }
func (silent) Log(kgo.LogLevel, string, ...any) {}
