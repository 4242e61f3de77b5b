// bindings/java/src/main/java/org/torchthaw/mylib/Calls.java: the functions of C on tensors, by whatever calls C.

package org.torchthaw.mylib;

import java.nio.FloatBuffer;

/**
 * What FfmCalls does with java.lang.foreign and JnaCalls with JNA. The functions that return an int return 1 for
 * success. A tensor is null where C gets NULL. Sizes have been compared with the tensors.
 */
interface Calls {
    /** The system property names the one to use, Ffm or Jna. Without it java.lang.foreign is used where Java has it. */
    static Calls load() {
        String name = System.getProperty(
                "org.torchthaw.mylib.calls", Runtime.version().feature() >= 22 ? "Ffm" : "Jna");
        try {
            return (Calls) Class.forName("org.torchthaw.mylib." + name + "Calls")
                    .getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError failure) {
            throw new IllegalStateException("expected Java 22 or newer with the class FfmCalls, or the class JnaCalls"
                    + " with jna.jar on the class path, got " + failure + " for " + name + "Calls", failure);
        }
    }

    /** Of values from 0 to the limit. */
    Object memory(FloatBuffer values, long[] shape);

    /** Zeros in memory that need not be copied. */
    FloatBuffer allocate(int count);

    String version();

    String buildInfo();

    String errorName(int code);

    int lastErrorCode();

    String lastErrorMessage();

    int setNumThreads(int count);

    int numThreads();

    int addForward(Tensor input1, Tensor input2, Tensor output);

    int addBackward(Tensor gradOutput, Tensor gradInput1, Tensor gradInput2);

    int linearForward(
            Tensor input, Tensor weight, Tensor bias, long batch, long inFeatures, long outFeatures, Tensor output);

    int linearBackward(
            Tensor gradOutput, Tensor input, Tensor weight, long batch, long inFeatures, long outFeatures,
            Tensor gradInput, Tensor gradWeight, Tensor gradBias);

    int lltmForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell,
            long batch, long inputSize, long stateSize, Tensor newH, Tensor newCell, Tensor gates);

    int lltmBackward(
            Tensor gradH, Tensor gradCell, Tensor newCell, Tensor gates, Tensor input, Tensor oldH, Tensor weights,
            long batch, long inputSize, long stateSize,
            Tensor dInput, Tensor dWeights, Tensor dBias, Tensor dOldH, Tensor dOldCell);

    int lltmSequenceForward(
            Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell,
            long seqLen, long batch, long inputSize, long stateSize, Tensor h, Tensor cell, Tensor gates);

    int lltmSequenceBackward(
            Tensor gradH, Tensor gradLastH, Tensor gradLastCell, Tensor cell, Tensor gates, Tensor input, Tensor h,
            Tensor oldH, Tensor oldCell, Tensor weights, long seqLen, long batch, long inputSize, long stateSize,
            Tensor dInput, Tensor dWeights, Tensor dBias, Tensor dOldH, Tensor dOldCell);
}
