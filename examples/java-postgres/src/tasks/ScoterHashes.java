package tasks;

/** A set of hashes by open addressing. */
final class ScoterHashes {
    private static final int MAX = 1 << 30;

    /** What 0 is kept as, which is an empty place. */
    private static final long ZERO = 0x9e3779b97f4a7c15L;

    private final int quarters;
    private long[] places;
    private int count;

    /**
     * With so many places at first, a power of two, of which so many quarters are used before there
     * are twice as many.
     */
    ScoterHashes(int places, int quarters) {
        this.places = new long[places];
        this.quarters = quarters;
    }

    /** Whether it can take no more. */
    boolean isFull() {
        return count == MAX / 4 * quarters;
    }

    /** Adds a hash; returns whether it was not there. */
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
