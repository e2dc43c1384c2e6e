package server

import (
	"crypto/tls"
	"net"
	"net/http"
)

// abortOnPanic makes a client notice that a response is incomplete because its handler panicked.
// The handler must call it with defer. After the panic net/http closes the connection, which
// clients of HTTP/1.1 and 2 recognize as an error. In HTTP/1.0, which some proxies speak, a close
// is the normal end of a response, so abortOnPanic resets the connection.
func abortOnPanic(w http.ResponseWriter, r *http.Request) {
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
	// The listener wraps each connection to count it, so the wrapper's Close must be called.
	inner := conn
	if counted, ok := inner.(interface{ NetConn() net.Conn }); ok {
		inner = counted.NetConn()
	}
	if tcp, ok := inner.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it fails only if the connection is already closed
	}
	_ = conn.Close()
}
