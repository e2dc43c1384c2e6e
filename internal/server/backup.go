package server

import (
	"net/http"
	"time"

	"github.com/scoterdb/scoter/internal/backup"
)

// backup sends an archive with a copy of the data directory as it is now. After an error it cuts
// the connection, so that no client takes an incomplete archive for a whole backup. A restore of an
// incomplete archive fails too.
func (s *Server) backup(w http.ResponseWriter, r *http.Request, _ caller) error {
	image, err := s.store.Image(r.Context())
	if err != nil {
		return err
	}
	defer image.Close() // the error of closing is ignored, since the files were only read
	w.Header().Set("Content-Type", backup.ContentType)
	client := &deadlineWriter{Writer: w, connection: http.NewResponseController(w), idleTimeout: pause}
	defer client.done()
	if err := backup.Write(r.Context(), image, time.Now(), client); err != nil {
		s.log.Error("backup failed before its end", "request_id", w.Header().Get(requestIDHeader), "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// pause is the time after which the connection is cut if the client of a backup receives nothing.
// It is long, because a client that writes to a slow disk can stop reading for a while. It is
// limited, because files that merges have replaced stay on disk until the backup ends.
const pause = 5 * time.Minute
