package com.scoterdb.client;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A growing buffer of bytes in PostgreSQL's binary COPY format, which is big-endian. */
final class ScoterCopyBuffer {
    /** The initial size in bytes: enough for a chunk and one more row. */
    static final int BYTES = 1 << 17;

    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    byte[] bytes = new byte[BYTES];
    /** The number of written bytes. */
    int size;

    /** Makes sure that {@code more} bytes fit. Call it before the methods that write numbers. */
    void reserve(int more) {
        if (bytes.length - size < more) {
            long wanted = Math.max(2L * bytes.length, (long) size + more);
            if (more < 0 || (long) size + more > Integer.MAX_VALUE - 16) {
                throw new IllegalArgumentException("makes a row of more than 2 GB");
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, Integer.MAX_VALUE - 16));
        }
    }

    /** Empties the buffer. Shrinks it if very large rows have made it grow. */
    void clear() {
        size = 0;
        if (bytes.length > 8 * BYTES) {
            bytes = new byte[BYTES];
        }
    }

    void int8(int value) {
        bytes[size++] = (byte) value;
    }

    void int16(int value) {
        SHORT.set(bytes, size, (short) value);
        size += 2;
    }

    void int32(int value) {
        INT.set(bytes, size, value);
        size += 4;
    }

    void int64(long value) {
        LONG.set(bytes, size, value);
        size += 8;
    }

    /**
     * Writes a length and a value of one, two or four bytes. The value is in the upper bytes of
     * {@code value}.
     */
    void small(int length, int value) {
        reserve(8);
        LONG.set(bytes, size, (long) length << 32 | value & 0xffff_ffffL);
        size += 4 + length;
    }

    /** Overwrites eight bytes at a position. */
    void int64At(int at, long value) {
        LONG.set(bytes, at, value);
    }

    int int32Of(int at) {
        return (int) INT.get(bytes, at);
    }

    /** Overwrites four bytes at a position. */
    void int32At(int at, int value) {
        INT.set(bytes, at, value);
    }

    /**
     * Begins a value whose length is not known yet. Leaves four bytes for the length and returns
     * the position at which the value begins.
     */
    int open() {
        reserve(4);
        size += 4;
        return size;
    }

    /** Ends the value that began at the position {@code began}, and writes its length before it. */
    void close(int began) {
        INT.set(bytes, began - 4, size - began);
    }

    void raw(byte[] value) {
        reserve(value.length);
        System.arraycopy(value, 0, bytes, size, value.length);
        size += value.length;
    }

    /** Writes a text's length in bytes and then its UTF-8. */
    void text(String text) {
        reserve(Math.addExact(4, Math.multiplyExact(3, text.length())));
        int began = size + 4;
        size = utf8(text, bytes, began);
        INT.set(bytes, began - 4, size - began);
    }

    /** Writes a text as UTF-8 without a length. */
    void utf8(String text) {
        reserve(Math.multiplyExact(3, text.length()));
        size = utf8(text, bytes, size);
    }

    /** Writes a text as UTF-8 at the position {@code at}. Returns the position of its end. */
    private static int utf8(String text, byte[] to, int at) {
        int ascii = ascii(text, to, at);
        return ascii == text.length() ? at + ascii : ScoterText.utf8(text, ascii, to, at + ascii);
    }

    /**
     * Writes characters as long as they are ASCII. Returns the number of written characters.
     *
     * <p>The last characters of a text are written together with some that were already written. So
     * texts of similar lengths take the same branches: a mispredicted branch costs as much as
     * writing eight characters.
     */
    private static int ascii(String text, byte[] to, int at) {
        int length = text.length();
        int i = 0;
        if (length >= 8) {
            for (; i + 8 <= length; i += 8) {
                if (!eight(text, i, to, at + i)) {
                    return i;
                }
            }
            return i == length || eight(text, length - 8, to, at + length - 8) ? length : i;
        }
        if (length >= 4) {
            return !four(text, 0, to, at) ? 0 : four(text, length - 4, to, at + length - 4) ? length : 4;
        }
        while (i < length && text.charAt(i) < 0x80) {
            to[at + i] = (byte) text.charAt(i++);
        }
        return i;
    }

    /** Writes four characters. Returns false if one of them is not ASCII. */
    private static boolean four(String text, int i, byte[] to, int at) {
        char a = text.charAt(i);
        char b = text.charAt(i + 1);
        char c = text.charAt(i + 2);
        char d = text.charAt(i + 3);
        if ((a | b | c | d) >= 0x80) {
            return false;
        }
        INT.set(to, at, a << 24 | b << 16 | c << 8 | d);
        return true;
    }

    /** Writes eight characters. Returns false if one of them is not ASCII. */
    private static boolean eight(String text, int i, byte[] to, int at) {
        char a = text.charAt(i);
        char b = text.charAt(i + 1);
        char c = text.charAt(i + 2);
        char d = text.charAt(i + 3);
        char e = text.charAt(i + 4);
        char f = text.charAt(i + 5);
        char g = text.charAt(i + 6);
        char h = text.charAt(i + 7);
        if ((a | b | c | d | e | f | g | h) >= 0x80) {
            return false;
        }
        LONG.set(to, at, (long) (a << 24 | b << 16 | c << 8 | d) << 32 | (e << 24 | f << 16 | g << 8 | h));
        return true;
    }

    /** Returns a hash of the bytes from {@code from} up to but not including {@code end}. */
    long hash(int from, int end) {
        long hash = end - from;
        int at = from;
        for (; at + 8 <= end; at += 8) {
            hash = ScoterHashes.mix(hash ^ (long) LONG.get(bytes, at));
        }
        long rest = 0;
        for (; at < end; at++) {
            rest = rest << 8 | bytes[at] & 0xff;
        }
        return ScoterHashes.mix(hash ^ rest);
    }
}
