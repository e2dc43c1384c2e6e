package server

import (
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
	client := &patient{Writer: w, connection: http.NewResponseController(w), pause: pause}
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
