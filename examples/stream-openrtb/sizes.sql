-- Sizes of banners, from the nested requests.
SELECT f.w || 'x' || f.h AS size, count(*) AS n FROM (SELECT unnest(i.banner.format) AS f FROM (SELECT unnest(imp) AS i FROM bid_requests)) GROUP BY size ORDER BY n DESC, size
