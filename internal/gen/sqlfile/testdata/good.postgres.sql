-- BASELINE ext :source=prod
CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT 2; END;
CREATE FUNCTION overlap(begin date, fin date) RETURNS int LANGUAGE sql AS $$ SELECT 1; $$;
CREATE FUNCTION spans(OUT begin date, OUT "end" date) LANGUAGE sql BEGIN ATOMIC SELECT now(), now(); SELECT now(), now(); END;
CREATE FUNCTION g() RETURNS text AS $body$ SELECT 'a;b' ; $body$ LANGUAGE sql;

-- BASELINE prod_orders :source=prod
SELECT 1

-- QUERY quotes
@set body = E'a\'b'
@set at = now()
SELECT $tag$it's ${other} $$ $tag$, E'\'', U&"d\0061t" , "a""b", /* nested /* one */ ${at} */ '(\d+)?'
FROM t WHERE a ? 'b' AND b ?| array['x'] AND c = ${body}::text AND d < ${at};

-- WRITE "App"."My Table" insert|upsert key(id)
