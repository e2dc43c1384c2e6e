// Command stream-openrtb produces bid requests in the shape of OpenRTB into a topic of Kafka. The
// same number of requests is always the same requests.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"google.golang.org/protobuf/encoding/protowire"
)

func main() {
	brokers := flag.String("brokers", "127.0.0.1:9092", "host:port")
	count := flag.Int("n", 100_000, "requests to send")
	flag.Parse()
	if err := produce(context.Background(), *brokers, *count); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d requests sent\n", *count)
}

const topic = "bid-requests"

func produce(ctx context.Context, brokers string, count int) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers), kgo.DefaultProduceTopic(topic))
	if err != nil {
		return err
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(ctx, 3, 1, nil, topic); err != nil {
		fmt.Fprintln(os.Stderr, "topic:", err) // it may be there
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var failed error
	for i := range count {
		client.Produce(ctx, kgo.SliceRecord(request(rng, i)), func(_ *kgo.Record, err error) {
			if err != nil && failed == nil {
				failed = err
			}
		})
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	return failed
}

var (
	sizes     = [][2]int{{300, 250}, {728, 90}, {320, 50}, {970, 250}}
	countries = []string{"USA", "CAN", "DEU", "FRA", "JPN", "BRA"}
	systems   = []string{"Android", "iOS", "Windows", "macOS"}
)

// request encodes a BidRequest. A program with generated code would call proto.Marshal.
func request(rng *rand.Rand, n int) []byte {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Millisecond)
	b := text(nil, 1, fmt.Sprintf("%016x", rng.Uint64()))
	b = message(b, 2, number(number(nil, 1, at.Unix()), 2, int64(at.Nanosecond())))
	country := rng.IntN(len(countries))
	for range 1 + rng.IntN(3) {
		var banner []byte
		for range 1 + rng.IntN(2) {
			size := sizes[rng.IntN(len(sizes))]
			banner = message(banner, 1, number(number(nil, 1, int64(size[0])), 2, int64(size[1])))
		}
		imp := text(nil, 1, fmt.Sprint("slot-", rng.IntN(1000)))
		imp = double(imp, 2, float64(10*(len(countries)-country)+rng.IntN(200))/100)
		imp = message(imp, 3, banner)
		if rng.IntN(3) == 0 {
			imp = message(imp, 4, double(text(nil, 1, fmt.Sprint("deal-", rng.IntN(50))), 2, float64(rng.IntN(900))/100))
		}
		b = message(b, 3, imp)
	}
	site := text(nil, 1, fmt.Sprintf("site-%d.example.com", rng.IntN(100)))
	b = message(b, 4, text(site, 2, fmt.Sprint("IAB", 1+rng.IntN(26))))
	b = message(b, 5, text(text(nil, 1, systems[rng.IntN(len(systems))]), 2, countries[country]))
	return number(b, 6, int64(100+50*rng.IntN(4)))
}

func text(b []byte, field protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func number(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

func double(b []byte, field protowire.Number, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), math.Float64bits(v))
}

func message(b []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), content)
}
