package messages

import (
	"testing"
)

func TestMessagesHaveTheStatedSizes(t *testing.T) {
	mean := func(all [][]byte) int {
		n := 0
		for _, m := range all {
			n += len(m)
		}
		return n / len(all)
	}
	if n := mean(NewSource(1).Auctions(2000)); n < 767 || n > 807 {
		t.Errorf("an Auction has %d bytes on average, not about 787", n)
	}
	if n := mean(NewSource(1).Events(2000)); n < 50 || n > 80 {
		t.Errorf("an Event has %d bytes on average", n)
	}
}
