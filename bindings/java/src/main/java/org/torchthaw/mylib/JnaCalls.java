// bindings/java/src/main/java/org/torchthaw/mylib/JnaCalls.java: calls through JNA's direct mapping, for Java 17 to 21.

package org.torchthaw.mylib;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;

/** C works on direct buffers where they are, and on copies of arrays of the heap. */
final class JnaCalls implements Calls {
    /** One for each thread, as large as the largest call of the thread needed. */
    private static final ThreadLocal<Memory> WORKSPACE = ThreadLocal.withInitial(() -> new Memory(8));

    /** The address of a direct buffer, or 0; and the sizes. */
    private record Addresses(long values, Memory shape) {}

    @Override
    public Object memory(FloatBuffer values, long[] shape) {
        Memory sizes = new Memory(8L * Math.max(1, shape.length));
        sizes.write(0, shape, 0, shape.length);
        return new Addresses(values.isDirect() ? Pointer.nativeValue(Native.getDirectBufferPointer(values)) : 0, sizes);
    }

    /** Buffers end at 2 GiB; the heap takes what is larger. */
    @Override
    public FloatBuffer allocate(int count) {
        return count > Integer.MAX_VALUE / Float.BYTES ? FloatBuffer.allocate(count)
                : ByteBuffer.allocateDirect(count * Float.BYTES).order(ByteOrder.nativeOrder()).asFloatBuffer();
    }

    private static long shape(Tensor tensor) {
        return Pointer.nativeValue(((Addresses) tensor.memory).shape);
    }

    /** At least so many bytes. -1 is SIZE_MAX, for sizes that C refuses. */
    private static Memory workspace(long size) {
        Memory found = WORKSPACE.get();
        if (found.size() < size) {
            found = new Memory(size);
            WORKSPACE.set(found);
        }
        return found;
    }

    /** The arrays of one call, which must exist until its end. */
    private static final class Arguments {
        private final List<Tensor> tensors = new ArrayList<>();
        private final List<Memory> copies = new ArrayList<>(); // of each tensor; null where C gets the tensor's own
        private final List<Boolean> written = new ArrayList<>();

        long in(Tensor tensor) {
            return add(tensor, false);
        }

        long out(Tensor tensor) {
            return add(tensor, true);
        }

        private long add(Tensor tensor, boolean isWritten) {
            if (tensor == null)
                return 0;
            FloatBuffer values = tensor.values();
            Memory copy = values.isDirect() ? null : new Memory(Float.BYTES * Math.max(1L, values.remaining()));
            if (copy != null && !isWritten)
                numbers(copy).put(values);
            tensors.add(tensor);
            copies.add(copy);
            written.add(isWritten);
            return copy == null ? ((Addresses) tensor.memory).values : Pointer.nativeValue(copy);
        }

        /** Copies the outputs back where C reported success. */
        int end(int status) {
            for (int i = 0; i < tensors.size() && status == 1; ++i)
                if (copies.get(i) != null && written.get(i)) {
                    FloatBuffer values = tensors.get(i).values();
                    values.put(numbers(copies.get(i)).limit(values.remaining()));
                }
            Reference.reachabilityFence(this);
            return status;
        }

        private static FloatBuffer numbers(Memory memory) {
            return memory.getByteBuffer(0, memory.size()).order(ByteOrder.nativeOrder()).asFloatBuffer();
        }
    }

    @Override
    public String version() {
        return MyLibJna.my_lib_version();
    }

    @Override
    public String buildInfo() {
        return MyLibJna.my_lib_build_info();
    }

    @Override
    public String errorName(int code) {
        return MyLibJna.my_lib_error_name(code);
    }

    @Override
    public int lastErrorCode() {
        return MyLibJna.my_lib_last_error_code();
    }

    @Override
    public String lastErrorMessage() {
        return MyLibJna.my_lib_last_error_message();
    }

    @Override
    public int setNumThreads(int count) {
        return MyLibJna.my_lib_set_num_threads(count);
    }

    @Override
    public int numThreads() {
        return MyLibJna.my_lib_get_num_threads();
    }

    @Override
    public int addForward(Tensor input1, Tensor input2, Tensor output) {
        Arguments call = new Arguments();
        return call.end(MyLibJna.my_lib_add_forward(
                call.in(input1), shape(input1), input1.ndim(), call.in(input2), shape(input2), input2.ndim(),
                call.out(output)));
    }

    @Override
    public int addBackward(Tensor gradOutput, Tensor gradInput1, Tensor gradInput2) {
        Arguments call = new Arguments();
        return call.end(MyLibJna.my_lib_add_backward(
                call.in(gradOutput), shape(gradOutput), gradOutput.ndim(), call.out(gradInput1), call.out(gradInput2)));
    }

