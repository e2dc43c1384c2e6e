package app

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

const (
	// unlimited is what is taken for the limit of file descriptors where the system tells none.
	unlimited = 1 << 15
	// mostConnections bounds the memory that connections take, whatever the limit of descriptors is.
	mostConnections = 10_000
)

// maxConnections is how many connections are open at once: half of the file descriptors that the process may have; the others are for files.
func maxConnections() int { return max(1, min(descriptors()/2, mostConnections)) }

// connections is a listener with a bound on open connections. Beyond it the connection that has been idle for the longest time is closed, as
// servers close those that are idle for too long; if none is idle, the next one waits until another ends.
//
// netutil.LimitListener only waits: a client that opens idle connections would then keep all others out.
type connections struct {
	net.Listener
	limit  int
	secure bool // they speak TLS

	mu   sync.Mutex
	less *sync.Cond           // with mu: there is one less, or one more is idle, or the listener is closed
	open map[*connection]bool // guarded by mu
	idle list.List            // of *connection, guarded by mu; longest idle first
	end  bool                 // guarded by mu
}

func limitConnections(l net.Listener, limit int, secure bool) *connections {
	c := &connections{Listener: l, limit: limit, secure: secure, open: map[*connection]bool{}}
	c.less = sync.NewCond(&c.mu)
	return c
}

// connection is one of them.
type connection struct {
	net.Conn
	all   *connections
	place *list.Element // in all.idle, guarded by all.mu; nil: it is not idle
	begin opening       // of its reader
}

// NetConn returns the connection of the listener, for who needs what only that can.
func (one *connection) NetConn() net.Conn { return one.Conn }

// Accept returns the next connection once there is room for it.
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
			_ = conn.Close() // nobody has seen it
			return nil, net.ErrClosed
		}
		_ = victim.Close() // whatever it says: it is not counted any more
	}
}

// admit counts a connection, if there is room, or returns an idle one to close for it; neither: the listener is closed. It waits for one of these.
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

// Close stops listening.
func (c *connections) Close() error {
	c.mu.Lock()
	c.end = true
	c.less.Broadcast()
	c.mu.Unlock()
	return c.Listener.Close()
}

// closeIdle closes the connections that have no request under way, those that have sent nothing yet
// among them: http.Server would wait for these.
func (c *connections) closeIdle() {
	c.mu.Lock()
	var idle []*connection
	for e := c.idle.Front(); e != nil; e = e.Next() {
		idle = append(idle, e.Value.(*connection))
	}
	c.mu.Unlock()
	for _, one := range idle {
		_ = one.Close() // whatever it says: nobody waits for an answer
	}
}

// Close closes the connection, and makes room for another.
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

// state is http.Server.ConnState.
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
		return // it counts as idle since it was accepted: it has asked for nothing yet
	}
	c.notIdleLocked(one)
	if state == http.StateIdle {
		one.place = c.idle.PushBack(one)
		c.less.Signal()
	}
}
