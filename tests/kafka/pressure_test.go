package kafka

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/tests/binary"
)

// unavailable is the response of a registry that is not available.
func unavailable(w http.ResponseWriter, _ *http.Request) bool {
	w.WriteHeader(http.StatusServiceUnavailable)
	return true
}

// resident returns the memory of a process in bytes, now or at its peak (VmRSS, VmHWM).
func resident(t *testing.T, pid int, what string) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	for l := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(l, what+":"); ok {
			var n int64
			if _, err := fmt.Sscan(kb, &n); err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Fatal("no", what)
	return 0
}

// TestADiskThatDoesNotKeepUp offers many times more records than there is memory for them while
// nothing can be stored. The records must wait in Kafka.
func TestADiskThatDoesNotKeepUp(t *testing.T) {
	disk := binary.NewDisk(t, "1g")
	if disk == nil {
		t.Skip("THIS MACHINE CANNOT MOUNT A SMALL DISK")
	}
	k := kafka(t)
	must(t, k.CreateTopic(t.Context(), topic, 2))
	s := disk.Serve(t, "data", append(asAdmin(t), "--stream-memory", "16MiB", "--write-memory", "64MiB", "--max-body", "8MiB", "--query-memory", "128MiB")...)
	s.Token = token
	run(t, s, fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = '%s') FORMAT json INTO TABLE orders`, k.Addr, topic))
	producer := client(t, k, kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()))
	send(t, producer, kgo.StringRecord(`{"id": 0}`))
	eventually(t, s, "SELECT count(*) FROM orders", "1")
	before := resident(t, s.PID(), "VmRSS")
	free := disk.Fill(t)

	const count, size = 80_000, 5_000 // 400 MB
	rng, noise := rand.NewChaCha8([32]byte{}), make([]byte, size/2)
	for from := 1; from <= count; from += 1000 {
		var records []*kgo.Record
		for id := from; id < from+1000; id++ {
			_, _ = rng.Read(noise) // never fails
			records = append(records, kgo.StringRecord(fmt.Sprintf(`{"id": %d, "text": "%x"}`, id, noise)))
		}
		send(t, producer, records...)
	}
	eventually(t, s, "SELECT state FROM scoter.sources", "waiting")
	time.Sleep(time.Second)
	held := resident(t, s.PID(), "VmHWM") - before
	t.Logf("%d MiB more than before, with %d MiB waiting in Kafka", held>>20, count*size>>20)
	// The limit is the sum of: 64 MiB for rows in memory; 16 MiB for records, and as much again for
	// each of their decoded, conformed and encoded forms; running fetches; and garbage that is not
	// collected yet.
	if limit := int64(320 << 20); held > limit {
		t.Errorf("%d bytes more than before, want at most %d", held, limit)
	}
	free()
	eventually(t, s, "SELECT count(*), count(DISTINCT id), sum(id)::BIGINT FROM orders", fmt.Sprint(count+1, count+1, count*(count+1)/2))
}
