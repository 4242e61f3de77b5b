// bindings/java/src/main/java/org/torchthaw/mylib/FfmCalls.java: calls through java.lang.foreign, Java 22 or newer.

package org.torchthaw.mylib;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.FloatBuffer;

/** C works on arrays of the heap where they are; the garbage collector waits for the end of such a call. */
final class FfmCalls implements Calls {
    /** One for each thread, as large as the largest call of the thread needed. */
    private static final ThreadLocal<MemorySegment> WORKSPACE = ThreadLocal.withInitial(() -> MemorySegment.NULL);

    private record Memory(MemorySegment values, MemorySegment shape) {}

    @Override
    public Object memory(FloatBuffer values, long[] shape) {
        // With a shape of the heap, every call would be one that delays the garbage collector.
        return new Memory(MemorySegment.ofBuffer(values), values.isDirect()
                ? Arena.ofAuto().allocateFrom(JAVA_LONG, shape) : MemorySegment.ofArray(shape.clone()));
    }

    @Override
    public FloatBuffer allocate(int count) {
        return FloatBuffer.allocate(count);
    }

    private static MemorySegment values(Tensor tensor) {
        return tensor == null ? MemorySegment.NULL : ((Memory) tensor.memory).values;
    }

    private static MemorySegment shape(Tensor tensor) {
        return ((Memory) tensor.memory).shape;
    }

    /** At least so many bytes. -1 is SIZE_MAX, for sizes that C refuses. */
    private static MemorySegment workspace(long size) {
        MemorySegment found = WORKSPACE.get();
        if (found.byteSize() < size) {
            found = Arena.ofAuto().allocate(size);
            WORKSPACE.set(found);
        }
        return found;
    }

    @Override
    public String version() {
        return MyLibFfm.my_lib_version();
    }

    @Override
    public String buildInfo() {
        return MyLibFfm.my_lib_build_info();
    }

    @Override
    public String errorName(int code) {
        return MyLibFfm.my_lib_error_name(code);
    }

    @Override
    public int lastErrorCode() {
        return MyLibFfm.my_lib_last_error_code();
    }

    @Override
    public String lastErrorMessage() {
        return MyLibFfm.my_lib_last_error_message();
    }

    @Override
    public int setNumThreads(int count) {
        return MyLibFfm.my_lib_set_num_threads(count);
    }

    @Override
    public int numThreads() {
        return MyLibFfm.my_lib_get_num_threads();
    }

    @Override
    public int addForward(Tensor input1, Tensor input2, Tensor output) {
        return MyLibFfm.my_lib_add_forward(
                values(input1), shape(input1), input1.ndim(), values(input2), shape(input2), input2.ndim(),
                values(output));
    }

    @Override
    public int addBackward(Tensor gradOutput, Tensor gradInput1, Tensor gradInput2) {
        return MyLibFfm.my_lib_add_backward(
                values(gradOutput), shape(gradOutput), gradOutput.ndim(), values(gradInput1), values(gradInput2));
    }

    @Override
    public int linearForward(
            Tensor input, Tensor weight, Tensor bias, long batch, long inFeatures, long outFeatures, Tensor output) {
        MemorySegment workspace =
                workspace(MyLibFfm.my_lib_linear_forward_workspace_size(batch, inFeatures, outFeatures));
        return MyLibFfm.my_lib_linear_forward(
                values(input), values(weight), values(bias), batch, inFeatures, outFeatures, values(output),
                workspace, workspace.byteSize());
    }

    @Override
    public int linearBackward(
            Tensor gradOutput, Tensor input, Tensor weight, long batch, long inFeatures, long outFeatures,
            Tensor gradInput, Tensor gradWeight, Tensor gradBias) {
        MemorySegment workspace =
                workspace(MyLibFfm.my_lib_linear_backward_workspace_size(batch, inFeatures, outFeatures));
        return MyLibFfm.my_lib_linear_backward(
                values(gradOutput), values(input), values(weight), batch, inFeatures, outFeatures,
                values(gradInput), values(gradWeight), values(gradBias), workspace, workspace.byteSize());
    }

    @Override
    public int lltmForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell,
            long batch, long inputSize, long stateSize, Tensor newH, Tensor newCell, Tensor gates) {
        MemorySegment workspace = workspace(MyLibFfm.lltm_forward_workspace_size(batch, inputSize, stateSize));
        return MyLibFfm.lltm_forward(
                values(input), values(weights), values(bias), values(oldH), values(oldCell),
                batch, inputSize, stateSize, values(newH), values(newCell), values(gates),
                workspace, workspace.byteSize());
    }

    @Override
    public int lltmBackward(
            Tensor gradH, Tensor gradCell, Tensor newCell, Tensor gates, Tensor input, Tensor oldH, Tensor weights,
            long batch, long inputSize, long stateSize,
            Tensor dInput, Tensor dWeights, Tensor dBias, Tensor dOldH, Tensor dOldCell) {
        MemorySegment workspace = workspace(MyLibFfm.lltm_backward_workspace_size(batch, inputSize, stateSize));
        return MyLibFfm.lltm_backward(
                values(gradH), values(gradCell), values(newCell), values(gates), values(input), values(oldH),
                values(weights), batch, inputSize, stateSize, values(dInput), values(dWeights), values(dBias),
                values(dOldH), values(dOldCell), workspace, workspace.byteSize());
    }

    @Override
    public int lltmSequenceForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell,
            long seqLen, long batch, long inputSize, long stateSize, Tensor h, Tensor cell, Tensor gates) {
        MemorySegment workspace =
                workspace(MyLibFfm.lltm_sequence_forward_workspace_size(seqLen, batch, inputSize, stateSize));
        return MyLibFfm.lltm_sequence_forward(
                values(input), values(weights), values(bias), values(oldH), values(oldCell),
                seqLen, batch, inputSize, stateSize, values(h), values(cell), values(gates),
                workspace, workspace.byteSize());
    }

    @Override
    public int lltmSequenceBackward(
            Tensor gradH, Tensor gradLastH, Tensor gradLastCell, Tensor cell, Tensor gates, Tensor input, Tensor h,
            Tensor oldH, Tensor oldCell, Tensor weights, long seqLen, long batch, long inputSize, long stateSize,
            Tensor dInput, Tensor dWeights, Tensor dBias, Tensor dOldH, Tensor dOldCell) {
        MemorySegment workspace =
                workspace(MyLibFfm.lltm_sequence_backward_workspace_size(seqLen, batch, inputSize, stateSize));
        return MyLibFfm.lltm_sequence_backward(
                values(gradH), values(gradLastH), values(gradLastCell), values(cell), values(gates), values(input),
                values(h), values(oldH), values(oldCell), values(weights), seqLen, batch, inputSize, stateSize,
                values(dInput), values(dWeights), values(dBias), values(dOldH), values(dOldCell),
                workspace, workspace.byteSize());
    }
}
