-- MIGRATE 1
CREATE TABLE customers (
  id BIGINT PRIMARY KEY,
  name TEXT NOT NULL,
  address JSONB
);
CREATE TABLE orders (
  id UUID PRIMARY KEY,
  customer_id BIGINT NOT NULL REFERENCES customers,
  total NUMERIC(12, 2) NOT NULL,
  ordered_at TIMESTAMPTZ NOT NULL
);

-- What a customer has spent; nothing at all is null.
-- QUERY spent :one
@set customer_id = 1
SELECT c.name, sum(o.total) AS total, count(o.id) AS orders
FROM customers c
LEFT JOIN orders o ON o.customer_id = c.id
WHERE c.id = ${customer_id}
GROUP BY c.id;

-- QUERY find_customers
@set pattern = '%a%'
SELECT id, name, address FROM customers WHERE name LIKE ${pattern} OR name LIKE 'Z%' ORDER BY id;

-- QUERY big_orders
@set at_least = 100.00
SELECT o.id, o.total, o.ordered_at, c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.total >= ${at_least} ORDER BY o.total DESC, o.id;

-- WRITE customers insert|upsert key(id)

-- WRITE orders insert|update|delete key(id)
