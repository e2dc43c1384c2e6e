package stream

import (
	"context"

	"github.com/scoterdb/scoter/internal/ledger"
)

// sourceMemory is the memory of the records that one source has read and not stored yet. It is a
// child of the account of all sources. Waiting sources are served in order. So a large record need
// not wait behind later small records of other sources.
type sourceMemory struct{ account *ledger.Account }

// tryReserve reserves the given number of bytes, and returns true, if they are free and no other
// source waits. Otherwise it reserves nothing and returns false.
func (m sourceMemory) tryReserve(bytes int64) bool {
	reserved, rest := m.divide(bytes)
	// There is no error, because reserved is at most the limit.
	ok, _ := m.account.Try(reserved)
	if ok {
		m.account.Charge(rest)
	}
	return ok
}

// reserve reserves the given number of bytes. If they are not free, it waits until they are, or
// until ctx ends.
func (m sourceMemory) reserve(ctx context.Context, bytes int64) error {
	reserved, rest := m.divide(bytes)
	if err := m.account.Reserve(ctx, reserved, ledger.Wait{}); err != nil {
		return err
	}
	m.account.Charge(rest)
	return nil
}

// divide returns how many bytes to reserve for a record of the given size, and how many to charge
// afterwards. A record that is larger than the limit waits until no other record has memory. Other
// records then wait until the memory of this record is released.
func (m sourceMemory) divide(bytes int64) (reserved, rest int64) {
	reserved = min(bytes, m.account.Limit())
	return reserved, bytes - reserved
}

func (m sourceMemory) release(bytes int64) { m.account.Release(bytes) }
