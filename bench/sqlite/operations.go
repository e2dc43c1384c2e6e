package sqlite

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	// This SQLite driver creates the database of the benchmark.
	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/scoterdb/scoter/internal/base"
)

const (
	userCount     = 10_000
	postsPerUser  = 50
	postCount     = userCount * postsPerUser
	ordersPerUser = 20
	bulkRows      = 5000
)

// The rows of the database are in this file twice: as the SQL that creates them, and as Go code
// from which the expected results are computed. No two posts have the same time in seconds, so that
// every sort order is unambiguous.
const rowsSQL = `
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d)
INSERT INTO users SELECT i, 'User ' || i, 'user' || i || '@example.com', 18 + i %% 60, datetime(%[4]d + i, 'unixepoch') FROM n;
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %[2]d)
INSERT INTO posts SELECT i, (i - 1) / %[5]d + 1, 'Post ' || i, 'What number ' || i || ' has to say, at some length and not very much of it, as people do.', i * 7919 %% 1000, i %% 10 < 7,
  datetime(%[4]d + i * 7919 %% %[2]d, 'unixepoch') FROM n;
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %[3]d)
INSERT INTO orders SELECT i, (i - 1) / %[6]d + 1, strftime('%%Y-%%m-%%d %%H:%%M:%%f', %[4]d + i + 0.25, 'unixepoch'), i %% 3 <> 0, i %% 100 / 4.0,
  CASE WHEN i %% 4 > 0 THEN i %% 8 / 2.0 END, CASE WHEN i %% 5 > 0 THEN 'note ' || i END FROM n;
ANALYZE;`

const epoch = 1735689600

func moment(seconds int, layout string) string {
	return time.Unix(epoch+int64(seconds), 0).Add(250 * time.Millisecond).UTC().Format(layout)
}

func user(id int) []any {
	return []any{id, fmt.Sprintf("User %d", id), fmt.Sprintf("user%d@example.com", id), 18 + id%60, moment(id, time.DateTime)}
}

func post(id int) []any {
	published := 0
	if id%10 < 7 {
		published = 1
	}
	return []any{id, (id-1)/postsPerUser + 1, fmt.Sprintf("Post %d", id),
		fmt.Sprintf("What number %d has to say, at some length and not very much of it, as people do.", id), id * 7919 % 1000, published,
		moment(id*7919%postCount, time.DateTime)}
}

func order(id int) []any {
	row := []any{id, moment(id, "2006-01-02 15:04:05.000"), id%3 != 0, float64(id%100) / 4, nil, nil}
	if id%4 > 0 {
		row[4] = float64(id%8) / 2
	}
	if id%5 > 0 {
		row[5] = fmt.Sprintf("note %d", id)
	}
	return row
}

// fill creates the SQLite database at path, with the rows of the benchmark.
func fill(path string) error {
	text, err := files.ReadFile("queries.sql")
	if err != nil {
		return base.Errorf(base.Internal, "queries: %w", err)
	}
	_, schema, _ := strings.Cut(string(text), "-- MIGRATE 1")
	schema, _, _ = strings.Cut(schema, "-- QUERY")
	db, err := sql.Open("sqlite3", "file:"+path+"?_pragma=journal_mode(off)&_pragma=synchronous(off)")
	if err != nil {
		return base.Errorf(base.Internal, "make the database: %w", err)
	}
	defer db.Close()
	if _, err := db.Exec(schema + fmt.Sprintf(rowsSQL, userCount, postCount, userCount*ordersPerUser, epoch, postsPerUser, ordersPerUser)); err != nil {
		return base.Errorf(base.Internal, "make the database: %w", err)
	}
	return nil
}

// operation is one operation that the benchmark program of every SQLite driver implements, such as
// a query. The arguments of its calls are in typescript/operations.ts, in the list named calls.
type operation struct {
	name string
	// want returns the expected result of call i. size is the number of rows in the result, or the
	// result itself if it is a number.
	want func(i int) any
	size int
	// checked is the number of calls whose results are checked before each measurement.
	checked int
	// most is the maximum number of calls in a slice, a sequence of calls that is measured as one.
	// undo is an SQL statement that is run after each slice.
	most int
	undo string
	// written checks the database after the calls with the numbers in [from, to). It returns an
	// error if something that these calls wrote is missing.
	written func(p *program, from, to int) error
}

func userID(i int) int { return i*7919%userCount + 1 }
func postID(i int) int { return i*7919%postCount + 1 }

func rowsOf(n int, row func(int) []any) (rows []any) {
	for i := range n {
		rows = append(rows, row(i))
	}
	return rows
}

// published are the rows that one of the operations must return: the newest 100 published posts,
// with the names of their authors.
var published = func() (rows []any) {
	for id := 1; id <= postCount; id++ {
		if id%10 < 7 {
			rows = append(rows, id)
		}
	}
	slices.SortFunc(rows, func(a, b any) int { return cmp.Compare(b.(int)*7919%postCount, a.(int)*7919%postCount) })
	for i, id := range rows[:100] {
		p := post(id.(int))
		rows[i] = []any{p[0], p[2], p[4], p[6], user(p[1].(int))[1]}
	}
	return rows[:100]
}

const newUsers = "FROM users WHERE name = 'new' AND age = 30 AND created_at = '2025-06-01 00:00:00'"

