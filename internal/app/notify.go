package app

import (
	"errors"
	"net"
	"os"
)

// notify reports the service's state to systemd, as sd_notify does: READY=1 or STOPPING=1. It does
// nothing without systemd, or for a unit of another type.
func notify(state string) (err error) {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	// like systemd, Go uses an abstract socket for a leading @
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	_, err = conn.Write([]byte(state))
	return err
}
