package app

import (
	"errors"
	"net"
	"os"
)

// notify tells systemd the state of the service, READY=1 or STOPPING=1, as sd_notify does. It does
// nothing if systemd did not start the process, or for a unit of another type.
func notify(state string) (err error) {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	// A path that begins with @ is an abstract socket, for systemd as for Go.
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	_, err = conn.Write([]byte(state))
	return err
}
