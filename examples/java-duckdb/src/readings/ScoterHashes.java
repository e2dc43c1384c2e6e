package readings;

/** A set of 64-bit hashes with open addressing. */
final class ScoterHashes {
    private static final int MAX = 1 << 30;

    /** The value that is stored for the hash 0, because 0 marks an empty slot of the array. */
    private static final long ZERO = 0x9e3779b97f4a7c15L;

    private final int quarters;
    private long[] places;
    private int count;

    /**
     * {@code places} is the initial capacity, a power of two. The set doubles its capacity when
     * {@code quarters} quarters of it are used.
     */
    ScoterHashes(int places, int quarters) {
        this.places = new long[places];
        this.quarters = quarters;
    }

    /** Returns whether the set cannot take more hashes. */
    boolean isFull() {
        return count == MAX / 4 * quarters;
    }

    /** Adds a hash. Returns whether it is new. */
    boolean add(long hash) {
        if (!put(places, hash == 0 ? ZERO : hash)) {
            return false;
        }
        if (++count > places.length / 4 * quarters) {
            grow();
        }
        return true;
    }

    private static boolean put(long[] table, long hash) {
        int mask = table.length - 1;
        for (int at = (int) hash & mask; ; at = at + 1 & mask) {
            if (table[at] == 0) {
                table[at] = hash;
                return true;
            }
            if (table[at] == hash) {
                return false;
            }
        }
    }

    private void grow() {
        long[] larger = new long[2 * places.length];
        for (long hash : places) {
            if (hash != 0) {
                put(larger, hash);
            }
        }
        places = larger;
    }

    /** The finalizer of MurmurHash3. */
    static long mix(long h) {
        h = (h ^ h >>> 33) * 0xff51afd7ed558ccdL;
        h = (h ^ h >>> 33) * 0xc4ceb9fe1a85ec53L;
        return h ^ h >>> 33;
    }
}
