// Package messages makes Protobuf messages for benchmarks: a nested bid request in the shape of
// OpenRTB (LIST.STRUCT.LIST, about 787 bytes on average), and a flat message of 10 fields. The same
// seed gives the same messages.
package messages

import (
	"embed"
	"math"
	"math/rand/v2"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// Protos has the files auction.proto and event.proto, which define the types of the messages.
//
//go:embed *.proto
var Protos embed.FS

// These are the full names of the types of messages that the methods Auctions and Events return.
const (
	Auction = "bench.Auction"
	Event   = "bench.Event"
)

// NormalizedPaths are the paths of ten columns of the message type Auction. With these columns,
// each impression in an auction becomes a row.
var NormalizedPaths = []string{"id", "received", "site.domain", "device.os", "device.geo.country", "user.id",
	"imp[].id", "imp[].tagid", "imp[].bidfloor", "imp[].banner.w"}

// Source makes random messages for benchmarks.
type Source struct {
	rng     *rand.Rand
	scratch [8][]byte // scratch are buffers for nested messages, one for each nesting depth.
	depth   int
	micros  uint64
}

// NewSource returns a source of random messages. Two sources with the same seed make the same
// messages.
func NewSource(seed uint64) *Source {
	return &Source{rng: rand.New(rand.NewPCG(seed, 0)), micros: 1_767_225_600_000_000}
}

// Auctions returns the next n messages of type Auction.
func (s *Source) Auctions(n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = s.AppendAuction(nil)
	}
	return out
}

// Events returns the next n messages of type Event.
func (s *Source) Events(n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = s.AppendEvent(nil)
	}
	return out
}

// AppendEvent appends the next message of type Event to b.
func (s *Source) AppendEvent(b []byte) []byte {
	s.micros += uint64(s.rng.IntN(1000))
	b = number(b, 1, s.rng.Uint64()>>24)
	b = protowire.AppendFixed64(protowire.AppendTag(b, 2, protowire.Fixed64Type), s.micros)
	b = number(b, 3, uint64(s.rng.IntN(5_000_000)))
	b = text(b, 4, pick(s.rng, names))
	b = text(b, 5, pick(s.rng, countries))
	b = text(b, 6, pick(s.rng, models))
	b = double(b, 7, float64(s.rng.IntN(100_000))/100)
	b = number(b, 8, uint64(1+s.rng.IntN(20)))
	b = number(b, 9, 1)
	return number(b, 10, []uint64{200, 200, 200, 404, 500}[s.rng.IntN(5)])
}

// AppendAuction appends the next message of type Auction to b.
func (s *Source) AppendAuction(b []byte) []byte {
	s.micros += uint64(s.rng.IntN(1000))
	b = text(b, 1, s.hex(32))
	b = s.message(b, 2, func(b []byte) []byte {
		b = number(b, 1, s.micros/1_000_000)
		return number(b, 2, s.micros%1_000_000*1000)
	})
	for range 1 + s.rng.IntN(4) {
		b = s.message(b, 3, s.imp)
	}
	b = s.message(b, 4, s.site)
	b = s.message(b, 5, s.device)
	b = s.message(b, 6, func(b []byte) []byte {
		b = text(b, 1, s.hex(16))
		if s.rng.IntN(2) == 0 {
			b = text(b, 2, s.hex(24))
		}
		b = number(b, 3, uint64(1950+s.rng.IntN(55)))
		return text(b, 4, []string{"F", "M"}[s.rng.IntN(2)])
	})
	b = number(b, 7, uint64(1+s.rng.IntN(2)))
	b = number(b, 8, uint64(100+50*s.rng.IntN(4)))
	b = text(b, 9, "USD")
	for range s.rng.IntN(3) {
		b = text(b, 10, category(s.rng))
	}
	b = text(b, 12, pick(s.rng, exchanges))
	b = number(b, 13, uint64(s.rng.IntN(64)))
	for _, key := range []string{"schain", "tz"}[s.rng.IntN(3)%2:] {
		b = s.message(b, 20, func(b []byte) []byte { return text(text(b, 1, key), 2, s.hex(6)) })
	}
	return b
}