    @Override
    public int linearForward(
            Tensor input, Tensor weight, Tensor bias, long batch, long inFeatures, long outFeatures, Tensor output) {
        Arguments call = new Arguments();
        Memory workspace = workspace(MyLibJna.my_lib_linear_forward_workspace_size(batch, inFeatures, outFeatures));
        return call.end(MyLibJna.my_lib_linear_forward(
                call.in(input), call.in(weight), call.in(bias), batch, inFeatures, outFeatures, call.out(output),
                Pointer.nativeValue(workspace), workspace.size()));
    }

    @Override
    public int linearBackward(
            Tensor gradOutput, Tensor input, Tensor weight, long batch, long inFeatures, long outFeatures,
            Tensor gradInput, Tensor gradWeight, Tensor gradBias) {
        Arguments call = new Arguments();
        Memory workspace = workspace(MyLibJna.my_lib_linear_backward_workspace_size(batch, inFeatures, outFeatures));
        return call.end(MyLibJna.my_lib_linear_backward(
                call.in(gradOutput), call.in(input), call.in(weight), batch, inFeatures, outFeatures,
                call.out(gradInput), call.out(gradWeight), call.out(gradBias),
                Pointer.nativeValue(workspace), workspace.size()));
    }

    @Override
    public int lltmForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell,
            long batch, long inputSize, long stateSize, Tensor newH, Tensor newCell, Tensor gates) {
        Arguments call = new Arguments();
        Memory workspace = workspace(MyLibJna.lltm_forward_workspace_size(batch, inputSize, stateSize));
        return call.end(MyLibJna.lltm_forward(
                call.in(input), call.in(weights), call.in(bias), call.in(oldH), call.in(oldCell),
                batch, inputSize, stateSize, call.out(newH), call.out(newCell), call.out(gates),
                Pointer.nativeValue(workspace), workspace.size()));
    }

    @Override
    public int lltmBackward(
            Tensor gradH, Tensor gradCell, Tensor newCell, Tensor gates, Tensor input, Tensor oldH, Tensor weights,
            long batch, long inputSize, long stateSize,
            Tensor dInput, Tensor dWeights, Tensor dBias, Tensor dOldH, Tensor dOldCell) {
        Arguments call = new Arguments();
        Memory workspace = workspace(MyLibJna.lltm_backward_workspace_size(batch, inputSize, stateSize));
        return call.end(MyLibJna.lltm_backward(
                call.in(gradH), call.in(gradCell), call.in(newCell), call.in(gates), call.in(input), call.in(oldH),
                call.in(weights), batch, inputSize, stateSize, call.out(dInput), call.out(dWeights), call.out(dBias),
                call.out(dOldH), call.out(dOldCell), Pointer.nativeValue(workspace), workspace.size()));
    }

    @Override
    public int lltmSequenceForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell,
            long seqLen, long batch, long inputSize, long stateSize, Tensor h, Tensor cell, Tensor gates) {
        Arguments call = new Arguments();
        Memory workspace =
                workspace(MyLibJna.lltm_sequence_forward_workspace_size(seqLen, batch, inputSize, stateSize));
        return call.end(MyLibJna.lltm_sequence_forward(
                call.in(input), call.in(weights), call.in(bias), call.in(oldH), call.in(oldCell),
                seqLen, batch, inputSize, stateSize, call.out(h), call.out(cell), call.out(gates),
                Pointer.nativeValue(workspace), workspace.size()));
    }

    @Override
    public int lltmSequenceBackward(
            Tensor gradH, Tensor gradLastH, Tensor gradLastCell, Tensor cell, Tensor gates, Tensor input, Tensor h,
            Tensor oldH, Tensor oldCell, Tensor weights, long seqLen, long batch, long inputSize, long stateSize,
            Tensor dInput, Tensor dWeights, Tensor dBias, Tensor dOldH, Tensor dOldCell) {
        Arguments call = new Arguments();
        Memory workspace =
                workspace(MyLibJna.lltm_sequence_backward_workspace_size(seqLen, batch, inputSize, stateSize));
        return call.end(MyLibJna.lltm_sequence_backward(
                call.in(gradH), call.in(gradLastH), call.in(gradLastCell), call.in(cell), call.in(gates),
                call.in(input), call.in(h), call.in(oldH), call.in(oldCell), call.in(weights),
                seqLen, batch, inputSize, stateSize,
                call.out(dInput), call.out(dWeights), call.out(dBias), call.out(dOldH), call.out(dOldCell),
                Pointer.nativeValue(workspace), workspace.size()));
    }
}
