// bindings/java/src/test/java/org/torchthaw/mylib/Check.java: the test program of docs/languages.md.

package org.torchthaw.mylib;

import java.util.Locale;
import java.util.Map;

final class Check {
    private interface Task {
        void run(String[] arguments) throws Exception;
    }

    private static final Map<String, Task> TASKS = Map.of(
            "vectors", Vectors::run, "marks", arguments -> Marks.run(), "threads", arguments -> Threads.run(),
            "time", arguments -> time(), "train", arguments -> Train.run(),
            "version", arguments -> System.out.println("version " + MyLib.version()));

    private Check() {}

    public static void main(String[] arguments) throws Exception {
        Task task = arguments.length == 0 ? null : TASKS.get(arguments[0]);
        if (task == null)
            throw new IllegalArgumentException("expected vectors DIR, marks, threads, time, train or version");
        task.run(arguments);
    }

    static void that(boolean condition, String expected, Object got) {
        if (!condition)
            throw new AssertionError("expected " + expected + ", got " + got);
    }

    static Tensor filled(float value, long... shape) {
        Tensor tensor = Tensor.allocate(shape);
        var values = tensor.values();
        while (values.hasRemaining())
            values.put(value);
        return tensor;
    }

    /** One add of 25 elements: the minimum over short loops, in nanoseconds. */
    private static void time() {
        final int loops = 1000;
        final int calls = 5000;
        Tensor input1 = Tensor.of(new float[25], 25);
        Tensor input2 = Tensor.of(new float[25], 25);
        Tensor output = Tensor.of(new float[25], 25);
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < loops; ++i) {
            long start = System.nanoTime();
            for (int j = 0; j < calls; ++j)
                MyLib.addForward(input1, input2, output);
            least = Math.min(least, (System.nanoTime() - start) / (double) calls);
        }
        System.out.printf(Locale.ROOT, "time %.1f%n", least);
    }
}
