package server

import (
	"io"
	"net/http"
	"time"
)

// patient writes a response, and fails if the client receives nothing for the time pause. It also
// fails at the time until, if that is set. (Canceling a context does not end a write to a client
// that reads nothing.) If a connection does not support deadlines, as in tests of handlers, patient
// waits without limit.
type patient struct {
	io.Writer
	connection *http.ResponseController
	pause      time.Duration
	until      time.Time
}

// patientBytes is the number of bytes of a response that a client has to receive within the time
// pause.
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

// done removes the write deadline, so that the connection can be used for other requests.
func (p *patient) done() { _ = p.connection.SetWriteDeadline(time.Time{}) }
