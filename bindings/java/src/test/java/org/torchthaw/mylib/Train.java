// bindings/java/src/test/java/org/torchthaw/mylib/Train.java: bindings/c/train.c in Java.

package org.torchthaw.mylib;

import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.Locale;

/** An LLTM learns a sum of products. */
final class Train {
    private static final int SEQ_LEN = 8, BATCH = 16, INPUT = 2, STATE = 16, STEPS = 200;
    private static final float LEARNING_RATE = 0.1f;

    private static int generator = (int) 2463534242L;

    private Train() {}

    /** Uniform between -0.5 and 0.5: xorshift32. */
    private static float uniform() {
        generator ^= generator << 13;
        generator ^= generator >>> 17;
        generator ^= generator << 5;
        return (generator >>> 8) / 16777216.0f - 0.5f;
    }

    private static float[] drawn(int count, float scale) {
        float[] numbers = new float[count];
        fill(numbers, scale);
        return numbers;
    }

    private static void fill(float[] numbers, float scale) {
        for (int i = 0; i < numbers.length; ++i)
            numbers[i] = uniform() * scale;
    }

    /** A parameter and its gradient. */
    private record Parameter(float[] numbers, Tensor tensor, Tensor gradient) {
        Parameter(float[] numbers, long... shape) {
            this(numbers, Tensor.of(numbers, shape), Tensor.allocate(shape));
        }

        void descend() {
            FloatBuffer values = gradient.values();
            for (int i = 0; i < numbers.length; ++i)
                numbers[i] -= LEARNING_RATE * values.get(i);
        }
    }

    /** Prints the loss of the last step. */
    static void run() {
        Parameter weights = new Parameter(drawn(3 * STATE * (STATE + INPUT), 0.5f), 3 * STATE, STATE + INPUT);
        Parameter bias = new Parameter(new float[3 * STATE], 3 * STATE);
        Parameter headWeight = new Parameter(drawn(STATE, 0.5f), 1, STATE);
        Parameter headBias = new Parameter(new float[1], 1);
        float[] input = new float[SEQ_LEN * BATCH * INPUT];
        Tensor inputs = Tensor.of(input, SEQ_LEN, BATCH, INPUT);
        Tensor state = Tensor.allocate(BATCH, STATE);
        Tensor gradH = Tensor.allocate(SEQ_LEN, BATCH, STATE);
        LltmStates states = new LltmStates(Tensor.allocate(SEQ_LEN, BATCH, STATE),
                Tensor.allocate(SEQ_LEN, BATCH, STATE), Tensor.allocate(SEQ_LEN, BATCH, 3 * STATE));
        FloatBuffer lastH = states.h().values().position((SEQ_LEN - 1) * BATCH * STATE);
        Tensor last = Tensor.of(lastH, BATCH, STATE);
        LinearGradients headGradients =
                new LinearGradients(Tensor.allocate(BATCH, STATE), headWeight.gradient(), headBias.gradient());
        LltmGradients gradients = new LltmGradients(null, weights.gradient(), bias.gradient(), null, null);
        double loss = 0;
        for (int step = 0; step < STEPS; ++step) {
            fill(input, 2);
            MyLib.lltmSequenceForward(inputs, weights.tensor(), bias.tensor(), state, state, states);
            float[] output = MyLib.linearForward(last, headWeight.tensor(), headBias.tensor()).toArray();
            float[] gradOutput = new float[BATCH];
            loss = meanSquare(input, output, gradOutput);
            MyLib.linearBackward(Tensor.of(gradOutput, BATCH, 1), last, headWeight.tensor(), headGradients);
            MyLib.lltmSequenceBackward(gradH, headGradients.input(), null, states.cell(), states.gates(), inputs,
                    states.h(), state, state, weights.tensor(), gradients);
            Arrays.asList(weights, bias, headWeight, headBias).forEach(Parameter::descend);
        }
        System.out.printf(Locale.ROOT, "loss %.6f%n", loss);
    }

    /** The loss; fills its gradient. */
    private static double meanSquare(float[] input, float[] output, float[] gradOutput) {
        double sum = 0;
        for (int b = 0; b < BATCH; ++b) {
            float target = 0;
            for (int t = 0; t < SEQ_LEN; ++t) {
                int at = (t * BATCH + b) * INPUT;
                target += input[at] * input[at + 1];
            }
            float difference = output[b] - target;
            sum += (double) difference * difference;
            gradOutput[b] = 2 * difference / BATCH;
        }
        return sum / BATCH;
    }
}
