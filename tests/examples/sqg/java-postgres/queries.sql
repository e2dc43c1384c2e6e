-- MIGRATE 1
CREATE TYPE task_status AS ENUM ('pending', 'active', 'completed', 'cancelled');
CREATE TABLE tasks (
    id SERIAL PRIMARY KEY,
    title TEXT NOT NULL,
    status task_status DEFAULT 'pending',
    tags TEXT[],
    priority_scores INTEGER[],
    created_at TIMESTAMPTZ NOT NULL DEFAULT '2026-01-01T12:00:00Z'
);

-- TABLE tasks :appender

-- EXEC add_task
@set title = 'Write'
@set tags = '{urgent,backend}'
@set scores = '{10,20}'
INSERT INTO tasks (title, tags, priority_scores) VALUES (${title}, ${tags}, ${scores});

-- EXEC add_unnest
@set titles = '{a,b}'
@set tag_literals = '{"{x,y}"}'
INSERT INTO tasks (title, tags)
SELECT t, l::text[] FROM unnest(${titles}::text[], ${tag_literals}::text[]) AS n(t, l);

-- EXEC set_status
@set status = 'active'
@set id = 1
UPDATE tasks SET status = ${status}::task_status WHERE id = ${id};

-- QUERY get_tasks_by_status
@set status = 'active'
SELECT id, title, status FROM tasks WHERE status = ${status}::task_status ORDER BY id;

-- QUERY get_all_tasks
SELECT id, title, status, tags, priority_scores, created_at FROM tasks ORDER BY id;
