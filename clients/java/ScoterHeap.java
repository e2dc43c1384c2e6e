package com.scoterdb.client;

import java.util.ArrayList;
import java.util.List;

/**
 * Native memory for long texts, which DuckDB reads together with their chunk. The memory is reused
 * for the next chunk and freed at the end.
 */
final class ScoterHeap {
    private static final long BLOCK_BYTES = 1 << 18;

    private record Block(long address, long size) {}

    private final List<Block> blocks = new ArrayList<>();
    /** The index of the block that is being filled. The blocks after it are empty. */
    private int current = -1;

    private long next;
    private long end;

    /** Discards the texts of the last chunk. */
    void clear() {
        current = -1;
        next = end = 0;
    }

    /**
     * Returns the address of at least {@code bytes} free bytes. They stay free until {@link #take}
     * is called.
     */
    long reserve(long bytes) {
        while (end - next < bytes) {
            current++;
            if (current == blocks.size()) {
                long size = Math.max(BLOCK_BYTES, bytes);
                blocks.add(new Block(ScoterDuckDbNative.allocate(size), size));
            }
            next = blocks.get(current).address();
            end = next + blocks.get(current).size();
        }
        return next;
    }

    /** Marks the first {@code bytes} reserved bytes as used. */
    void take(int bytes) {
        next += bytes;
    }

    void free() {
        for (Block block : blocks) {
            ScoterDuckDbNative.free(block.address());
        }
        blocks.clear();
        clear();
    }

    /**
     * Writes a text as UTF-8, which takes at most three bytes per char. Returns the number of
     * bytes.
     */
    static int utf8(String text, long address) {
        long at = address;
        int length = text.length();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                ScoterNative.BYTE.set(at++, (byte) c);
            } else if (c < 0x800) {
                ScoterNative.BYTE.set(at++, (byte) (0xc0 | c >> 6));
                ScoterNative.BYTE.set(at++, (byte) (0x80 | c & 0x3f));
            } else if (!Character.isSurrogate(c)) {
                ScoterNative.BYTE.set(at++, (byte) (0xe0 | c >> 12));
                ScoterNative.BYTE.set(at++, (byte) (0x80 | c >> 6 & 0x3f));
                ScoterNative.BYTE.set(at++, (byte) (0x80 | c & 0x3f));
            } else {
                int point = text.codePointAt(i++);
                if (point < 0x10000) {
                    throw ScoterText.half();
                }
                ScoterNative.BYTE.set(at++, (byte) (0xf0 | point >> 18));
                ScoterNative.BYTE.set(at++, (byte) (0x80 | point >> 12 & 0x3f));
                ScoterNative.BYTE.set(at++, (byte) (0x80 | point >> 6 & 0x3f));
                ScoterNative.BYTE.set(at++, (byte) (0x80 | point & 0x3f));
            }
        }
        return (int) (at - address);
    }
}
