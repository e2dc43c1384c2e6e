-- MIGRATE createUsersTable
CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    email TEXT UNIQUE NOT NULL,
    created_at TEXT DEFAULT '2026-01-01'
);

-- MIGRATE createPostsTable
CREATE TABLE IF NOT EXISTS posts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users(id),
    title TEXT NOT NULL,
    published INTEGER DEFAULT 0
);

-- TESTDATA insertTestUser
INSERT INTO users (name, email) VALUES ('Test User', 'test@example.com');

-- EXEC insertUser
@set name = 'John'
@set email = 'john@example.com'
INSERT INTO users (name, email) VALUES (${name}, ${email});

-- EXEC insertPost
@set userId = 1
@set title = 'Test Title'
@set published = 0
INSERT INTO posts (user_id, title, published) VALUES (${userId}, ${title}, ${published});

-- QUERY getUserByEmail :one
@set email = 'test@example.com'
SELECT id, name, email, created_at FROM users WHERE email = ${email};

-- QUERY getPublishedPosts
@set limit = 100
SELECT p.id, p.title, u.name as author_name
FROM posts p
JOIN users u ON p.user_id = u.id
WHERE p.published = 1
ORDER BY p.id DESC limit ${limit};

-- QUERY countUserPosts :one :pluck
@set userId = 1
SELECT COUNT(*) FROM posts WHERE user_id = ${userId};
