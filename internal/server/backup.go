package server

import (
	"io"
	"net/http"
	"time"

	"github.com/scoterdb/scoter/internal/backup"
)

// backup sends the data directory as it is now. An error on the way cuts the connection, so that no client takes what came for
// a backup; neither does who restores it.
func (s *Server) backup(w http.ResponseWriter, r *http.Request, _ caller) error {
	image, err := s.store.Image(r.Context())
	if err != nil {
		return err
	}
	defer image.Close() // nothing was written
	w.Header().Set("Content-Type", backup.ContentType)
	client := &patient{w, http.NewResponseController(w)}
	defer client.done()
	if err := backup.Write(r.Context(), image, time.Now(), client); err != nil {
		s.log.Error("backup broken off", "request_id", w.Header().Get(requestIDHeader), "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// pause is how long a client may take nothing of a backup: what writes it to a slow place may stop for a while. Until it is over, files that merges
// replaced stay on disk.
const pause = 5 * time.Minute

// patient is an answer that ends when its client takes nothing for a pause. A connection without deadlines, as in tests of
// handlers, waits for the client.
type patient struct {
	io.Writer
	connection *http.ResponseController
}

func (p *patient) Write(b []byte) (int, error) {
	_ = p.connection.SetWriteDeadline(time.Now().Add(pause))
	return p.Writer.Write(b)
}

// done lets the connection be used for other requests.
func (p *patient) done() { _ = p.connection.SetWriteDeadline(time.Time{}) }
