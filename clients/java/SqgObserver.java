package com.scoterdb.client;

/**
 * Receives each operation of the generated code, for tracing, timing or logging.
 *
 * <p>Costs nothing if no observer is given to the constructor.
 */
@FunctionalInterface
public interface SqgObserver {
    /**
     * Called before an operation.
     *
     * @param operation the name of the method
     * @return the scope whose {@code end} is called when the operation ends, or null to ignore it
     */
    Scope start(String operation);

    /** One running operation. */
    @FunctionalInterface
    interface Scope {
        /**
         * Called once, when the operation ends or fails.
         *
         * @param rowCount the number of returned or changed rows, or -1 if it is not known
         * @param error the failure, or null
         */
        void end(long rowCount, Throwable error);
    }
}
