package http

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/scoterdb/scoter/tests/binary"
)

// quickly is the time limit for the response to a client of another protocol. Without special
// handling the connection would be cut after ten seconds.
const quickly = 5 * time.Second

func TestOtherProtocolsAreToldSoAtOnce(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	address := strings.TrimPrefix(s.URL, "http://")
	kafka := "\x00\x00\x00\x1a\x00\x12\x00\x03\x00\x00\x00\x01\x00\x06client\x00\x05name\x041.0\x00"
	for name, c := range map[string]struct{ sent, answer string }{
		"TLS":                    {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "HTTP/1.1 400 "},
		"PostgreSQL, encryption": {"\x00\x00\x00\x08\x04\xd2\x16\x30", "N"},
		"Redis":                  {"*1\r\n$4\r\nPING\r\n", "-ERR "},
		"Kafka":                  {kafka, "HTTP/1.1 400 "},
		"SSH":                    {"SSH-2.0-OpenSSH_9.6\r\n", "HTTP/1.1 400 "},
		"AMQP":                   {"AMQP\x00\x00\x09\x01", "HTTP/1.1 400 "},
		"MQTT":                   {"\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00", "HTTP/1.1 400 "},
		"MongoDB":                {"\x3a\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xd4\x07\x00\x00", "HTTP/1.1 400 "},
		"ClickHouse":             {"\x00\x11ClickHouse client\x18\x0a", "HTTP/1.1 400 "},
		"noise":                  {"\xff\xfe\xfd", "HTTP/1.1 400 "},
	} {
		start := time.Now()
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(start.Add(30 * time.Second))
		if _, err := conn.Write([]byte(c.sent)); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, len(c.answer))
		_, err = io.ReadFull(conn, answer)
		if took := time.Since(start); string(answer) != c.answer || took > quickly {
			t.Errorf("%s: answered %q (%v) after %s", name, answer, err, took)
		}
		if name == "PostgreSQL, encryption" { // the client then continues without encryption
			conn.Close()
			continue
		}
		if _, err := io.Copy(io.Discard, conn); err != nil || time.Since(start) > quickly {
			t.Errorf("%s: the connection ends with %v after %s", name, err, time.Since(start))
		}
		conn.Close()
	}
	sql(t, s, "SELECT 1").must(t, 200)
}

// TestRealClientsOfOtherProtocolsShowWhatIsWrong checks the messages that users of these clients
// see.
func TestRealClientsOfOtherProtocolsShowWhatIsWrong(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	address := strings.TrimPrefix(s.URL, "http://")
	for _, mode := range []string{"disable", "prefer"} {
		ctx, cancel := context.WithTimeout(context.Background(), quickly)
		_, err := pgx.Connect(ctx, "postgres://somebody:secret@"+address+"/default?sslmode="+mode)
		cancel()
		refused := new(pgconn.PgError)
		if !errors.As(err, &refused) || refused.Severity != "FATAL" || !strings.Contains(refused.Message, "HTTP") || !strings.Contains(refused.Hint, s.URL+"/api/v1/sql") {
			t.Errorf("sslmode=%s: %v", mode, err)
		}
	}
	start := time.Now()
	_, err := http.Get("https://" + address + "/healthz")
	if err == nil || !strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") || time.Since(start) > quickly {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}

// TestSlowClientsOfHTTPAreNotTakenForOthers sends a request byte by byte.
func TestSlowClientsOfHTTPAreNotTakenForOthers(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, c := range []byte("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") {
		if _, err := conn.Write([]byte{c}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 OK") {
		t.Errorf("%s %v", answer, err)
	}
}

func TestSQLAtTheRootIsToldWhereItGoes(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for _, a := range []answer{
		send(t, s, "GET", "/?query=SELECT%201", ""), send(t, s, "POST", "/", "SELECT 1"), send(t, s, "POST", "/?database=default&query=INSERT", "1"),
	} {
		var document struct{ Error problem }
		if err := json.Unmarshal([]byte(a.body), &document); err != nil || a.status != 400 && a.status != 405 || !strings.Contains(document.Error.Hint, "/api/v1/sql") {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	send(t, s, "GET", "/", "").must(t, 200)
}
