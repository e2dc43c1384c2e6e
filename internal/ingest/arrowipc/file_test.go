package arrowipc

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
)

// polars returns a file of Polars 2.1, written by DataFrame.write_ipc with a record_batch_size of
// 2. Its schema can only be read from the footer.
func polars(t testing.TB, compression string) []byte {
	t.Helper()
	body, err := os.ReadFile("testdata/polars_" + compression + ".arrow")
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestFilesOfPolars(t *testing.T) {
	for _, compression := range []string{"uncompressed", "lz4", "zstd"} {
		got, err := Decode(polars(t, compression), 0, largest)
		if err != nil {
			t.Errorf("%s: %v", compression, err)
			continue
		}
		text, rows := "", int64(0)
		for _, b := range got {
			if err := ingest.Validate(b); err != nil {
				t.Error(err)
			}
			text += ingesttest.Show(ingest.Rows{Batch: b}) + "\n"
			rows += b.NumRows()
		}
		const want = `: a int64 [1 (null)] s utf8 [x a text of more than twelve bytes] l list<item: int64, nullable> [[1] (null)] c utf8 [p q] ` +
			`d timestamp[us] [2026-01-01T00:00:00 2026-01-01T00:00:00] f float64 [1.5 (null)]` + "\n" +
			`: a int64 [3] s utf8 [(null)] l list<item: int64, nullable> [[]] c utf8 [p] d timestamp[us] [2026-01-01T00:00:00] f float64 [-0]` + "\n"
		if rows != 3 || text != want {
			t.Errorf("%s:\n got %s\nwant %s", compression, text, want)
		}
	}
}

// TestAFooterMayBeBroken checks that every damage of a footer is an error about the file and never
// a panic, in Decode and in Claimed.
func TestAFooterMayBeBroken(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	batch := sample(t)
	for name, whole := range map[string][]byte{"arrow-go": fileOf(t, []ipc.Option{ipc.WithZstd()}, batch, batch), "polars": polars(t, "lz4")} {
		end := len(whole) - 10
		start := end - int(binary.LittleEndian.Uint32(whole[end:]))
		refused := 0
		try := func(body []byte) {
			Claimed(body, 1<<30)
			got, err := Decode(body, 0, largest)
			if err != nil {
				refused++
				if kind := base.KindOf(err); kind != base.Invalid && kind != base.TooLarge {
					t.Fatalf("%s: %v", name, err)
				}
			}
			for _, b := range got {
				b.Release()
			}
		}
		for at := start; at < end+4; at++ {
			for _, flip := range []byte{0xff, 0x80, 1, 4} {
				body := append([]byte(nil), whole...)
				body[at] ^= flip
				try(body)
			}
		}
		for range 2000 {
			body := append([]byte(nil), whole...)
			for range 1 + random.IntN(8) {
				body[start+random.IntN(end+4-start)] = byte(random.Uint32())
			}
			try(body)
		}
		body := append([]byte(nil), whole...)
		binary.LittleEndian.PutUint32(body[start:], 0x40000) // move the root table
		if _, err := Decode(body, 0, largest); base.KindOf(err) != base.Invalid || err == nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := Claimed(body, 1<<30); n != 0 {
			t.Errorf("%s: %d bytes", name, n)
		}
		if refused < 1000 {
			t.Errorf("%s: %d refused", name, refused)
		}
	}
}

// TestAFileListsEachMessageOnce checks that a file of few bytes cannot become any number of rows.
func TestAFileListsEachMessageOnce(t *testing.T) {
	batch := sample(t)
	body := fileOf(t, nil, batch, batch)
	end := len(body) - 10
	start := end - int(binary.LittleEndian.Uint32(body[end:]))
	footer := root(body[start:end])
	n := vectorLen(footer, footerBatches, blockBytes)
	listed := vector(footer, footerBatches, n, blockBytes)
	copy(listed[blockBytes:], listed[:blockBytes])
	if got, err := Decode(body, 0, largest); err == nil && len(got) != 2 {
		t.Errorf("%d batches", len(got))
	}
	for i := range n { // a body larger than the file
		binary.LittleEndian.PutUint64(listed[blockBytes*i+16:], uint64(start)/2+1)
	}
	if _, err := Decode(body, 0, largest); base.KindOf(err) != base.Invalid || err == nil {
		t.Error(err)
	}
}
