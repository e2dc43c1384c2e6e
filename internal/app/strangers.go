package app

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// opening follows the first bytes of a connection, up to the end of the first request's method, to
// tell HTTP from other protocols. Their clients would wait for an answer until the time for a
// request's head is over, and then see none.
type opening struct {
	read  int
	known bool // to be HTTP, or TLS where that is spoken
}

// longestMethod is from where on http.Server finds what is wrong.
const longestMethod = 32

// strange reports whether bytes that follow those seen so far cannot be those of a client of this
// server.
func (o *opening) strange(b []byte, secure bool) bool {
	for _, c := range b {
		letter := 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		switch {
		case o.known:
			return false
		case o.read == 0 && secure: // http.Server answers HTTP without TLS
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

// tlsHandshake is the first byte of TLS.
const tlsHandshake = 0x16

// Read reads from the connection. A client that speaks another protocol is told so, and the
// connection ends.
func (one *connection) Read(p []byte) (int, error) {
	n, err := one.Conn.Read(p)
	if n > 0 && !one.begin.known && one.begin.strange(p[:n], one.all.secure) {
		one.turnAway(p[:n])
		return 0, io.EOF
	}
	return n, err
}

// How long a client of another protocol may take to say what it wants, and to read the answer.
const (
	strangerTime = 3 * time.Second
	partingTime  = time.Second
)

// turnAway tells a client, of which some bytes were read, that this port is for HTTP, in the words
// of its own protocol where these are known. What it cannot be told, since it is gone or does not
// go on, it does not hear.
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
	// What a client still sends would reset the connection, and with it the answer that it has not
	// read.
	if half, ok := one.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = one.SetDeadline(time.Now().Add(partingTime))
	_, _ = io.CopyN(io.Discard, one.Conn, 1<<20)
}

// scheme is how URLs of this server begin.
func (one *connection) scheme() string {
	if one.all.secure {
		return "https://" + one.LocalAddr().String()
	}
	return "http://" + one.LocalAddr().String()
}

// sayHTTP answers as http.Server answers what it does not understand. Clients of other protocols
// show some of it, and many know what it means.
func (one *connection) sayHTTP(text string) {
	_, _ = fmt.Fprintf(one.Conn, "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s\n", len(text)+1, text)
}

// postgres answers a client of PostgreSQL's protocol, and reports whether it is one: that is all
// but certain once the first message, of which a length and a version are known, was read. Such
// clients ask first whether there is TLS, and another encryption.
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
				Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "0A000", // feature_not_supported
				Message: "this port speaks HTTP, not PostgreSQL's protocol",
				Hint:    fmt.Sprintf("Send SQL to %[1]s/api/v1/sql, or use: scoter sql --url %[1]s", one.scheme()),
			})
			_ = backend.Flush()
			return true
		default: // to cancel a query needs no answer
			return true
		}
	}
	return true
}
