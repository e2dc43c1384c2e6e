package app

import (
	"errors"
	"net"
	"os"
)

// notify tells systemd the state of the service, as sd_notify does: READY=1 or STOPPING=1. Without systemd, or for a unit of another type, it does nothing.
func notify(state string) (err error) {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"}) // Go takes a leading @ for an abstract socket, as systemd means it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	_, err = conn.Write([]byte(state))
	return err
}
