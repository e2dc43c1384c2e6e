-- MIGRATE 1
CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT
);
CREATE TABLE posts (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users,
  title TEXT NOT NULL,
  published BOOLEAN NOT NULL DEFAULT FALSE
);

-- EXEC add_post :batch
@set user_id = 1
@set title = 'Hello'
@set published = true
INSERT INTO posts (user_id, title, published) VALUES (${user_id}, ${title}, ${published});

-- Every user with their posts; the title is null for those who have none.
-- QUERY users_with_posts
SELECT u.id, u.name, p.title, p.published
FROM users u
LEFT JOIN posts p ON p.user_id = u.id
ORDER BY u.id, p.id;

-- QUERY get_user :one
@set id = 1
SELECT id, name, email FROM users WHERE id = ${id};

-- QUERY names :pluck
@set ids = (1, 2, 3)
SELECT name FROM users WHERE id IN (${ids}) ORDER BY id;

-- WRITE users insert|upsert|delete key(id)
