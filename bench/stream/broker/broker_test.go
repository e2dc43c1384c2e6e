package broker

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
)

// TestRecordsOutliveTheProcess writes records to a broker, kills the broker and starts it again.
// The records must still be there.
func TestRecordsOutliveTheProcess(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	b, err := Start(ctx, t.TempDir())
	if base.KindOf(err) == base.Unavailable {
		t.Skip("NO KAFKA:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer b.Kill()
	if err := b.CreateTopic(ctx, "t", 2); err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr), kgo.DefaultProduceTopic("t"), kgo.ConsumeTopics("t"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.ProduceSync(ctx, kgo.StringRecord("first")).FirstErr(); err != nil {
		t.Fatal(err)
	}
	b.Kill()
	if err := b.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if err := client.ProduceSync(ctx, kgo.StringRecord("second")).FirstErr(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for len(seen) < 2 && ctx.Err() == nil {
		client.PollFetches(ctx).EachRecord(func(r *kgo.Record) { seen[string(r.Value)]++ })
	}
	if seen["first"] != 1 || seen["second"] != 1 {
		t.Error(seen)
	}
	if err := b.DeleteTopic(ctx, "t"); err != nil {
		t.Error(err)
	}
	b.Stop()
}
