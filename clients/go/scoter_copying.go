package scoter

import (
	"context"
	"errors"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
)

// scCopyPortion is the number of bytes that are sent at a time. The driver puts this number of
// bytes into one message.
const scCopyPortion = 65531

// scPgxCopying is a running COPY on PostgreSQL. It sends rows while the next rows are being
// encoded.
type scPgxCopying struct {
	portions, empty chan []byte
	// portion has the bytes that the driver is reading. at is the number of these bytes that it has
	// read so far.
	portion []byte
	at      int

	aborted chan struct{}
	done    chan struct{}
	// n is the number of copied rows, and err the error of the COPY. They are valid when the
	// channel done is closed.
	n   int64
	err error
}

func scStartCopying(ctx context.Context, conn *pgconn.PgConn, sql string) *scPgxCopying {
	c := &scPgxCopying{portions: make(chan []byte, 2), empty: make(chan []byte, 4), aborted: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		tag, err := conn.CopyFrom(ctx, c, sql)
		c.n, c.err = tag.RowsAffected(), err
	}()
	return c
}

// send passes a portion of bytes on to the driver, and returns an empty buffer for the next
// portion. It returns false if the server has ended the COPY.
func (c *scPgxCopying) send(portion []byte) ([]byte, bool) {
	select {
	case c.portions <- portion:
	case <-c.done:
		return nil, false
	}
	select {
	case empty := <-c.empty:
		return empty[:0], true
	default:
		return make([]byte, 0, scCopyPortion+4096), true
	}
}

// finish sends the last portion of bytes and waits for the end of the COPY. It returns the number
// of copied rows.
func (c *scPgxCopying) finish(portion []byte, binary bool) (int64, error) {
	if binary {
		portion = append(portion, 255, 255)
	}
	c.send(portion)
	close(c.portions)
	return c.wait()
}

func (c *scPgxCopying) wait() (int64, error) {
	<-c.done
	return c.n, c.err
}

// abort ends the COPY so that the server drops all rows that it received. It does nothing if the
// COPY has ended already.
func (c *scPgxCopying) abort() {
	select {
	case <-c.aborted:
	default:
		close(c.aborted)
	}
	<-c.done
}

var errScAborted = errors.New("the rows ended with an error")

// Read implements io.Reader. The driver calls it to get the bytes that it sends to the server.
func (c *scPgxCopying) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if c.at == len(c.portion) {
			ok, err := c.next(n == 0)
			if err != nil || !ok {
				return n, err
			}
		}
		copied := copy(p[n:], c.portion[c.at:])
		n, c.at = n+copied, c.at+copied
	}
	return n, nil
}

// next makes the next portion of bytes the current one. If there is no next portion yet, next waits
// for it if the argument wait is true, and otherwise returns false.
func (c *scPgxCopying) next(wait bool) (ok bool, err error) {
	if c.portion != nil {
		select {
		case c.empty <- c.portion:
		default:
		}
		c.portion, c.at = nil, 0
	}
	open := true
	select {
	case c.portion, open = <-c.portions:
	default:
		if !wait {
			return false, nil
		}
		select {
		case c.portion, open = <-c.portions:
		case <-c.aborted:
			return false, errScAborted
		}
	}
	if !open {
		return false, io.EOF
	}
	return true, nil
}
