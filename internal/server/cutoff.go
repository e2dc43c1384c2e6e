package server

import (
	"crypto/tls"
	"net"
	"net/http"
)

// cutOff is deferred. If the handler panics, its answer is not whole, and its client must see that. net/http ends the connection, which says so to clients of
// HTTP/1.1 and 2. To those of HTTP/1.0, as some proxies are, that is how an answer ends: so their connection is reset.
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

// reset ends a connection as one that failed.
func reset(conn net.Conn) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	inner := conn // the listener wraps connections to count them, and counts a Close
	if counted, ok := inner.(interface{ NetConn() net.Conn }); ok {
		inner = counted.NetConn()
	}
	if tcp, ok := inner.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // fails if there is no connection any more
	}
	_ = conn.Close()
}
