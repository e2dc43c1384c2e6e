package readings;

/**
 * Sees every operation of the generated code: for traces, timers, logs.
 *
 * <p>Costs nothing when no observer is given to the constructor.
 */
@FunctionalInterface
public interface SqgObserver {
    /**
     * Called before an operation.
     *
     * @param operation the name of the method
     * @return the scope that receives the end of the operation, or null to ignore it
     */
    Scope start(String operation);

    /** One operation under way. */
    @FunctionalInterface
    interface Scope {
        /**
         * Called once, however the operation ends.
         *
         * @param rowCount rows returned or changed, -1 when not known
         * @param error the failure, or null
         */
        void end(long rowCount, Throwable error);
    }
}
