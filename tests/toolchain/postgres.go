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
// supports only TCP.
type Postgres struct {
	server *postgres.Server
	listen net.Listener
	wait   sync.WaitGroup
}

// StartPostgres starts an embedded PostgreSQL, which ends with the test. The test is skipped if
// that is not possible.
func StartPostgres(t testing.TB) *Postgres {
	p, err := OpenPostgres()
	if err != nil {
		t.Skip("no PostgreSQL:", err)
	}
	t.Cleanup(p.Close)
	return p
}

// OpenPostgres starts an embedded PostgreSQL for several tests. The caller closes it.
func OpenPostgres() (*Postgres, error) {
	server, err := postgres.StartServer(context.Background())
	if err != nil {
		return nil, err
	}
	p := &Postgres{server: server}
	if p.listen, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, errors.Join(err, server.Close())
	}
	config, err := pgx.ParseConfig(server.URL())
	if err != nil {
		p.Close()
		return nil, err
	}
	socket := filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port))
	p.wait.Go(func() {
		for {
			client, err := p.listen.Accept()
			if err != nil {
				return // closed
			}
			p.wait.Go(func() { join(client, socket) })
		}
	})
	return p, nil
}

// join copies data in both directions until one side ends. If the server cannot be reached, the
// client's connection ends, which is an error in the client.
func join(client net.Conn, socket string) {
	defer client.Close()
	server, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(server, client) // ends with the connection
		server.Close()
	}()
	_, _ = io.Copy(client, server)
}

// Close stops the server and removes its data.
func (p *Postgres) Close() {
	p.listen.Close()
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
