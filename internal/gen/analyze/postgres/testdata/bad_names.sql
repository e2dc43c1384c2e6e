-- MIGRATE 1
CREATE TABLE users (id int PRIMARY KEY, name text);
CREATE SCHEMA app;
CREATE TABLE app.users (id int);

-- QUERY get_user
SELECT id FROM users;

-- QUERY getUser
SELECT id FROM users;

-- QUERY get_user
SELECT id FROM users;

-- QUERY get_user_stream
SELECT id FROM users;

-- QUERY r1 :result=R
SELECT id FROM users;

-- QUERY r2 :result=R
SELECT name FROM users;

-- TABLE users :appender

-- TABLE app.users :appender
