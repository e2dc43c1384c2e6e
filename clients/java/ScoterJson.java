package com.scoterdb.client;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Converts values to and from Scoter's JSON. */
final class ScoterJson {
    private final String text;
    private int at;

    private ScoterJson(String text) {
        this.text = text;
    }

    /**
     * Parses JSON. Objects become maps in the order of the text, arrays become lists. An integer
     * that fits becomes {@code Long}, any other number {@code BigDecimal}.
     */
    static Object parse(String text) throws SQLException {
        ScoterJson json = new ScoterJson(text);
        try {
            Object value = json.value();
            json.space();
            if (json.at == text.length()) {
                return value;
            }
        } catch (StringIndexOutOfBoundsException | NumberFormatException e) {
            // The text ends in the middle of a value.
        }
        throw new SQLException("the answer ends or is not JSON at character " + json.at + ": "
                + text.substring(0, Math.min(200, text.length())));
    }

    private void space() {
        while (at < text.length() && text.charAt(at) <= ' ') {
            at++;
        }
    }

    private Object value() {
        space();
        switch (text.charAt(at)) {
            case '{' -> {
                Map<String, Object> map = new LinkedHashMap<>();
                for (char c = next('}'); c != '}'; c = separator('}')) {
                    String key = string();
                    space();
                    expect(':');
                    map.put(key, value());
                }
                return map;
            }
            case '[' -> {
                List<Object> list = new ArrayList<>();
                for (char c = next(']'); c != ']'; c = separator(']')) {
                    list.add(value());
                }
                return list;
            }
            case '"' -> {
                return string();
            }
            case 't' -> {
                return word("true", true);
            }
            case 'f' -> {
                return word("false", false);
            }
            case 'n' -> {
                return word("null", null);
            }
            default -> {
                return number();
            }
        }
    }

    private void expect(char c) {
        if (text.charAt(at++) != c) {
            throw new NumberFormatException();
        }
    }

    /**
     * Enters an object or list and returns the next character. If the object or list is empty,
     * skips its end character {@code end} and returns that.
     */
    private char next(char end) {
        at++;
        space();
        char c = text.charAt(at);
        if (c == end) {
            at++;
        }
        return c;
    }

