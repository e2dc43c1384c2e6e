package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/scoterdb/scoter/internal/gen/analyze/postgres"
)

// Postgres is the embedded PostgreSQL with a TCP port that forwards to its socket, because JDBC
// supports only TCP. It ends with the test.
type Postgres struct {
	server *postgres.Server
	listen net.Listener
	wait   sync.WaitGroup
}

// StartPostgres starts an embedded PostgreSQL. The test is skipped if that is not possible.
func StartPostgres(t testing.TB) *Postgres {
	server, err := postgres.StartServer(context.Background())
	if err != nil {
		t.Skip("no PostgreSQL:", err)
	}
	p := &Postgres{server: server}
	t.Cleanup(p.close)
	if p.listen, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	config, err := pgx.ParseConfig(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port))
	p.wait.Go(func() {
		for {
			client, err := p.listen.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			p.wait.Go(func() { join(t, client, socket) })
		}
	})
	return p
}

// join copies data in both directions until one side ends.
func join(t testing.TB, client net.Conn, socket string) {
	defer client.Close()
	server, err := net.Dial("unix", socket)
	if err != nil {
		t.Error(err)
		return
	}
	go func() {
		_, _ = io.Copy(server, client) // ends with the connection
		server.Close()
	}()
	_, _ = io.Copy(client, server)
}

func (p *Postgres) close() {
	if p.listen != nil {
		p.listen.Close()
	}
	_ = p.server.Close() // the server is removed in any case
	p.wait.Wait()
}

// URL returns the URL of the initial database, by socket.
func (p *Postgres) URL() string { return p.server.URL() }

// Env returns the environment variables with which libpq's drivers find the server, by TCP.
func (p *Postgres) Env() []string {
	a := p.listen.Addr().(*net.TCPAddr)
	return []string{"PGHOST=" + a.IP.String(), "PGPORT=" + strconv.Itoa(a.Port), "PGUSER=postgres", "PGPASSWORD="}
}

// Create creates an empty database and returns its URL.
func (p *Postgres) Create(t testing.TB, name string) string {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, p.server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("//%s/%s", p.listen.Addr(), name)
}
