package tasks;

/**
 * Detects whether two rows may have the same key. It compares hashes of the keys' bytes and needs 8
 * to 16 bytes of memory per row. Two keys with the same hash count as equal.
 */
final class ScoterCopyKeys {
    /** The hashes so far. Null once two keys count as equal. */
    private ScoterHashes seen = new ScoterHashes(1024, 3);

    void add(long hash) {
        // If there are too many keys, the server has to deduplicate the rows.
        if (seen != null && (seen.isFull() || !seen.add(hash))) {
            found();
        }
    }

    /** Records that two keys count as equal. */
    void found() {
        seen = null;
    }

    boolean repeated() {
        return seen == null;
    }
}
