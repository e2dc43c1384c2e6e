package server

import (
	"crypto/tls"
	"net"
	"net/http"
)

// cutOff must be deferred. If the handler panics, its response is incomplete, and the client must
// see that. net/http closes the connection, which clients of HTTP/1.1 and 2 recognize as an error.
// In HTTP/1.0, which some proxies speak, a close is the normal end of a response, so the connection
// is reset.
func cutOff(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if !r.ProtoAtLeast(1, 1) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			reset(conn)
		}
	}
	panic(p)
}

// reset closes a connection with a TCP reset.
func reset(conn net.Conn) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	inner := conn // the listener wraps connections to count them, so Close is called on the wrapper
	if counted, ok := inner.(interface{ NetConn() net.Conn }); ok {
		inner = counted.NetConn()
	}
	if tcp, ok := inner.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it fails only if the connection is already closed
	}
	_ = conn.Close()
}
