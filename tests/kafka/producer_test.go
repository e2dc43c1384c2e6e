package kafka

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/bench/stream/broker"
)

// producer sends Orders with ids from 1 on until it is stopped. It knows for each Order whether the
// broker has it, or may have it.
type producer struct {
	client *kgo.Client
	topic  string
	wait   sync.WaitGroup
	quit   chan struct{}

	mu           sync.Mutex
	next         int64
	acknowledged map[int64]struct{}
	unknown      map[int64]struct{} // sent, and answered with an error
}

func newProducer(t testing.TB, b *broker.Broker, topic string) *producer {
	return &producer{client: client(t, b, kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()), kgo.ProducerLinger(5*time.Millisecond)),
		topic: topic, acknowledged: map[int64]struct{}{}, unknown: map[int64]struct{}{}}
}

// start sends about perSecond records per second until stop.
func (p *producer) start(perSecond int) {
	p.quit = make(chan struct{})
	p.wait.Go(func() {
		const tick = 10 * time.Millisecond
		for ticker := time.NewTicker(tick); ; {
			for range perSecond / int(time.Second/tick) {
				p.send()
			}
			select {
			case <-ticker.C:
			case <-p.quit:
				ticker.Stop()
				return
			}
		}
	})
}

func (p *producer) send() {
	p.mu.Lock()
	p.next++
	id := p.next
	p.mu.Unlock()
	p.client.Produce(context.Background(), &kgo.Record{Value: order(id)}, func(_ *kgo.Record, err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if err == nil {
			p.acknowledged[id] = struct{}{}
		} else {
			p.unknown[id] = struct{}{}
		}
	})
}

// stop waits until every record is answered.
func (p *producer) stop(t testing.TB) {
	t.Helper()
	close(p.quit)
	p.wait.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must(t, p.client.Flush(ctx))
}

// expected has the number and the sums of the ids that must exist. Tables are compared with it.
type expected struct{ orders, ids, items, prices int64 }

func (p *producer) expected() (e expected) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.acknowledged {
		e.orders++
		e.ids += id
		for i := range id % 4 {
			e.items++
			e.prices += id + i
		}
	}
	return e
}
