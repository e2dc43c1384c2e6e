package server

import (
	"io"
	"net/http"
	"time"
)

// patient is a response that fails if the client takes no bytes for the time pause. It also fails
// at the time until, if that is set. Canceling a context does not end a write to a client that
// reads nothing. A connection that does not support deadlines, as in tests of handlers, waits for
// the client.
type patient struct {
	io.Writer
	connection *http.ResponseController
	pause      time.Duration
	until      time.Time
}

// patientBytes is the number of bytes that a client has to take within a pause.
const patientBytes = 64 << 10

func (p *patient) Write(b []byte) (n int, err error) {
	for err == nil && n < len(b) {
		deadline := time.Now().Add(p.pause)
		if !p.until.IsZero() && p.until.Before(deadline) {
			deadline = p.until
		}
		_ = p.connection.SetWriteDeadline(deadline)
		var written int
		written, err = p.Writer.Write(b[n:min(len(b), n+patientBytes)])
		n += written
	}
	return n, err
}

// done removes the deadline, so that the connection can be used for other requests.
func (p *patient) done() { _ = p.connection.SetWriteDeadline(time.Time{}) }
