package server

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/ledger"
)

// memoryOf returns a ledger with these limits of the memory for bodies and for rows, in bytes.
func memoryOf(bodies, rows int64) *ledger.Ledger {
	return ledger.New(ledger.Limits{Requests: (bodies*4 + 2) / 3, Rows: rows})
}

func newBudget(memory *ledger.Ledger, failing func() error) *budget {
	return &budget{memory: memory.Bodies, locked: memory.Locked, waiting: budgetWait, failing: failing}
}

func limitedServer(writeMemory, maxBody config.Bytes) *Server {
	s := &Server{settings: config.Default(), memory: memoryOf(int64(writeMemory)/2, int64(writeMemory))}
	s.settings.MaxBody = maxBody
	s.budget = newBudget(s.memory, func() error { return nil })
	return s
}

// TestASlowBodyHoldsWhatCame checks that a slow body holds memory for what has arrived, not for
// what it announces.
func TestASlowBodyHoldsWhatCame(t *testing.T) {
	for _, length := range []int64{64 << 20, -1} {
		synctest.Test(t, func(t *testing.T) {
			s := limitedServer(256<<20, 64<<20)
			client, conn := net.Pipe()
			defer client.Close()
			defer conn.Close()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				r := httptest.NewRequest("POST", "/", conn)
				r.ContentLength = length
				// The body times out in the end.
				_, _ = s.readBody(connection{httptest.NewRecorder(), conn}, r, s.budget, nil)
			}()
			synctest.Wait()
			if n := s.budget.memory.Used(); n != 0 {
				t.Errorf("a body of which nothing came holds %d bytes", n)
			}
			came := 0
			send := func(n int) {
				t.Helper()
				if _, err := client.Write(make([]byte, n)); err != nil {
					t.Fatal(err)
				}
				came += n
				time.Sleep(3 * time.Second)
				if held := s.budget.memory.Used(); held < int64(decodedFactor*came) || held > int64(max(decodedFactor*proofBytes, growth*came+decodedFactor*slowStep)) {
					t.Errorf("a body of %d bytes of which %d came holds %d bytes", length, came, held)
				}
			}
			send(1)
			send(100_000)
			send(3 << 20)
			send(8 << 20)
			<-ended
			if n := s.budget.memory.Used(); n != 0 {
				t.Errorf("%d bytes are left", n)
			}
		})
	}
}

// TestManySlowBodiesKeepNobodyOut sends many slow bodies, each of which announces half of the
// request memory, and checks that other requests are still served.
func TestManySlowBodiesKeepNobodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limitedServer(256<<20, 64<<20)
		for range 100 {
			client, conn := net.Pipe()
			defer client.Close()
			defer conn.Close()
			go func() {
				r := httptest.NewRequest("POST", "/", conn)
				r.ContentLength = 64 << 20
				// The body times out in the end.
				_, _ = s.readBody(connection{httptest.NewRecorder(), conn}, r, s.budget, nil)
			}()
			if _, err := client.Write(make([]byte, 20_000)); err != nil {
				t.Fatal(err)
			}
		}
		for range 10 {
			began := time.Now()
			r := httptest.NewRequest("POST", "/", bytes.NewReader(make([]byte, 5<<20)))
			b, err := s.readBody(httptest.NewRecorder(), r, s.budget, nil)
			if err != nil {
				t.Fatal(err)
			}
			b.Close()
			if took := time.Since(began); took > time.Second {
				t.Errorf("another body waited %v", took)
			}
		}
		time.Sleep(2 * idleTimeout)
	})
}

// TestALargeBodyIsReadWhole checks bodies of various sizes, with and without an announced length,
// whose bytes arrive in two pieces.
func TestALargeBodyIsReadWhole(t *testing.T) {
	s := limitedServer(256<<20, 16<<20)
	content := make([]byte, 13<<20+12345)
	for i := range content {
		content[i] = byte(i * 7 >> 3)
	}
	for _, n := range []int{0, 1, firstBytes, firstBytes + 1, proofBytes - 1, proofBytes, proofBytes + 1, growth * proofBytes, len(content)} {
		for _, length := range []int{n, -1} {
			r := httptest.NewRequest("POST", "/", io.MultiReader(bytes.NewReader(content[:n/3]), bytes.NewReader(content[n/3:n])))
			r.ContentLength = int64(length)
			r.Header.Set("Content-Encoding", "identity")
			b, err := s.readBody(httptest.NewRecorder(), r, s.budget, nil)
			if err != nil {
				t.Fatalf("a body of %d bytes: %v", n, err)
			}
			if !bytes.Equal(b.bytes, content[:n]) {
				t.Errorf("a body of %d bytes, announced %d, is read as %d others", n, length, len(b.bytes))
			}
			if held := s.budget.memory.Used(); held < int64(decodedFactor*n) {
				t.Errorf("a body of %d bytes holds %d", n, held)
			}
			b.Close()
		}
	}
	if n := s.budget.memory.Used(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}

// TestCompressedBodiesDoNotWaitForEachOther runs compressed bodies when there is memory for only
// one or two of them at a time. Each must be accepted, however much it grows and whether or not it
// says its decompressed size.
func TestCompressedBodiesDoNotWaitForEachOther(t *testing.T) {
	var lines strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&lines, "cpu,host=server%d,region=eu-west-1 usage_user=12.5,usage_system=3.5,usage_idle=84i %d\n", i%10, 1700000000000000000+i*10000000)
	}
	plain := []byte(lines.String())
	for name, packed := range packings(t, plain) {
		// 16 MiB of request memory, for bodies of 2 MiB that reserve twice their size
		s := limitedServer(32<<20, 4<<20)
		var writers sync.WaitGroup
		for range 16 {
			writers.Go(func() {
				for range 5 {
					r := httptest.NewRequest("POST", "/", bytes.NewReader(packed))
					b, err := s.readBody(httptest.NewRecorder(), r, s.budget, nil)
					if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
					if !bytes.Equal(b.bytes, plain) {
						t.Errorf("%s: %d bytes, want %d", name, len(b.bytes), len(plain))
					}
					b.Close()
				}
			})
		}
		writers.Wait()
		if n := s.budget.memory.Used(); n != 0 {
			t.Errorf("%s: %d bytes are left", name, n)
		}
	}
}

// packings compresses a body in all supported formats. Each is compressed once as one stream, and
// once as two streams of which the second is small: gzip then announces a smaller size than the
// whole body has.
func packings(t *testing.T, plain []byte) map[string][]byte {
	t.Helper()
	writers := map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"lz4":  func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w)
			if err != nil {
				t.Fatal(err)
			}
			return z
		},
	}
	out := map[string][]byte{}
	for name, writer := range writers {
		for _, cut := range []int{0, len(plain) - 100} {
			var b bytes.Buffer
			for _, piece := range [][]byte{plain[:cut], plain[cut:]} {
				if len(piece) == 0 {
					continue
				}
				w := writer(&b)
				if _, err := w.Write(piece); err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			}
			out[fmt.Sprint(name, " cut at ", cut)] = b.Bytes()
		}
	}
	return out
}