var operations = []operation{
	{name: "getAllUsers", size: userCount, checked: 1, want: func(int) any { return rowsOf(userCount, func(i int) []any { return user(i + 1) }) }},
	{name: "getUserById", size: 1, checked: 200, want: func(i int) any { return user(userID(i)) }},
	{name: "getUserByEmail", size: 1, checked: 200, want: func(i int) any { return user(userID(i)) }},
	{name: "getUsersByIds", size: 20, checked: 50, want: func(i int) any {
		rows := rowsOf(20, func(k int) []any { return user(userID(20*i + k)) })
		slices.SortFunc(rows, func(a, b any) int { return cmp.Compare(a.([]any)[0].(int), b.([]any)[0].(int)) })
		return rows
	}},
	{name: "countUsers", size: userCount, checked: 1, want: func(int) any { return userCount }},
	{name: "getPostsByUser", size: postsPerUser, checked: 50, want: func(i int) any {
		return rowsOf(postsPerUser, func(n int) []any { return post((userID(i)-1)*postsPerUser + n + 1) })
	}},
	{name: "getPublishedPosts", size: 100, checked: 1, want: func(int) any { return published() }},
	{name: "getPostWithAuthor", size: 1, checked: 200, want: func(i int) any {
		p := post(postID(i))
		u := user(p[1].(int))
		return []any{p[0], p[2], p[3], p[4], u[0], u[1], u[2]}
	}},
	{name: "countPostsByUser", size: postsPerUser, checked: 200, want: func(int) any { return postsPerUser }},
	{name: "getOrders", size: ordersPerUser, checked: 50, want: func(i int) any {
		return rowsOf(ordersPerUser, func(n int) []any { return order((userID(i)-1)*ordersPerUser + n + 1) })
	}},
	{name: "postsFrom", size: 1000, checked: 2, want: func(i int) any {
		return rowsOf(1000, func(n int) []any {
			p := post(max(1, postID(i)%(postCount-1000)) + n)
			return []any{p[0], p[2], p[4]}
		})
	}},
	{name: "insertUser", size: 1, checked: 1, want: func(int) any { return 1 }, written: func(p *program, from, to int) error {
		if err := p.is(to-from, "SELECT count(DISTINCT email) "+newUsers); err != nil {
			return err
		}
		if _, err := p.ask("execute", fmt.Sprintf("DELETE FROM users WHERE id > %d", userCount)); err != nil {
			return err
		}
		return p.is(userCount, "SELECT count(*) FROM users")
	}},
	{name: "updatePostViews", size: 1, checked: 1, want: func(int) any { return 1 }, written: func(p *program, from, to int) error {
		if err := p.is(to-from, "SELECT sum(views) - sum(id * 7919 % 1000) FROM posts"); err != nil {
			return err
		}
		_, err := p.ask("execute", "UPDATE posts SET views = id * 7919 % 1000")
		return err
	}},
	{name: "insertAllUsers", size: bulkRows, checked: 1, most: 1, undo: fmt.Sprintf("DELETE FROM users WHERE id > %d", userCount),
		want: func(int) any { return bulkRows }},
}

// The method is returns an error if the result of an SQL query is not the number want.
func (p *program) is(want int, statement string) error {
	a, err := p.ask("value", statement)
	if err == nil && fmt.Sprint(a.Value) != fmt.Sprint(float64(want)) {
		return base.Errorf(base.Internal, "%s gives %v, not %d", statement, a.Value, want)
	}
	return err
}

// bulkIsThere is a query that counts the users that the operation insertAllUsers has inserted with
// the right values.
const bulkIsThere = "SELECT count(*) FROM users WHERE id >= 1000000 AND name = 'bulk ' || (id - 1000000) AND" +
	" email = 'bulk' || (id - 1000000) || '@example.com' AND age = (id - 1000000) % 90 AND created_at = '2025-06-01 00:00:00'"

// turn measures an operation once, with hand-written and with generated code. Before the
// measurement it checks the results of both, and afterwards the rows that they wrote.
func (o *Options) turn(p *program, op *operation) (answer, error) {
	from := p.next
	for _, side := range sides {
		a, err := p.ask("check", op.name, side, p.next, op.checked)
		if err != nil {
			return a, err
		}
		for i, got := range a.Results {
			if want := decoded(op.want(p.next + i)); !reflect.DeepEqual(got, want) {
				return a, base.Errorf(base.Internal, "%s: call %d gives %.300v, not %.300v", side, p.next+i, got, want)
			}
		}
		p.next += op.checked
		if op.undo != "" {
			if err := p.is(bulkRows, bulkIsThere); err != nil {
				return a, err
			}
			if _, err := p.ask("execute", op.undo); err != nil {
				return a, err
			}
		}
	}
	most := op.most
	if most == 0 {
		most = 4000
	}
	a, err := p.ask("turn", op.name, o.Millis, most, p.next, op.undo)
	if err != nil {
		return a, err
	}
	if got, want := a.Sums["hand"]+a.Sums["generated"], (a.Next-p.next)*op.size; got != want {
		return a, base.Errorf(base.Internal, "%d calls gave %d, not %d", a.Next-p.next, got, want)
	}
	p.next = a.Next
	if op.written != nil {
		err = op.written(p, from, p.next)
	}
	return a, err
}

// decoded converts a value to the types that JSON decoding returns, so that it can be compared with
// a decoded value.
func decoded(v any) (out any) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // cannot fail: v consists of numbers, texts and lists
	}
	return out
}
