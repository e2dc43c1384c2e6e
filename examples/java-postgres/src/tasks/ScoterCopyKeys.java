package tasks;

/**
 * Tells whether any two rows may have the same key, by a hash of the key's bytes: 8 to 16 bytes of
 * memory per row. Two keys with one hash are taken for the same.
 */
final class ScoterCopyKeys {
    private static final int MAX = 1 << 30;

    /** Hashes by open addressing; 0 is an empty place. */
    private long[] seen = new long[1024];

    private int count;
    private boolean repeated;

    void add(long hash) {
        if (repeated) {
            return;
        }
        if (!put(seen, hash == 0 ? 1 : hash)) {
            found();
        } else if (++count > seen.length / 4 * 3) {
            grow();
        }
    }

    /** Two keys are the same, or are to be taken for it. */
    void found() {
        repeated = true;
        seen = null;
    }

    boolean repeated() {
        return repeated;
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
        if (seen.length == MAX) {
            found(); // the server looks for itself
            return;
        }
        long[] larger = new long[2 * seen.length];
        for (long hash : seen) {
            if (hash != 0) {
                put(larger, hash);
            }
        }
        seen = larger;
    }
}
