-- WRITE readings insert|update|delete|upsert key(device, "at time")

-- QUERY readings_all
SELECT * FROM readings ORDER BY 1, 2;
