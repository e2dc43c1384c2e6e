package app

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// opening checks the first bytes of a connection, up to the end of the first request's method. It
// detects clients that speak another protocol than HTTP. Without this check they would wait until
// the time limit for a request's header, and get no answer.
type opening struct {
	read  int
	known bool // whether the check has ended and found no other protocol
}

// longestMethod is the maximum number of bytes that are checked. If the HTTP method of a request is
// longer, http.Server detects the invalid input itself.
const longestMethod = 32

// The method strange reports whether b, the next bytes that the client sent, shows that the client
// speaks another protocol than HTTP (or TLS, if the argument secure says that the server uses TLS).
func (o *opening) strange(b []byte, secure bool) bool {
	for _, c := range b {
		letter := 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		switch {
		case o.known:
			return false
		case o.read == 0 && secure: // HTTP without TLS; http.Server itself answers it
			o.known = letter || c == tlsHandshake
			return !o.known
		case o.read == 0 && !letter, c < ' ', c >= 0x7f:
			return true
		}
		o.read++
		o.known = c == ' ' || o.read == longestMethod
	}
	return false
}

// tlsHandshake is the first byte that a TLS client sends.
const tlsHandshake = 0x16

// Read reads bytes that the client sent. If the client speaks another protocol, Read sends it an
// error and ends the connection.
func (one *connection) Read(p []byte) (int, error) {
	n, err := one.Conn.Read(p)
	if n > 0 && !one.begin.known && one.begin.strange(p[:n], one.all.secure) {
		one.turnAway(p[:n])
		return 0, io.EOF
	}
	return n, err
}

// Time limits for a client that speaks another protocol: strangerTime for sending its first
// message, and partingTime for reading the answer.
const (
	strangerTime = 3 * time.Second
	partingTime  = time.Second
)

// turnAway tells a client of another protocol that this port speaks HTTP. If the server knows the
// client's protocol, it answers in that protocol. The argument first has the bytes that were
// already read. Errors are ignored, because the client may have disconnected.
func (one *connection) turnAway(first []byte) {
	_ = one.SetDeadline(time.Now().Add(strangerTime))
	in := io.MultiReader(bytes.NewReader(bytes.Clone(first)), one.Conn)
	switch scheme := one.scheme(); {
	case first[0] == tlsHandshake:
		one.sayHTTP("this port speaks HTTP without TLS: use http://")
	case first[0] == '*':
		_, _ = fmt.Fprintf(one.Conn, "-ERR this port speaks HTTP, not Redis' protocol: send SQL to %s/api/v1/sql\r\n", scheme)
	case first[0] != 0 || !one.postgres(in):
		one.sayHTTP("this port speaks HTTP: send SQL to " + scheme + "/api/v1/sql")
	}
	// The rest that the client sends is read and dropped. Unread data would reset the connection,
	// and the client would lose the answer.
	if half, ok := one.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = one.SetDeadline(time.Now().Add(partingTime))
	_, _ = io.CopyN(io.Discard, one.Conn, 1<<20)
}

// scheme returns the scheme of this server's URLs, with "://".
func (one *connection) scheme() string {
	if one.all.secure {
		return "https://" + one.LocalAddr().String()
	}
	return "http://" + one.LocalAddr().String()
}

// sayHTTP sends an error as http.Server does for an invalid request. Clients of other protocols
// show a part of this error, and many users recognize it as HTTP.
func (one *connection) sayHTTP(text string) {
	_, _ = fmt.Fprintf(one.Conn, "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s\n", len(text)+1, text)
}

// postgres answers a client of PostgreSQL's protocol, and reports whether the client is one. Such a
// client may first ask for TLS and for GSS encryption, and is refused both. Its next message has a
// known length and version, so a mistake is very unlikely.
func (one *connection) postgres(in io.Reader) bool {
	backend := pgproto3.NewBackend(in, one.Conn)
	for range 3 {
		message, err := backend.ReceiveStartupMessage()
		if err != nil {
			return false
		}
		switch message.(type) {
		case *pgproto3.SSLRequest, *pgproto3.GSSEncRequest:
			_, _ = one.Conn.Write([]byte("N"))
		case *pgproto3.StartupMessage:
			backend.Send(&pgproto3.ErrorResponse{
				// feature_not_supported
				Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "0A000",
				Message: "this port speaks HTTP, not PostgreSQL's protocol",
				Hint:    fmt.Sprintf("Send SQL to %[1]s/api/v1/sql, or use: scoter sql --url %[1]s", one.scheme()),
			})
			_ = backend.Flush()
			return true
		default: // a request to cancel a query, which gets no answer
			return true
		}
	}
	return true
}
