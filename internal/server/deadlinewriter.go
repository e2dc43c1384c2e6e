package server

import (
	"io"
	"net/http"
	"time"
)

// deadlineWriter writes a response. A write fails if the client receives nothing for idleTimeout.
// If the field until is set, a write also fails if it has not ended at that time. (Canceling a
// context does not end a write to a client that reads nothing.) If a connection does not support
// deadlines, as in tests of handlers, a write waits without limit.
type deadlineWriter struct {
	io.Writer
	connection  *http.ResponseController
	idleTimeout time.Duration
	until       time.Time
}

// deadlineBytes is the number of bytes of a response that a client has to receive within
// idleTimeout.
const deadlineBytes = 64 << 10

func (p *deadlineWriter) Write(b []byte) (n int, err error) {
	for err == nil && n < len(b) {
		deadline := time.Now().Add(p.idleTimeout)
		if !p.until.IsZero() && p.until.Before(deadline) {
			deadline = p.until
		}
		_ = p.connection.SetWriteDeadline(deadline)
		var written int
		written, err = p.Writer.Write(b[n:min(len(b), n+deadlineBytes)])
		n += written
	}
	return n, err
}

// done removes the write deadline, so that the connection can be used for other requests.
func (p *deadlineWriter) done() { _ = p.connection.SetWriteDeadline(time.Time{}) }
