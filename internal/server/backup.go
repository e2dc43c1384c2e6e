package server

import (
	"net/http"
	"time"

	"github.com/scoterdb/scoter/internal/backup"
)

// backup sends a copy of the data directory as it is now, as an archive. After an error it cuts the
// connection, so that no client mistakes what it received for a whole backup. Restoring such an
// archive fails too.
func (s *Server) backup(w http.ResponseWriter, r *http.Request, _ caller) error {
	image, err := s.store.Image(r.Context())
	if err != nil {
		return err
	}
	defer image.Close() // the error of closing is ignored, since the files were only read
	w.Header().Set("Content-Type", backup.ContentType)
	client := &patient{Writer: w, connection: http.NewResponseController(w), pause: pause}
	defer client.done()
	if err := backup.Write(r.Context(), image, time.Now(), client); err != nil {
		s.log.Error("backup broken off", "request_id", w.Header().Get(requestIDHeader), "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// pause is how long a client of a backup may receive nothing before the connection is cut. A client
// that writes to a slow disk may stop for a while. Until the backup ends, files that merges have
// replaced stay on disk.
const pause = 5 * time.Minute
