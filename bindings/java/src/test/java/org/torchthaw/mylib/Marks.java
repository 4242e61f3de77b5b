// bindings/java/src/test/java/org/torchthaw/mylib/Marks.java: whether C gets the arrays themselves.

package org.torchthaw.mylib;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The stand-in of bindings/marks writes a number into element 0 of every array that it gets, inputs too. It would not
 * be seen in an array of which C got a copy.
 */
final class Marks {
    private static final float MARK = 1234.5f;
    private static final int STEPS = 5, BATCH = 2, INPUT = 3, STATE = 4;
    private static final long[][] LLTM = {{3 * STATE, STATE + INPUT}, {3 * STATE}, {BATCH, STATE}, {BATCH, STATE}};

    /** The shapes of the inputs and of the outputs. */
    private record Shapes(long[][] in, long[][] out) {}

    private static final Map<String, Shapes> SHAPES = Map.of(
            "add_forward", new Shapes(new long[][] {{2, 3}, {2, 3}}, new long[][] {{2, 3}}),
            "linear_forward", new Shapes(new long[][] {{2, 3}, {4, 3}, {4}}, new long[][] {{2, 4}}),
            "lltm_forward", new Shapes(
                    lltm(BATCH, INPUT), new long[][] {{BATCH, STATE}, {BATCH, STATE}, {BATCH, 3 * STATE}}),
            "lltm_sequence_forward", new Shapes(lltm(STEPS, BATCH, INPUT),
                    new long[][] {{STEPS, BATCH, STATE}, {STEPS, BATCH, STATE}, {STEPS, BATCH, 3 * STATE}}));

    private Marks() {}

    private static long[][] lltm(long... input) {
        return new long[][] {input, LLTM[0], LLTM[1], LLTM[2], LLTM[3]};
    }

    /** Arrays of the heap are left out with JNA, which copies them. */
    static void run() {
        List<Vectors.Storage> storages = MyLib.CALLS instanceof JnaCalls
                ? List.of(Vectors.Storage.PREFERRED, Vectors.Storage.DIRECT) : List.of(Vectors.Storage.values());
        int count = 0;
        for (Vectors.Storage storage : storages) {
            count = 0;
            for (var each : SHAPES.entrySet()) {
                Tensor[] in = tensors(storage, each.getValue().in);
                Tensor[] out = tensors(storage, each.getValue().out);
                Operator.BY_NAME.get(each.getKey()).into().call(in, out);
                for (Tensor[] arrays : new Tensor[][] {in, out})
                    for (Tensor array : arrays) {
                        Check.that(array.values().get(0) == MARK, storage + ", " + each.getKey() + ": " + MARK,
                                array.values().get(0));
                        ++count;
                    }
            }
        }
        System.out.println("marks " + count);
    }

    private static Tensor[] tensors(Vectors.Storage storage, long[][] shapes) {
        return Arrays.stream(shapes).map(storage::tensor).toArray(Tensor[]::new);
    }
}
