// bindings/java/src/test/java/org/torchthaw/mylib/Operator.java: the functions by the names of C, on lists of arrays.

package org.torchthaw.mylib;

import java.util.List;
import java.util.Map;

/** A function in its two forms. Tensors are in the order of the C prototype, null where absent. */
record Operator(Into into, New returning) {
    interface Into {
        void call(Tensor[] in, Tensor[] out);
    }

    interface New {
        List<Tensor> call(Tensor[] in);
    }

    static final Map<String, Operator> BY_NAME = Map.of(
            "add_forward", new Operator(
                    (in, out) -> MyLib.addForward(in[0], in[1], out[0]),
                    in -> List.of(MyLib.addForward(in[0], in[1]))),
            "add_backward", new Operator(
                    (in, out) -> MyLib.addBackward(in[0], new AddGradients(out[0], out[1])),
                    in -> {
                        AddGradients found = MyLib.addBackward(in[0]);
                        return List.of(found.input1(), found.input2());
                    }),
            "linear_forward", new Operator(
                    (in, out) -> MyLib.linearForward(in[0], in[1], in[2], out[0]),
                    in -> List.of(MyLib.linearForward(in[0], in[1], in[2]))),
            "linear_backward", new Operator(
                    (in, out) -> MyLib.linearBackward(in[0], in[1], in[2], new LinearGradients(out[0], out[1], out[2])),
                    in -> {
                        LinearGradients found = MyLib.linearBackward(in[0], in[1], in[2]);
                        return List.of(found.input(), found.weight(), found.bias());
                    }),
            "lltm_forward", new Operator(
                    (in, out) -> MyLib.lltmForward(in[0], in[1], in[2], in[3], in[4], states(out)),
                    in -> list(MyLib.lltmForward(in[0], in[1], in[2], in[3], in[4]))),
            "lltm_backward", new Operator(
                    (in, out) -> MyLib.lltmBackward(in[0], in[1], in[2], in[3], in[4], in[5], in[6], gradients(out)),
                    in -> list(MyLib.lltmBackward(in[0], in[1], in[2], in[3], in[4], in[5], in[6]))),
            "lltm_sequence_forward", new Operator(
                    (in, out) -> MyLib.lltmSequenceForward(in[0], in[1], in[2], in[3], in[4], states(out)),
                    in -> list(MyLib.lltmSequenceForward(in[0], in[1], in[2], in[3], in[4]))),
            "lltm_sequence_backward", new Operator(
                    (in, out) -> MyLib.lltmSequenceBackward(
                            in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8], in[9], gradients(out)),
                    in -> list(MyLib.lltmSequenceBackward(
                            in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8], in[9]))));

    private static LltmStates states(Tensor[] out) {
        return new LltmStates(out[0], out[1], out[2]);
    }

    private static LltmGradients gradients(Tensor[] out) {
        return new LltmGradients(out[0], out[1], out[2], out[3], out[4]);
    }

    private static List<Tensor> list(LltmStates found) {
        return List.of(found.h(), found.cell(), found.gates());
    }

    private static List<Tensor> list(LltmGradients found) {
        return List.of(found.input(), found.weights(), found.bias(), found.oldH(), found.oldCell());
    }
}
