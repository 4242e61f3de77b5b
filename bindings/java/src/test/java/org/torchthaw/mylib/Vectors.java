// bindings/java/src/test/java/org/torchthaw/mylib/Vectors.java: every case and every error of bindings/vectors.

package org.torchthaw.mylib;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class Vectors {
    /** How the tests make tensors: of the memory that is preferred, of arrays of the heap, and of direct buffers. */
    enum Storage {
        PREFERRED {
            @Override
            Tensor tensor(long... shape) {
                return Tensor.allocate(shape);
            }
        },
        HEAP {
            @Override
            Tensor tensor(long... shape) {
                return Tensor.of(new float[count(shape)], shape);
            }
        },
        DIRECT {
            @Override
            Tensor tensor(long... shape) {
                ByteBuffer bytes = ByteBuffer.allocateDirect(4 * count(shape)).order(ByteOrder.nativeOrder());
                return Tensor.of(bytes.asFloatBuffer(), shape);
            }
        };

        abstract Tensor tensor(long... shape);

        private static int count(long... shape) {
            int count = 1;
            for (long size : shape)
                count *= (int) size;
            return count;
        }
    }

    /** shape is null where the argument is absent. */
    private record Named(String name, long[] shape) {}

    /** A case or an error: the words of its first line, and the lines up to `end`. */
    private static final class Entry {
        private final String[] head;
        private final Map<String, Long> sizes = new HashMap<>();
        private final List<Named> in = new ArrayList<>();
        private final List<Named> out = new ArrayList<>();
        private String text;

        Entry(String[] head) {
            this.head = head;
        }

        void add(String line) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "size" -> sizes.put(words[1], Long.parseLong(words[2]));
                case "in" -> in.add(named(words));
                case "out" -> out.add(named(words));
                case "text" -> text = line.substring("text ".length());
                default -> throw new AssertionError("unknown line: " + line);
            }
        }

        private static Named named(String[] words) {
            int ndim = Integer.parseInt(words[2]);
            long[] shape = ndim < 0 ? null : new long[ndim];
            for (int i = 0; i < ndim; ++i)
                shape[i] = Long.parseLong(words[3 + i]);
            return new Named(words[1], shape);
        }
    }

    private Vectors() {}

    static void run(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[1]);
        int cases = 0;
        int errors = 0;
        Entry entry = null;
        for (String line : Files.readAllLines(folder.resolve("index.txt"))) {
            if (entry == null) {
                entry = new Entry(line.split(" "));
            } else if (!line.equals("end")) {
                entry.add(line);
            } else {
                boolean isCase = entry.head[0].equals("case");
                for (Storage storage : Storage.values())
                    try {
                        if (isCase)
                            check(entry, Files.readAllBytes(folder.resolve(entry.head[3])), storage);
                        else
                            checkError(entry, storage);
                    } catch (RuntimeException | AssertionError failure) {
                        throw new AssertionError(entry.head[1] + ", " + storage + ": " + failure, failure);
                    }
                cases += isCase ? 1 : 0;
                errors += isCase ? 0 : 1;
                entry = null;
            }
        }
        checkLayer();
        System.out.println("vectors " + cases);
        System.out.println("errors " + errors);
    }

    private static void check(Entry entry, byte[] content, Storage storage) {
        FloatBuffer numbers = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
        Tensor[] in = read(entry.in, numbers, storage);
        Tensor[] expected = read(entry.out, numbers, storage);
        Check.that(!numbers.hasRemaining(), "no more numbers", numbers.remaining());
        Operator operator = Operator.BY_NAME.get(entry.head[2]);
        Tensor[] out = new Tensor[expected.length];
        boolean all = true;
        for (int i = 0; i < out.length; ++i) {
            all &= expected[i] != null;
            if (expected[i] != null) {
                out[i] = storage.tensor(expected[i].shape());
                FloatBuffer values = out[i].values();
                while (values.hasRemaining())
                    values.put(Float.NaN);
            }
        }
        operator.into().call(in, out);
        compare(entry, out, expected);
        if (all)
            compare(entry, operator.returning().call(in).toArray(Tensor[]::new), expected);
    }

    private static void compare(Entry entry, Tensor[] out, Tensor[] expected) {
        double rtol = Double.parseDouble(entry.head[4]);
        double atol = Double.parseDouble(entry.head[5]);
        for (int i = 0; i < expected.length; ++i) {
            float[] wanted = expected[i] == null ? new float[0] : expected[i].toArray();
            float[] got = expected[i] == null ? wanted : out[i].toArray();
            for (int j = 0; j < wanted.length; ++j)
                Check.that(Math.abs(got[j] - wanted[j]) <= atol + rtol * Math.abs(wanted[j]),
                        entry.out.get(i).name() + "[" + j + "] " + wanted[j], got[j]);
        }
    }

    private static Tensor[] read(List<Named> arrays, FloatBuffer numbers, Storage storage) {
        Tensor[] found = new Tensor[arrays.size()];
        for (int i = 0; i < found.length; ++i)
            if (arrays.get(i).shape() != null) {
                found[i] = storage.tensor(arrays.get(i).shape());
                FloatBuffer values = found[i].values();
                while (values.hasRemaining())
                    values.put(numbers.get());
            }
        return found;
    }

    private static void checkError(Entry entry, Storage storage) {
        Tensor[] in = entry.in.stream().map(each -> storage.tensor(each.shape())).toArray(Tensor[]::new);
        Map<String, Long> s = entry.sizes;
        MyLibException failure = failure(() -> {
            switch (entry.head[1]) {
                case "add_forward-shapes" -> MyLib.addForward(in[0], in[1]);
                case "linear_forward-negative" ->
                    Raw.linearForward(s.get("batch"), s.get("in_features"), s.get("out_features"));
                case "lltm_forward-workspace" ->
                    Raw.lltmForward(s.get("batch"), s.get("input_size"), s.get("state_size"));
                default -> throw new AssertionError("unknown error");
            }
        });
        expect(failure, Integer.parseInt(entry.head[3]), entry.head[4], entry.text);
    }

    private static MyLibException failure(Runnable call) {
        try {
            call.run();
        } catch (MyLibException failure) {
            return failure;
        }
        throw new AssertionError("expected a MyLibException, got none");
    }

    private static void expect(MyLibException failure, int code, String name, String text) {
        Check.that(failure.code() == code && failure.name().equals(name) && failure.getMessage().equals(text),
                code + " " + name + " " + text, failure.code() + " " + failure.name() + " " + failure.getMessage());
    }

    /** The checks that C cannot make. */
    private static void checkLayer() {
        Tensor state = Tensor.allocate(2, 3);
        Tensor steps = Tensor.allocate(5, 2, 3);
        Tensor input = Tensor.allocate(2, 4);
        Tensor weights = Tensor.allocate(9, 7);
        Tensor bias = Tensor.allocate(9);
        Map<String, Runnable> shapes = Map.of(
                "values: expected 6 elements for shape (2, 3), got 5", () -> Tensor.of(new float[5], 2, 3),
                "output: expected shape (2, 3), got ()", () -> MyLib.addForward(state, state, Tensor.allocate()),
                "grad_input1: expected shape (2, 3), got (2, 4)",
                () -> MyLib.addBackward(state, new AddGradients(input, null)),
                "input: expected 2 sizes, got shape (9,)", () -> MyLib.linearForward(bias, weights, bias),
                "weight: expected shape (9, 4), got (9, 7)", () -> MyLib.linearForward(input, weights, null),
                "grad_bias: expected shape (3,), got (9,)",
                () -> MyLib.linearBackward(state, null, null, new LinearGradients(null, null, bias)),
                "weights: expected shape (9, 6), got (9, 7)",
                () -> MyLib.lltmForward(state, weights, bias, state, state),
                "cell: expected shape (5, 2, 3), got (2, 3)",
                () -> MyLib.lltmSequenceForward(
                        Tensor.allocate(5, 2, 4), weights, bias, state, state, new LltmStates(steps, state, null)));
        shapes.forEach((text, call) ->
                expect(failure(call), MyLibException.SHAPE_MISMATCH, "MY_LIB_ERROR_SHAPE_MISMATCH", text));
        expect(failure(() -> MyLib.addForward(state, null)), MyLibException.NULL_POINTER, "MY_LIB_ERROR_NULL_POINTER",
                "input2: expected a tensor, got null");
        expect(failure(() -> Tensor.allocate(-1)), MyLibException.INVALID_SIZE, "MY_LIB_ERROR_INVALID_SIZE",
                "shape: expected sizes >= 0, got shape (-1,)");
        expect(failure(() -> Tensor.of(ByteBuffer.allocateDirect(8).asFloatBuffer(), 2)), MyLibException.INVALID_VALUE,
                "MY_LIB_ERROR_INVALID_VALUE",
                "values: expected a buffer to read and write in native byte order, got BIG_ENDIAN");
        expect(failure(() -> MyLib.setNumThreads(-1)), MyLibException.INVALID_VALUE, "MY_LIB_ERROR_INVALID_VALUE",
                "num_threads: expected at least 0, got -1");
    }
}
