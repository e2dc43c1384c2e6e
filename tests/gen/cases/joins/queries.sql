-- MIGRATE 1
CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL, "class" TEXT);
CREATE TABLE books (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL, title TEXT NOT NULL, price DOUBLE PRECISION);

-- EXEC add_author :batch
@set id = 1
@set name = 'x'
@set class = null
INSERT INTO authors (id, name, "class") VALUES (${id}, ${name}, ${class});

-- EXEC add_book
@set id = 1
@set author = 1
@set title = 'it''s'
@set price = null
INSERT INTO books (id, author_id, title, price) VALUES (${id}, ${author}, ${title}, ${price});

-- QUERY authors_with_books
-- Every author, with a book or without.
SELECT a.id, a.name, a."class", b.title, b.price FROM authors a LEFT JOIN books b ON b.author_id = a.id ORDER BY a.id, b.id;

-- QUERY right_join
SELECT a.name, b.title FROM authors a RIGHT JOIN books b ON b.author_id = a.id ORDER BY b.id;

-- QUERY full_join
SELECT a.name, b.title FROM authors a FULL JOIN books b ON b.author_id = a.id ORDER BY a.id NULLS LAST, b.id;

-- QUERY left_of_subquery
SELECT a.id, s.n FROM authors a LEFT JOIN (SELECT author_id, count(*) AS n FROM books GROUP BY author_id) s ON s.author_id = a.id ORDER BY a.id;

-- QUERY scalar_subquery
SELECT a.id, (SELECT title FROM books b WHERE b.author_id = a.id AND b.id = 11) AS found FROM authors a ORDER BY a.id;

-- QUERY latest :one :pluck
SELECT max(price) AS latest FROM books WHERE id < 0;

-- QUERY previous
SELECT id, lag(title) OVER (ORDER BY id) AS previous FROM books ORDER BY id;

-- QUERY count_books :one :pluck
SELECT count(*) AS n FROM books;

-- QUERY by_ids
@set ids = (1, 2)
@set name = null
SELECT id FROM authors WHERE id IN ${ids} AND (${name} IS NULL OR name = ${name}) ORDER BY id;

-- QUERY titles_like :pluck
@set part = 'x'
SELECT title FROM books WHERE title LIKE '%' || ${part} || '%' AND title LIKE '%s%' ORDER BY id;

-- QUERY add_returning :one
@set id = 1
@set name = 'n'
INSERT INTO authors (id, name) VALUES (${id}, ${name}) RETURNING id, name, "class";
