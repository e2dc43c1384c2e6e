package app

import (
	"net"

	"github.com/scoterdb/scoter/internal/base"
)

func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "listen on %s: %w", address, err).
			WithHint("another server may run there: choose an address with --listen")
	}
	return l, nil
}
