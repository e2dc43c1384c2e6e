package server

import (
	"io"
	"net/http"
	"time"
)

// patient is an answer that ends when its client takes nothing for a pause, and at a time, if there is one: a write to who reads nothing heeds no
// context. A connection without deadlines, as in tests of handlers, waits for the client.
type patient struct {
	io.Writer
	connection *http.ResponseController
	pause      time.Duration
	until      time.Time
}

// patientBytes is what a client has to take within a pause.
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

// done lets the connection be used for other requests.
func (p *patient) done() { _ = p.connection.SetWriteDeadline(time.Time{}) }
