// bindings/java/src/main/java/org/torchthaw/mylib/MyLib.java: the operators of libmy_lib.

package org.torchthaw.mylib;

/**
 * The operators of libmy_lib. The header my_lib.h has the formula of each. Each has a form that returns new tensors and
 * one that writes into those of the last parameter. A failure is a MyLibException. All threads may call at once. The
 * environment variable MY_LIB names the library's file; without it the system looks for libmy_lib.so.1.
 */
public final class MyLib {
    static final Calls CALLS = Calls.load();

    private MyLib() {}

    private static void check(int status) {
        if (status != 1)
            throw new MyLibException(CALLS.lastErrorCode(), CALLS.lastErrorMessage());
    }

    /** The version of the loaded library, such as 1.0.0. */
    public static String version() {
        return CALLS.version();
    }

    /** One line about the loaded library: version, CPU path and OpenMP run-time. */
    public static String buildInfo() {
        return CALLS.buildInfo();
    }

    /**
     * Sets how many threads a call may use, in the whole process; 0 follows the OpenMP run-time. OpenMP keeps one team
     * for each thread that makes large calls, so a program that calls from a pool of threads is best served by 1.
     */
    public static void setNumThreads(int count) {
        check(CALLS.setNumThreads(count));
    }

    /** How many threads a large call from this thread may use now. */
    public static int numThreads() {
        return CALLS.numThreads();
    }

    /** input1 + input2, which have one shape. */
    public static Tensor addForward(Tensor input1, Tensor input2) {
        Tensor output = Tensor.allocate(Checks.present("input1", input1).shape());
        addForward(input1, input2, output);
        return output;
    }

    /** output may be an input. */
    public static void addForward(Tensor input1, Tensor input2, Tensor output) {
        Checks.present("input1", input1);
        Checks.present("input2", input2);
        Checks.sameShape("output", output, input1);
        check(CALLS.addForward(input1, input2, output));
    }

    public static AddGradients addBackward(Tensor gradOutput) {
        long[] shape = Checks.present("grad_output", gradOutput).shape();
        AddGradients gradients = new AddGradients(Tensor.allocate(shape), Tensor.allocate(shape));
        addBackward(gradOutput, gradients);
        return gradients;
    }

    /** Each gradient may be gradOutput. */
    public static void addBackward(Tensor gradOutput, AddGradients gradients) {
        long[] shape = Checks.present("grad_output", gradOutput).shape();
        Checks.optional("grad_input1", gradients.input1(), shape);
        Checks.optional("grad_input2", gradients.input2(), shape);
        check(CALLS.addBackward(gradOutput, gradients.input1(), gradients.input2()));
    }

    /**
     * input weight^T + bias (batch, out_features), of input (batch, in_features), weight (out_features, in_features)
     * and bias (out_features), which may be null.
     */
    public static Tensor linearForward(Tensor input, Tensor weight, Tensor bias) {
        Tensor output = LinearSizes.ofForward(input, weight, bias).newOutput();
        linearForward(input, weight, bias, output);
        return output;
    }

    public static void linearForward(Tensor input, Tensor weight, Tensor bias, Tensor output) {
        LinearSizes s = LinearSizes.ofForward(input, weight, bias);
        Checks.shape("output", output, s.batch(), s.outFeatures());
        check(CALLS.linearForward(input, weight, bias, s.batch(), s.inFeatures(), s.outFeatures(), output));
    }

    public static LinearGradients linearBackward(Tensor gradOutput, Tensor input, Tensor weight) {
        LinearGradients none = new LinearGradients(null, null, null);
        LinearGradients gradients = LinearSizes.ofBackward(gradOutput, input, weight, none).newGradients();
        linearBackward(gradOutput, input, weight, gradients);
        return gradients;
    }

    /** input may be null without the gradient of the weight, and weight without that of the input. */
    public static void linearBackward(Tensor gradOutput, Tensor input, Tensor weight, LinearGradients gradients) {
        LinearSizes s = LinearSizes.ofBackward(gradOutput, input, weight, gradients);
        check(CALLS.linearBackward(gradOutput, input, weight, s.batch(), s.inFeatures(), s.outFeatures(),
                gradients.input(), gradients.weight(), gradients.bias()));
    }

