-- MIGRATE 1
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    age INTEGER NOT NULL,
    created_at TEXT NOT NULL
);
CREATE TABLE posts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users(id),
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    views INTEGER NOT NULL,
    published INTEGER NOT NULL,
    created_at TEXT NOT NULL
);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users(id),
    placed TIMESTAMP NOT NULL,
    paid BOOLEAN NOT NULL,
    weight REAL NOT NULL,
    discount REAL,
    note TEXT
);
CREATE INDEX posts_user ON posts(user_id);
CREATE INDEX posts_published ON posts(published);
CREATE INDEX orders_user ON orders(user_id);

-- QUERY get_all_users
SELECT id, name, email, age, created_at FROM users;

-- QUERY get_user_by_id :one
@set id = 1
SELECT id, name, email, age, created_at FROM users WHERE id = ${id};

-- QUERY get_user_by_email :one
@set email = 'user1@example.com'
SELECT id, name, email, age, created_at FROM users WHERE email = ${email};

-- QUERY count_users :one :pluck
SELECT count(*) AS users FROM users;

-- QUERY get_posts_by_user
@set user_id = 1
SELECT id, user_id, title, content, views, published, created_at FROM posts WHERE user_id = ${user_id};

-- QUERY get_published_posts
SELECT p.id, p.title, p.views, p.created_at, u.name AS author
FROM posts p JOIN users u ON u.id = p.user_id
WHERE p.published = 1 ORDER BY p.created_at DESC LIMIT 100;

-- QUERY get_post_with_author :one
@set id = 1
SELECT p.id, p.title, p.content, p.views, u.id AS author_id, u.name AS author, u.email AS author_email
FROM posts p JOIN users u ON u.id = p.user_id
WHERE p.id = ${id};

-- QUERY count_posts_by_user :one :pluck
@set user_id = 1
SELECT count(*) AS posts FROM posts WHERE user_id = ${user_id};

-- EXEC insert_user
@set name = 'Ada'
@set email = 'ada@example.com'
@set age = 36
@set created_at = '2025-01-01 00:00:00'
INSERT INTO users (name, email, age, created_at) VALUES (${name}, ${email}, ${age}, ${created_at});

-- EXEC update_post_views
@set id = 1
UPDATE posts SET views = views + 1 WHERE id = ${id};

-- QUERY get_orders
@set user_id = 1
SELECT id, placed, paid, weight, discount, note FROM orders WHERE user_id = ${user_id};

-- QUERY get_users_by_ids
@set ids = (1, 2)
SELECT id, name, email, age, created_at FROM users WHERE id IN (${ids});

-- QUERY posts_from
@set id = 1
SELECT id, title, views FROM posts WHERE id >= ${id} ORDER BY id LIMIT 1000;

-- WRITE users insert
