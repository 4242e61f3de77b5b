// bindings/java/src/main/java/org/torchthaw/mylib/LltmSizes.java: the sizes of a call of the LLTM, from its tensors.

package org.torchthaw.mylib;

/** seqLen is -1 for a single step, whose tensors have no size for it. */
record LltmSizes(long seqLen, long batch, long inputSize, long stateSize) {
    private static LltmSizes of(int ndim, Tensor input, Tensor weights, Tensor oldH) {
        Checks.dimensions("input", input, ndim);
        Checks.dimensions("old_h", oldH, 2);
        LltmSizes s = new LltmSizes(
                ndim == 2 ? -1 : input.size(0), input.size(ndim - 2), input.size(ndim - 1), oldH.size(1));
        Checks.shape("weights", weights, s.weights());
        Checks.shape("old_h", oldH, s.state());
        return s;
    }

    /** ndim: that of input, 2 for a step and 3 for a sequence. */
    static LltmSizes ofForward(
            int ndim, Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell) {
        LltmSizes s = of(ndim, input, weights, oldH);
        Checks.shape("bias", bias, s.bias());
        Checks.shape("old_cell", oldCell, s.state());
        return s;
    }

    static LltmSizes ofBackward(
            Tensor gradH, Tensor gradCell, Tensor newCell, Tensor gates, Tensor input, Tensor oldH, Tensor weights) {
        LltmSizes s = of(2, input, weights, oldH);
        Checks.shape("grad_h", gradH, s.state());
        Checks.shape("grad_cell", gradCell, s.state());
        Checks.shape("new_cell", newCell, s.state());
        Checks.shape("gates", gates, s.each(3 * s.stateSize));
        return s;
    }

    static LltmSizes ofSequenceBackward(
            Tensor gradH, Tensor gradLastH, Tensor gradLastCell, Tensor cell, Tensor gates, Tensor input, Tensor h,
            Tensor oldH, Tensor oldCell, Tensor weights) {
        LltmSizes s = of(3, input, weights, oldH);
        Checks.shape("grad_h", gradH, s.each(s.stateSize));
        Checks.optional("grad_last_h", gradLastH, s.state());
        Checks.optional("grad_last_cell", gradLastCell, s.state());
        Checks.shape("cell", cell, s.each(s.stateSize));
        Checks.shape("gates", gates, s.each(3 * s.stateSize));
        Checks.shape("h", h, s.each(s.stateSize));
        Checks.shape("old_cell", oldCell, s.state());
        return s;
    }

    void check(String h, String cell, LltmStates states) {
        Checks.shape(h, states.h(), each(stateSize));
        Checks.shape(cell, states.cell(), each(stateSize));
        Checks.optional("gates", states.gates(), each(3 * stateSize));
    }

    void check(LltmGradients gradients) {
        Checks.optional("d_input", gradients.input(), each(inputSize));
        Checks.optional("d_weights", gradients.weights(), weights());
        Checks.optional("d_bias", gradients.bias(), bias());
        Checks.optional("d_old_h", gradients.oldH(), state());
        Checks.optional("d_old_cell", gradients.oldCell(), state());
    }

    LltmStates newStates() {
        return new LltmStates(Tensor.allocate(each(stateSize)), Tensor.allocate(each(stateSize)),
                Tensor.allocate(each(3 * stateSize)));
    }

    LltmGradients newGradients() {
        return new LltmGradients(Tensor.allocate(each(inputSize)), Tensor.allocate(weights()), Tensor.allocate(bias()),
                Tensor.allocate(state()), Tensor.allocate(state()));
    }

    /** The shape of what has a value for each step. */
    private long[] each(long last) {
        return seqLen < 0 ? new long[] {batch, last} : new long[] {seqLen, batch, last};
    }

    private long[] weights() {
        return new long[] {3 * stateSize, stateSize + inputSize};
    }

    private long[] bias() {
        return new long[] {3 * stateSize};
    }

    private long[] state() {
        return new long[] {batch, stateSize};
    }
}
