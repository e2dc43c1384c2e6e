package e2e

import (
	"context"
	"os"
	"path/filepath"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/bench/stream/broker"
	"github.com/scoterdb/scoter/bench/stream/messages"
	"github.com/scoterdb/scoter/internal/base"
)

// cluster is the Kafka cluster that has the topics to read: a real broker, or a simulated one.
type cluster struct {
	addr  string
	stop  func()
	codec kgo.CompressionCodec
}

var codecs = map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "lz4": kgo.Lz4Compression(), "snappy": kgo.SnappyCompression(), "zstd": kgo.ZstdCompression()}

// startKafka starts Kafka, and fills one topic for each type of message.
func (r *run) startKafka(ctx context.Context) (*cluster, error) {
	k := &cluster{codec: codecs[r.Compression]}
	if r.Fake {
		fake, err := kfake.NewCluster(kfake.NumBrokers(1))
		if err != nil {
			return nil, base.Errorf(base.Internal, "imitation of Kafka: %w", err)
		}
		k.addr, k.stop = fake.ListenAddrs()[0], fake.Close
	} else {
		dir := filepath.Join(r.dir, "kafka")
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, base.Errorf(base.Unavailable, "folder for Kafka: %w", err)
		}
		b, err := broker.Start(ctx, dir)
		if err != nil {
			return nil, err
		}
		k.addr, k.stop = b.Addr, b.Kill
	}
	r.bytes = map[string]float64{}
	const distinct = 16_384
	for topic, all := range map[string][][]byte{"nested": messages.NewSource(1).Auctions(distinct), "flat": messages.NewSource(1).Events(distinct)} {
		n, size := r.Messages, 0
		if topic == "flat" {
			n *= 10
		}
		for _, m := range all {
			size += len(m)
		}
		r.bytes[topic] = float64(size) / distinct
		if err := k.fill(ctx, topic, r.Partitions, all, n); err != nil {
			k.stop()
			return nil, err
		}
	}
	return k, nil
}

// fill creates a topic and sends n messages to it: those in the list named of, again and again.
func (k *cluster) fill(ctx context.Context, topic string, partitions int, of [][]byte, n int) error {
	client, err := k.client(topic)
	if err != nil {
		return err
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(ctx, int32(partitions), 1, nil, topic); err != nil {
		return base.Errorf(base.Unavailable, "create topic %q: %w", topic, err)
	}
	failed := make(chan error, 1)
	for i := range n {
		client.Produce(ctx, kgo.SliceRecord(of[i%len(of)]), func(_ *kgo.Record, err error) {
			if err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
	}
	if err := client.Flush(ctx); err != nil {
		return base.Errorf(base.Unavailable, "fill topic %q: %w", topic, err)
	}
	select {
	case err := <-failed:
		return base.Errorf(base.Unavailable, "fill topic %q: %w", topic, err)
	default:
		return nil
	}
}

// send writes one message to a topic.
func (k *cluster) send(ctx context.Context, topic string, message []byte) error {
	client, err := k.client(topic)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.ProduceSync(ctx, kgo.SliceRecord(message)).FirstErr(); err != nil {
		return base.Errorf(base.Unavailable, "send to topic %q: %w", topic, err)
	}
	return nil
}

func (k *cluster) client(topic string) (*kgo.Client, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(k.addr), kgo.DefaultProduceTopic(topic), kgo.ProducerBatchCompression(k.codec), kgo.MaxBufferedRecords(100_000))
	if err != nil {
		return nil, base.Errorf(base.Internal, "Kafka client: %w", err)
	}
	return client, nil
}
