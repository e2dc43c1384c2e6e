-- MIGRATE 1
CREATE TABLE users (id int PRIMARY KEY);
CREATE TABLE posts (id int, x txet);

-- QUERY never_seen
SELECT nothing FROM posts;
