package readings;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads and writes the text of PostgreSQL's arrays and composite values, JSON strings, and UTF-8.
 */
final class ScoterText {
    private final String text;
    private int at;

    private ScoterText(String text) {
        this.text = text;
    }

    /**
     * Parses an array such as {@code [1:2]={a,"b c",NULL,{d}}} into a list of text, null and lists.
     */
    static List<Object> array(String text) {
        ScoterText t = new ScoterText(text);
        if (text.startsWith("[")) {
            t.at = text.indexOf('=') + 1;
        }
        return t.items();
    }

    private List<Object> items() {
        List<Object> items = new ArrayList<>();
        at++;
        while (text.charAt(at) != '}') {
            items.add(item());
            if (text.charAt(at) == ',') {
                at++;
            }
        }
        at++;
        return items;
    }

    private Object item() {
        char first = text.charAt(at);
        if (first == '{') {
            return items();
        }
        StringBuilder b = new StringBuilder();
        if (first == '"') {
            for (at++; text.charAt(at) != '"'; at++) {
                if (text.charAt(at) == '\\') {
                    at++;
                }
                b.append(text.charAt(at));
            }
            at++;
            return b.toString();
        }
        while (text.charAt(at) != ',' && text.charAt(at) != '}') {
            b.append(text.charAt(at++));
        }
        return b.toString().equals("NULL") ? null : b.toString();
    }

    /** Parses a composite value such as {@code (a,"b ""c""",)} into text and null. */
    static Object[] fields(String text) {
        List<Object> values = new ArrayList<>();
        int at = 1;
        while (true) {
            StringBuilder b = null;
            while (text.charAt(at) != ',' && text.charAt(at) != ')') {
                b = b == null ? new StringBuilder() : b;
                if (text.charAt(at) != '"') {
                    if (text.charAt(at) == '\\') {
                        at++;
                    }
                    b.append(text.charAt(at++));
                    continue;
                }
                for (at++; text.charAt(at) != '"' || text.charAt(at + 1) == '"'; at++) {
                    if (text.charAt(at) == '"' || text.charAt(at) == '\\') {
                        at++;
                    }
                    b.append(text.charAt(at));
                }
                at++;
            }
            values.add(b == null ? null : b.toString());
            if (text.charAt(at++) == ')') {
                return values.toArray();
            }
        }
    }

    /**
     * Returns the text unchanged if UTF-8 can encode it. Throws if it contains half of a surrogate
     * pair, which drivers would replace by a question mark.
     */
    static String whole(String text) {
        for (int i = 0, length = text.length(); i < length; i++) {
            if (Character.isSurrogate(text.charAt(i)) && text.codePointAt(i++) < 0x10000) {
                throw half();
            }
        }
        return text;
    }

    static IllegalArgumentException half() {
        return new IllegalArgumentException("has half of a surrogate pair, which is no character");
    }

    /**
     * Writes the characters from the index {@code from} on as UTF-8, at most three bytes each.
     * Returns the position after the last byte.
     */
    static int utf8(String text, int from, byte[] to, int at) {
        int length = text.length();
        for (int i = from; i < length; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                to[at++] = (byte) c;
            } else if (c < 0x800) {
                to[at++] = (byte) (0xc0 | c >> 6);
                to[at++] = (byte) (0x80 | c & 0x3f);
            } else if (!Character.isSurrogate(c)) {
                to[at++] = (byte) (0xe0 | c >> 12);
                to[at++] = (byte) (0x80 | c >> 6 & 0x3f);
                to[at++] = (byte) (0x80 | c & 0x3f);
            } else {
                int point = text.codePointAt(i++);
                if (point < 0x10000) {
                    throw half();
                }
                to[at++] = (byte) (0xf0 | point >> 18);
                to[at++] = (byte) (0x80 | point >> 12 & 0x3f);
                to[at++] = (byte) (0x80 | point >> 6 & 0x3f);
                to[at++] = (byte) (0x80 | point & 0x3f);
            }
        }
        return at;
    }

    static void quoteItem(StringBuilder b, String item) {
        b.append('"');
        for (int i = 0; i < item.length(); i++) {
            char c = item.charAt(i);
            if (c == '"' || c == '\\') {
                b.append('\\');
            }
            b.append(c);
        }
        b.append('"');
    }

    static void quoteField(StringBuilder b, String field) {
        b.append('"');
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '"' || c == '\\') {
                b.append(c);
            }
            b.append(c);
        }
        b.append('"');
    }

    static void quoteJson(StringBuilder b, String s) {
        b.append('"');
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == '"' || c == '\\') {
                b.append('\\').append(c);
            } else if (c < 0x20) {
                b.append(String.format("\\u%04x", (int) c));
            } else {
                b.append(c);
            }
        }
        b.append('"');
    }
}
