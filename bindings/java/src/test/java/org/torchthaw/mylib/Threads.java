// bindings/java/src/test/java/org/torchthaw/mylib/Threads.java: results and errors of threads that call at once.

package org.torchthaw.mylib;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

final class Threads {
    private static final int THREADS = 8, ROUNDS = 20, FAILURES = 500, SIZE = 256;

    private Threads() {}

    static void run() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 1; i <= THREADS; ++i) {
                int own = i;
                results.add(pool.submit(() -> {
                    for (int round = 0; round < ROUNDS; ++round)
                        round(own);
                }));
            }
            for (Future<?> each : results)
                each.get();
        } finally {
            pool.shutdown();
        }
        System.out.println("threads " + THREADS * ROUNDS * (2 + FAILURES));
    }

    /** One large call, one small call and many that fail, with numbers and shapes of the thread's own. */
    private static void round(int own) {
        Tensor product = MyLib.linearForward(Check.filled(1, SIZE, SIZE), Check.filled(own, SIZE, SIZE), null);
        for (float value : product.toArray())
            Check.that(value == own * SIZE, "linear " + own * SIZE, value);
        for (float value : MyLib.addForward(Check.filled(own, 25), Check.filled(1, 25)).toArray())
            Check.that(value == own + 1, "add " + (own + 1), value);
        Tensor one = Tensor.allocate(1, own);
        Tensor two = Tensor.allocate(2, own);
        String expected = "input2: expected shape (1, " + own + "), got (2, " + own + ")";
        for (int i = 0; i < FAILURES; ++i)
            try {
                MyLib.addForward(one, two, one);
                throw new AssertionError("expected " + expected + ", got none");
            } catch (MyLibException failure) {
                Check.that(failure.code() == MyLibException.SHAPE_MISMATCH && failure.getMessage().equals(expected),
                        expected, failure.getMessage());
            }
    }
}
