package bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/** Measures one run and prints it as a line of JSON. */
final class Meter {
    private static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    interface Work {
        void run() throws Exception;
    }

    private Meter() {}

    /** Processor time of the process in seconds, and what all Java threads allocated. */
    static void run(String operation, String method, int rows, boolean counts, Work work) throws Exception {
        System.gc();
        long allocated = THREADS.getTotalThreadAllocatedBytes();
        long cpu = PROCESS.getProcessCpuTime();
        long started = System.nanoTime();
        work.run();
        long nanos = System.nanoTime() - started;
        cpu = PROCESS.getProcessCpuTime() - cpu;
        allocated = THREADS.getTotalThreadAllocatedBytes() - allocated;
        if (counts) {
            System.out.printf(Locale.ROOT, "{\"operation\":\"%s\",\"method\":\"%s\",\"rows\":%d,\"millis\":%.3f,\"cpu\":%.4f,\"allocated\":%d}%n",
                    operation, method, rows, nanos / 1e6, cpu / 1e9, allocated);
        }
    }
}
