package app

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

const (
	// unlimited is the number of file descriptors that is assumed if the system sets no limit.
	unlimited = 1 << 15
	// mostConnections is the maximum number of connections, whatever the limit of file descriptors
	// is. It limits the memory of connections.
	mostConnections = 10_000
)

// maxConnections returns the maximum number of open connections of this process. It is half of the
// process's file descriptors; the other half is for files.
func maxConnections() int { return max(1, min(descriptors()/2, mostConnections)) }

// connections is a listener that limits the number of open connections. At the limit it closes the
// connection that has been idle for the longest time. (Clients expect this, because servers also
// close connections that are idle for too long.) If no connection is idle, the next one waits until
// another one closes.
//
// netutil.LimitListener would only let connections wait. So a client that opens idle connections
// could block all other clients.
type connections struct {
	net.Listener
	limit  int
	secure bool // whether connections use TLS

	mu sync.Mutex
	// less is signaled when a connection closes or becomes idle, and when the listener is closed.
	// Its lock is mu.
	less *sync.Cond
	open map[*connection]bool // set of all open connections; guarded by mu
	// idle has elements of type *connection. The connection that is idle the longest is first. It
	// is guarded by mu.
	idle list.List
	end  bool // whether the listener is closed; guarded by mu
}

func limitConnections(l net.Listener, limit int, secure bool) *connections {
	c := &connections{Listener: l, limit: limit, secure: secure, open: map[*connection]bool{}}
	c.less = sync.NewCond(&c.mu)
	return c
}

// connection is an open connection of the listener.
type connection struct {
	net.Conn
	all *connections
	// place is the element of this connection in the listener's list of idle connections. It is nil
	// if the connection is not idle. It is guarded by the listener's mu.
	place *list.Element
	begin opening // state of the check of the first bytes that the client sends
}

// NetConn returns the underlying connection, for callers that need methods that net.Conn does not
// have.
func (one *connection) NetConn() net.Conn { return one.Conn }

// Accept returns the next connection. At the limit of open connections it waits.
func (c *connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	one := &connection{Conn: conn, all: c}
	for {
		victim, ok := c.admit(one)
		if ok {
			return one, nil
		}
		if victim == nil {
			_ = conn.Close() // closed here, because no other code has this connection
			return nil, net.ErrClosed
		}
		_ = victim.Close() // the error does not matter: the connection is not counted any more
	}
}

// admit counts a new connection if the limit allows it. At the limit there are two cases:
//   - A connection is idle. admit returns it as victim, and the caller must close it before it
//     calls admit again.
//   - No connection is idle. admit waits.
//
// If the listener is closed, admit returns nil and false.
func (c *connections) admit(one *connection) (victim *connection, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case c.end:
			return nil, false
		case len(c.open) < c.limit:
			c.open[one] = true
			one.place = c.idle.PushBack(one)
			return nil, true
		case c.idle.Len() > 0:
			return c.idle.Front().Value.(*connection), false
		}
		c.less.Wait()
	}
}

// Close stops the listener. Open connections stay open.
func (c *connections) Close() error {
	c.mu.Lock()
	c.end = true
	c.less.Broadcast()
	c.mu.Unlock()
	return c.Listener.Close()
}

// closeIdle closes all connections without a running request. It also closes connections that have
// not sent anything yet, because http.Server would wait for them at a shutdown.
func (c *connections) closeIdle() {
	c.mu.Lock()
	var idle []*connection
	for e := c.idle.Front(); e != nil; e = e.Next() {
		idle = append(idle, e.Value.(*connection))
	}
	c.mu.Unlock()
	for _, one := range idle {
		_ = one.Close() // the error does not matter, since no client waits for a response
	}
}

// Close closes the connection, so that the listener can accept another one.
func (one *connection) Close() error {
	one.all.mu.Lock()
	delete(one.all.open, one)
	one.all.notIdleLocked(one)
	one.all.less.Signal()
	one.all.mu.Unlock()
	return one.Conn.Close()
}

func (c *connections) notIdleLocked(one *connection) {
	if one.place != nil {
		c.idle.Remove(one.place)
		one.place = nil
	}
}

// The method state notes whether a connection is idle. http.Server calls it as its function
// ConnState.
func (c *connections) state(conn net.Conn, state http.ConnState) {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	one, ok := conn.(*connection)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.open[one] || state == http.StateNew {
		return // a new connection is already in the list of idle connections
	}
	c.notIdleLocked(one)
	if state == http.StateIdle {
		one.place = c.idle.PushBack(one)
		c.less.Signal()
	}
}
