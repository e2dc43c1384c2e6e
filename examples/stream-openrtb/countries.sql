-- The countries with the dearest places.
SELECT country, count(*) AS places, round(avg(bidfloor), 2) AS floor FROM imps GROUP BY country ORDER BY floor DESC LIMIT 3