    /**
     * One step, of input (batch, input_size), weights (3 * state_size, state_size + input_size), bias (3 * state_size),
     * oldH and oldCell (batch, state_size).
     */
    public static LltmStates lltmForward(Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell) {
        LltmStates states = LltmSizes.ofForward(2, input, weights, bias, oldH, oldCell).newStates();
        lltmForward(input, weights, bias, oldH, oldCell, states);
        return states;
    }

    public static void lltmForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell, LltmStates states) {
        LltmSizes s = LltmSizes.ofForward(2, input, weights, bias, oldH, oldCell);
        s.check("new_h", "new_cell", states);
        check(CALLS.lltmForward(input, weights, bias, oldH, oldCell, s.batch(), s.inputSize(), s.stateSize(),
                states.h(), states.cell(), states.gates()));
    }

    /** gradH and gradCell are the gradients of h and cell; newCell and gates are what forward gave. */
    public static LltmGradients lltmBackward(
            Tensor gradH, Tensor gradCell, Tensor newCell, Tensor gates, Tensor input, Tensor oldH, Tensor weights) {
        LltmGradients gradients =
                LltmSizes.ofBackward(gradH, gradCell, newCell, gates, input, oldH, weights).newGradients();
        lltmBackward(gradH, gradCell, newCell, gates, input, oldH, weights, gradients);
        return gradients;
    }

    public static void lltmBackward(
            Tensor gradH, Tensor gradCell, Tensor newCell, Tensor gates, Tensor input, Tensor oldH, Tensor weights,
            LltmGradients gradients) {
        LltmSizes s = LltmSizes.ofBackward(gradH, gradCell, newCell, gates, input, oldH, weights);
        s.check(gradients);
        check(CALLS.lltmBackward(gradH, gradCell, newCell, gates, input, oldH, weights, s.batch(), s.inputSize(),
                s.stateSize(), gradients.input(), gradients.weights(), gradients.bias(), gradients.oldH(),
                gradients.oldCell()));
    }

    /** The steps of input (seq_len, batch, input_size), each from the state of the one before. */
    public static LltmStates lltmSequenceForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell) {
        LltmStates states = LltmSizes.ofForward(3, input, weights, bias, oldH, oldCell).newStates();
        lltmSequenceForward(input, weights, bias, oldH, oldCell, states);
        return states;
    }

    public static void lltmSequenceForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell, LltmStates states) {
        LltmSizes s = LltmSizes.ofForward(3, input, weights, bias, oldH, oldCell);
        s.check("h", "cell", states);
        check(CALLS.lltmSequenceForward(input, weights, bias, oldH, oldCell, s.seqLen(), s.batch(), s.inputSize(),
                s.stateSize(), states.h(), states.cell(), states.gates()));
    }

    /**
     * gradH is the gradient of every step's h; gradLastH and gradLastCell are further gradients of the last state, and
     * either may be null. cell, gates and h are what forward gave.
     */
    public static LltmGradients lltmSequenceBackward(
            Tensor gradH, Tensor gradLastH, Tensor gradLastCell, Tensor cell, Tensor gates, Tensor input, Tensor h,
            Tensor oldH, Tensor oldCell, Tensor weights) {
        LltmGradients gradients = LltmSizes.ofSequenceBackward(
                gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights).newGradients();
        lltmSequenceBackward(
                gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights, gradients);
        return gradients;
    }

    public static void lltmSequenceBackward(
            Tensor gradH, Tensor gradLastH, Tensor gradLastCell, Tensor cell, Tensor gates, Tensor input, Tensor h,
            Tensor oldH, Tensor oldCell, Tensor weights, LltmGradients gradients) {
        LltmSizes s = LltmSizes.ofSequenceBackward(
                gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights);
        s.check(gradients);
        check(CALLS.lltmSequenceBackward(
                gradH, gradLastH, gradLastCell, cell, gates, input, h, oldH, oldCell, weights,
                s.seqLen(), s.batch(), s.inputSize(), s.stateSize(),
                gradients.input(), gradients.weights(), gradients.bias(), gradients.oldH(), gradients.oldCell()));
    }
}
