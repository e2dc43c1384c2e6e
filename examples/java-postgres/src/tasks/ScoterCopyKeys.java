package tasks;

/**
 * Tells whether any two rows may have the same key, by a hash of the key's bytes: 8 to 16 bytes of
 * memory per row. Two keys with one hash are taken for the same.
 */
final class ScoterCopyKeys {
    /** Null once two keys are the same, or are to be taken for it. */
    private ScoterHashes seen = new ScoterHashes(1024, 3);

    void add(long hash) {
        // Where there are too many, the server looks for itself.
        if (seen != null && (seen.isFull() || !seen.add(hash))) {
            found();
        }
    }

    /** Two keys are the same, or are to be taken for it. */
    void found() {
        seen = null;
    }

    boolean repeated() {
        return seen == null;
    }
}