    /**
     * Skips the separator after an element and the space after the separator. Returns the
     * separator, which is {@code end} at the end of the object or list.
     */
    private char separator(char end) {
        space();
        char c = text.charAt(at++);
        if (c != ',' && c != end) {
            throw new NumberFormatException();
        }
        space();
        return c;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw new NumberFormatException();
        }
        at += word.length();
        return value;
    }

    private Object number() {
        int from = at;
        boolean whole = true;
        for (; at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0; at++) {
            whole &= ".eE".indexOf(text.charAt(at)) < 0;
        }
        String digits = text.substring(from, at);
        return whole && digits.length() < 19 ? (Object) Long.valueOf(digits) : new BigDecimal(digits);
    }

    private String string() {
        expect('"');
        int end = at;
        while (text.charAt(end) != '"' && text.charAt(end) != '\\') {
            end++;
        }
        if (text.charAt(end) == '"') {
            String plain = text.substring(at, end);
            at = end + 1;
            return plain;
        }
        StringBuilder b = new StringBuilder();
        for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
            if (c != '\\') {
                b.append(c);
                continue;
            }
            c = text.charAt(at++);
            switch (c) {
                case 'b' -> b.append('\b');
                case 'f' -> b.append('\f');
                case 'n' -> b.append('\n');
                case 'r' -> b.append('\r');
                case 't' -> b.append('\t');
                case 'u' -> {
                    b.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                    at += 4;
                }
                default -> b.append(c);
            }
        }
        return b.toString();
    }

    private static final Pattern DURATION = Pattern.compile("([+-]?[\\d.]+)([YMWDHS])");

    /** Converts a parsed value to a value of a type. */
    @SuppressWarnings("unchecked")
    static <T> T read(ScoterTypes.Type<T> type, Object raw) throws SQLException {
        if (raw == null) {
            return null;
        }
        Object value;
        switch (type.kind) {
            // Bytes are hexadecimal, or base64 inside a list.
            case BLOB ->
                value = raw.toString().startsWith("\\x")
                        ? HexFormat.of().parseHex(raw.toString().substring(2))
                        : Base64.getDecoder().decode(raw.toString());
            case INTERVAL -> value = interval(raw.toString());
            case LIST -> {
                ScoterTypes.Type<?> elem = ((ScoterNested.ListType<?>) type).elem;
                List<Object> list = new ArrayList<>();
                for (Object item : (List<?>) raw) {
                    list.add(read(elem, item));
                }
                value = Collections.unmodifiableList(list);
            }
            case MAP -> {
                var map = (ScoterNested.MapType<?, ?>) type;
                Map<Object, Object> entries = new LinkedHashMap<>();
                // A map is an object, or a list of key and value if the keys are not text.
                Collection<?> pairs = raw instanceof Map<?, ?> m ? m.entrySet() : (List<?>) raw;
                for (Object pair : pairs) {
                    boolean entry = pair instanceof Map.Entry<?, ?>;
                    Object k = entry ? ((Map.Entry<?, ?>) pair).getKey() : ((Map<?, ?>) pair).get("key");
                    Object v = entry ? ((Map.Entry<?, ?>) pair).getValue() : ((Map<?, ?>) pair).get("value");
                    entries.put(read(map.key, k), read(map.value, v));
                }
                value = Collections.unmodifiableMap(entries);
            }
            case STRUCT -> {
                var struct = (ScoterNested.StructType<?>) type;
                Object[] fields = ((Map<?, ?>) raw).values().toArray();
                for (int i = 0; i < fields.length; i++) {
                    fields[i] = read(struct.types[i], fields[i]);
                }
                value = struct.make.apply(fields);
            }
            default -> {
                return type.parse(raw);
            }
        }
        return (T) value;
    }

    /** Parses an interval: ISO 8601 inside a list, the database's text otherwise. */
    private static ScoterInterval interval(String text) {
        if (!text.startsWith("P") && !text.startsWith("-P")) {
            return ScoterTimes.interval(text);
        }
        int clock = text.indexOf('T') < 0 ? text.length() : text.indexOf('T');
        int months = 0;
        int days = 0;
        BigDecimal seconds = BigDecimal.ZERO;
        Matcher part = DURATION.matcher(text);
        while (part.find()) {
            BigDecimal n = new BigDecimal(part.group(1));
            switch (part.group(2)) {
                case "Y" -> months += n.intValueExact() * 12;
                case "W" -> days += n.intValueExact() * 7;
                case "D" -> days += n.intValueExact();
                case "H" -> seconds = seconds.add(n.multiply(BigDecimal.valueOf(3600)));
                case "S" -> seconds = seconds.add(n);
                default -> {
                    if (part.start() < clock) {
                        months += n.intValueExact();
                    } else {
                        seconds = seconds.add(n.multiply(BigDecimal.valueOf(60)));
                    }
                }
            }
        }
        return new ScoterInterval(months, days, seconds.movePointRight(6).longValue());
    }

    /**
     * Writes a value as part of a JSON document. The column's type determines how the server reads
     * text.
     */
    @SuppressWarnings("unchecked")
    static void write(StringBuilder b, ScoterTypes.Type<?> type, Object value) {
        if (value == null) {
            b.append("null");
            return;
        }
        switch (type.kind) {
            case BOOL, INT8, INT16, INT32, INT64, INT128, UINT8, UINT16, UINT32, UINT64, UINT128 -> b.append(value);
            case FLOAT32, FLOAT64 -> {
                if (Double.isFinite(((Number) value).doubleValue())) {
                    b.append(value);
                } else {
                    ScoterText.quoteJson(b, value.toString());
                }
            }
            case BLOB -> {
                b.append('"');
                for (byte v : (byte[]) value) {
                    b.append("\\\\x").append(HexFormat.of().withUpperCase().toHexDigits(v));
                }
                b.append('"');
            }
            case LIST -> {
                ScoterTypes.Type<?> elem = ((ScoterNested.ListType<?>) type).elem;
                char separator = '[';
                for (Object item : (List<?>) value) {
                    b.append(separator);
                    separator = ',';
                    write(b, elem, item);
                }
                b.append(separator == '[' ? "[]" : "]");
            }
            case MAP -> {
                var map = (ScoterNested.MapType<?, ?>) type;
                char separator = '{';
                for (Map.Entry<?, ?> e : ((Map<?, ?>) value).entrySet()) {
                    ScoterText.quoteJson(b.append(separator), text(map.key, e.getKey()));
                    separator = ',';
                    write(b.append(':'), map.value, e.getValue());
                }
                b.append(separator == '{' ? "{}" : "}");
            }
            case STRUCT -> {
                var struct = (ScoterNested.StructType<Object>) type;
                Object[] fields = struct.fields.apply(value);
                for (int i = 0; i < fields.length; i++) {
                    ScoterText.quoteJson(b.append(i == 0 ? '{' : ','), struct.names[i]);
                    write(b.append(':'), struct.types[i], fields[i]);
                }
                b.append('}');
            }
            case ANY -> {
                if (value instanceof Number || value instanceof Boolean) {
                    b.append(value);
                } else {
                    ScoterText.quoteJson(b, value.toString());
                }
            }
            default -> ScoterText.quoteJson(b, text(type, value));
        }
    }

    /**
     * Returns a value's text for DuckDB. DuckDB accepts a minus before a year, but neither a plus
     * nor the BC of PostgreSQL's text.
     */
    @SuppressWarnings("unchecked")
    private static String text(ScoterTypes.Type<?> type, Object value) {
        return switch (type.kind) {
            case DATE, TIMESTAMP, TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP_NS, TIMESTAMPTZ -> {
                String iso = ScoterTimes.iso(value);
                yield iso.startsWith("+") ? iso.substring(1) : iso;
            }
            default -> ((ScoterTypes.Type<Object>) type).text(value);
        };
    }

    /**
     * Writes a parameter. A 64-bit number, text, a boolean or null is written as it is. A nested
     * value is written as a string that contains JSON.
     */
    static void bind(StringBuilder b, ScoterTypes.Type<?> type, Object value) {
        StringBuilder inner = new StringBuilder();
        write(inner, type, value);
        switch (type.kind) {
            case LIST, MAP, STRUCT, INT128, UINT64, UINT128 -> {
                if (value != null) {
                    ScoterText.quoteJson(b, inner.toString());
                    return;
                }
            }
            default -> {}
        }
        b.append(inner);
    }
}
