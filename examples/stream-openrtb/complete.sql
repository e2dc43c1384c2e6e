-- Every request is there once, and so are its places.
SELECT count(*) AS requests, count(DISTINCT id) AS different, sum(len(imp))::BIGINT = (SELECT count(*) FROM imps) AS complete FROM bid_requests
