// Package broker runs a real Apache Kafka: one node, from Maven Central, for tests and
// benchmarks.
//
//	b, err := broker.Start(ctx, dir)
//	defer b.Kill()
//	err = b.CreateTopic(ctx, "bids", 4)
//	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr))
package broker

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
)

// startTimeout is how long a broker may take to start and answer. It usually takes 4 seconds.
const startTimeout = 3 * time.Minute

// Broker is a Kafka process with a data folder.
type Broker struct {
	// Addr is the broker's address, host:port. It stays the same after a restart.
	Addr string
	// TLSAddr and SASLAddr are the addresses of the listeners that StartSecure adds. TLSAddr is for
	// TLS with certificates on both sides, and SASLAddr for SASL over TLS.
	TLSAddr, SASLAddr string

	dir  string
	java []string // java is the command line that starts the broker.

	process *exec.Cmd // process is the broker's process; it is nil while the broker is down.
	ended   chan struct{}
	log     *lockedBuffer
}

// settings are the settings of Kafka for a single node, with placeholders for ports and a folder.
// With them the broker starts quickly, and soon removes the data of deleted topics.
const settings = `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:%[2]d
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:%[1]d,CONTROLLER://127.0.0.1:%[2]d
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=%[3]s
auto.create.topics.enable=false
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
broker.session.timeout.ms=1500
broker.heartbeat.interval.ms=300
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
log.segment.delete.delay.ms=0
log.cleaner.enable=false
num.network.threads=2
num.io.threads=2
num.recovery.threads.per.data.dir=1
background.threads=2
`

// Start starts a broker on a free port with its data in dir, and waits until it answers. The error
// is base.Unavailable if there is no Java, no Maven or no access to Maven Central.
func Start(ctx context.Context, dir string) (*Broker, error) { return start(ctx, dir, nil) }

// StartSecure starts a broker as Start does, with additional listeners for TLS and SASL.
func StartSecure(ctx context.Context, dir string, s Security) (*Broker, error) {
	return start(ctx, dir, &s)
}

func start(ctx context.Context, dir string, security *Security) (*Broker, error) {
	jars, err := install(ctx)
	if err != nil {
		return nil, err
	}
	program, err := java(ctx)
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(4)
	if err != nil {
		return nil, err
	}
	b := &Broker{
		Addr: fmt.Sprintf("127.0.0.1:%d", ports[0]), dir: dir, log: &lockedBuffer{},
		// Java uses only its first compilation tier. It starts fastest, and leaves most of the
		// processor time to the tested code.
		java: []string{program, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", filepath.Join(jars, "*")},
	}
	file := b.settings()
	text := fmt.Sprintf(settings, ports[0], ports[1], filepath.Join(dir, "data"))
	if security != nil {
		b.TLSAddr, b.SASLAddr = fmt.Sprintf("127.0.0.1:%d", ports[2]), fmt.Sprintf("127.0.0.1:%d", ports[3])
		text = security.extend(text, b.TLSAddr, b.SASLAddr)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, base.Errorf(base.Unavailable, "Kafka's settings: %w", err)
	}
	const clusterID = "c2NvdGVyLXRlc3RzLTAwMQ"
	format := b.command(ctx, "kafka.tools.StorageTool", "format", "--cluster-id", clusterID, "--config", file)
	if out, err := format.CombinedOutput(); err != nil {
		return nil, base.Errorf(base.Unavailable, "format Kafka's folder: %w: %s", err, out)
	}
	if err := b.Restart(ctx); err != nil || security == nil {
		return b, err
	}
	return b, b.addUsers(ctx, security.Users)
}

func (b *Broker) settings() string { return filepath.Join(b.dir, "server.properties") }

func (b *Broker) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.java[0], append(b.java[1:len(b.java):len(b.java)], args...)...)
	cmd.Dir = b.dir
	return cmd
}

// freePorts returns n TCP ports on which no program listens at the moment.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, base.Errorf(base.Unavailable, "free port: %w", err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// Restart starts the broker again in its folder and on its port, after Stop or Kill. It waits until
// the broker answers.
func (b *Broker) Restart(ctx context.Context) error {
	process := b.command(context.WithoutCancel(ctx), "kafka.Kafka", b.settings())
	process.Stdout, process.Stderr = b.log, b.log
	if err := process.Start(); err != nil {
		return base.Errorf(base.Unavailable, "start Kafka: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = process.Wait() // the broker's log shows why a process ended unexpectedly
		close(ended)
	}()
	b.process, b.ended = process, ended
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		if err := b.admin(func(admin *kadm.Client) error {
			_, err := admin.BrokerMetadata(ctx)
			return err
		}); err == nil {
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ended:
			return base.Errorf(base.Unavailable, "Kafka ends: %s", b.log)
		case <-ctx.Done():
			b.Kill()
			return base.Errorf(base.Unavailable, "Kafka does not answer: %s", b.log)
		}
	}
}

// Stop shuts the broker down cleanly, as an operator does before an update.
func (b *Broker) Stop() { b.end(syscall.SIGTERM) }

// Kill ends the broker process immediately, with SIGKILL. It may be called more than once.
func (b *Broker) Kill() { b.end(syscall.SIGKILL) }

func (b *Broker) end(how syscall.Signal) {
	if b.process == nil {
		return
	}
	_ = b.process.Process.Signal(how) // the only error is that the process has ended already
	<-b.ended
	b.process = nil
}

// Log returns everything that the broker has printed.
func (b *Broker) Log() string { return b.log.String() }

// admin calls the function do with a new Kafka client for administration, and then closes the
// client.
func (b *Broker) admin(do func(*kadm.Client) error) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr))
	if err != nil {
		return base.Errorf(base.Internal, "Kafka client: %w", err)
	}
	defer client.Close()
	return do(kadm.NewClient(client))
}

// CreateTopic creates a topic with the given number of partitions.
func (b *Broker) CreateTopic(ctx context.Context, name string, partitions int) error {
	return b.admin(func(admin *kadm.Client) error {
		if _, err := admin.CreateTopic(ctx, int32(partitions), 1, nil, name); err != nil {
			return base.Errorf(base.Unavailable, "create topic %q: %w", name, err)
		}
		return nil
	})
}

// DeleteTopic deletes a topic.
func (b *Broker) DeleteTopic(ctx context.Context, name string) error {
	return b.admin(func(admin *kadm.Client) error {
		if _, err := admin.DeleteTopic(ctx, name); err != nil {
			return base.Errorf(base.Unavailable, "delete topic %q: %w", name, err)
		}
		return nil
	})
}

// TruncateTopic removes the first records of a partition, as Kafka's retention does. The argument
// before is the offset of the first record that stays.
func (b *Broker) TruncateTopic(ctx context.Context, name string, partition int32, before int64) error {
	return b.admin(func(admin *kadm.Client) error {
		offsets := kadm.Offsets{}
		offsets.AddOffset(name, partition, before, -1)
		answers, err := admin.DeleteRecords(ctx, offsets)
		if err == nil {
			err = answers.Error()
		}
		if err != nil {
			return base.Errorf(base.Unavailable, "truncate topic %q: %w", name, err)
		}
		return nil
	})
}

// lockedBuffer is a buffer for the output of a process. One goroutine writes to it while others
// read it.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
