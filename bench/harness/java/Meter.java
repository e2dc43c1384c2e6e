package bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/** Measures one run and prints it as a line of JSON. */
final class Meter {
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * Linux's clock of the process's processor time, in nanoseconds: the JDK's own there counts
     * hundredths of a second.
     */
    private static final int CLOCK_PROCESS_CPUTIME_ID = 2;

    private static final boolean LINUX = System.getProperty("os.name").equals("Linux");
    private static final MethodHandle CLOCK = LINUX
            ? Linker.nativeLinker()
                    .downcallHandle(
                            Linker.nativeLinker()
                                    .defaultLookup()
                                    .find("clock_gettime")
                                    .orElseThrow(),
                            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS))
            : null;
    private static final MemorySegment TIME = Arena.global().allocate(16, 8);

    interface Work {
        void run() throws Exception;
    }

    private Meter() {}

    /** Processor time of the process in seconds, and what all Java threads allocated. */
    static void run(String operation, String method, int rows, boolean counts, Work work) throws Exception {
        System.gc();
        long allocated = THREADS.getTotalThreadAllocatedBytes();
        long cpu = processor();
        long started = System.nanoTime();
        work.run();
        long nanos = System.nanoTime() - started;
        cpu = processor() - cpu;
        allocated = THREADS.getTotalThreadAllocatedBytes() - allocated;
        if (counts) {
            System.out.printf(
                    Locale.ROOT,
                    "{\"operation\":\"%s\",\"method\":\"%s\",\"rows\":%d,\"millis\":%.3f,\"cpu\":%.6f,\"allocated\":%d}%n",
                    operation,
                    method,
                    rows,
                    nanos / 1e6,
                    cpu / 1e9,
                    allocated);
        }
    }

    /** Processor time of the process so far, in nanoseconds. */
    private static long processor() {
        if (!LINUX) {
            return PROCESS.getProcessCpuTime();
        }
        try {
            int failed = (int) CLOCK.invokeExact(CLOCK_PROCESS_CPUTIME_ID, TIME);
            if (failed != 0) {
                throw new IllegalStateException("clock_gettime fails");
            }
        } catch (Throwable e) {
            throw new IllegalStateException("processor time", e);
        }
        return TIME.get(ValueLayout.JAVA_LONG, 0) * 1_000_000_000 + TIME.get(ValueLayout.JAVA_LONG, 8);
    }
}