func (s *Source) imp(b []byte) []byte {
	b = text(b, 1, strconv.Itoa(1+s.rng.IntN(9)))
	if s.rng.IntN(4) != 0 {
		b = s.message(b, 2, func(b []byte) []byte {
			for range 1 + s.rng.IntN(3) {
				b = s.message(b, 1, func(b []byte) []byte { return s.size(b, 1, 2) })
			}
			b = s.size(b, 2, 3)
			return packed(b, 4, 1, 3, 8, 13)
		})
	} else {
		b = s.message(b, 3, func(b []byte) []byte {
			b = text(text(b, 1, "video/mp4"), 1, "application/javascript")
			b = number(number(b, 2, 5), 3, 30)
			return packed(b, 4, 2, 3, 5, 6, 7)
		})
	}
	b = text(b, 4, "slot-"+strconv.Itoa(s.rng.IntN(5000)))
	b = double(b, 5, float64(1+s.rng.IntN(500))/100)
	b = text(b, 6, "USD")
	b = number(b, 7, 1)
	if s.rng.IntN(3) == 0 {
		b = s.message(b, 8, func(b []byte) []byte {
			b = number(b, 1, 1)
			for range 1 + s.rng.IntN(2) {
				b = s.message(b, 2, func(b []byte) []byte {
					b = text(b, 1, "deal-"+strconv.Itoa(s.rng.IntN(300)))
					b = double(b, 2, float64(1+s.rng.IntN(900))/100)
					b = number(b, 3, 1)
					return text(text(b, 4, "seat-"+strconv.Itoa(s.rng.IntN(40))), 4, "seat-"+strconv.Itoa(s.rng.IntN(40)))
				})
			}
			return b
		})
	}
	return b
}

func (s *Source) site(b []byte) []byte {
	n := s.rng.IntN(1000)
	domain := "site-" + strconv.Itoa(n) + ".example.com"
	b = text(b, 1, strconv.Itoa(100_000+n))
	b = text(b, 2, domain)
	b = text(text(b, 3, category(s.rng)), 3, category(s.rng))
	b = text(b, 4, "https://"+domain+"/articles/"+strconv.Itoa(s.rng.IntN(100_000))+"/index.html?utm_source=newsletter&utm_campaign=autumn-"+pick(s.rng, names))
	return s.message(b, 5, func(b []byte) []byte {
		return text(text(b, 1, "pub-"+strconv.Itoa(n%90)), 2, "Publisher "+strconv.Itoa(n%90))
	})
}

func (s *Source) device(b []byte) []byte {
	b = text(b, 1, "Mozilla/5.0 (Linux; Android 1"+strconv.Itoa(s.rng.IntN(5))+"; "+pick(s.rng, models)+
		") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/"+strconv.Itoa(100+s.rng.IntN(30))+".0.0.0 Mobile Safari/537.36")
	b = text(b, 2, "10."+strconv.Itoa(s.rng.IntN(256))+"."+strconv.Itoa(s.rng.IntN(256))+"."+strconv.Itoa(s.rng.IntN(256)))
	b = s.message(b, 3, func(b []byte) []byte {
		b = double(double(b, 1, s.rng.Float64()*180-90), 2, s.rng.Float64()*360-180)
		return text(text(text(b, 3, pick(s.rng, countries)), 4, "R"+strconv.Itoa(s.rng.IntN(50))), 5, pick(s.rng, cities))
	})
	b = number(b, 4, uint64(1+s.rng.IntN(7)))
	b = text(text(b, 5, "Maker"), 6, pick(s.rng, models))
	b = text(text(b, 7, "Android"), 8, "1"+strconv.Itoa(s.rng.IntN(5)))
	return text(b, 9, s.hex(36))
}

var (
	names     = []string{"view", "click", "add_to_cart", "remove_from_cart", "purchase", "search", "login", "logout"}
	countries = []string{"USA", "CAN", "DEU", "FRA", "JPN", "BRA", "IND", "GBR", "AUS", "MEX", "ESP", "ITA"}
	cities    = []string{"Montréal", "Toronto", "Berlin", "Paris", "Tokyo", "São Paulo", "Mumbai", "London", "Sydney", "Madrid"}
	models    = []string{"Pixel 7", "Pixel 8 Pro", "SM-S918B", "SM-A546E", "M2101K6G", "CPH2449", "moto g power"}
	exchanges = []string{"north", "south", "east", "west"}
)

func pick(rng *rand.Rand, of []string) string { return of[rng.IntN(len(of))] }

func category(rng *rand.Rand) string {
	return "IAB" + strconv.Itoa(1+rng.IntN(26)) + "-" + strconv.Itoa(1+rng.IntN(12))
}

func (s *Source) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[s.rng.IntN(16)]
	}
	return string(b)
}

// size appends a random width as the field with the number w, and a random height as the field with
// the number h.
func (s *Source) size(b []byte, w, h protowire.Number) []byte {
	i := s.rng.IntN(4)
	return number(number(b, w, []uint64{300, 728, 320, 970}[i]), h, []uint64{250, 90, 50, 250}[i])
}

// message appends a nested message as the field with the number n. The function content appends the
// fields of the nested message.
func (s *Source) message(b []byte, n protowire.Number, content func([]byte) []byte) []byte {
	depth := s.depth
	s.depth++
	s.scratch[depth] = content(s.scratch[depth][:0])
	s.depth--
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), s.scratch[depth])
}

func number(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func double(b []byte, n protowire.Number, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, n, protowire.Fixed64Type), math.Float64bits(v))
}

func text(b []byte, n protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), v)
}

func packed(b []byte, n protowire.Number, values ...uint64) []byte {
	var all []byte
	for _, v := range values {
		all = protowire.AppendVarint(all, v)
	}
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), all)
}
