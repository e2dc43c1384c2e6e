-- WRITE kv insert|update|delete|upsert key(k)

-- WRITE two insert|update|delete|upsert key(a, b)

-- WRITE every insert|update|delete|upsert key(id)
