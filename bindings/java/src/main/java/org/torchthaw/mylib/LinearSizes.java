// bindings/java/src/main/java/org/torchthaw/mylib/LinearSizes.java: the sizes of a call of linear, from its tensors.

package org.torchthaw.mylib;

record LinearSizes(long batch, long inFeatures, long outFeatures) {
    static LinearSizes ofForward(Tensor input, Tensor weight, Tensor bias) {
        long inFeatures = Checks.dimensions("input", input, 2).size(1);
        long outFeatures = Checks.dimensions("weight", weight, 2).size(0);
        Checks.shape("weight", weight, outFeatures, inFeatures);
        Checks.optional("bias", bias, outFeatures);
        return new LinearSizes(input.size(0), inFeatures, outFeatures);
    }

    /** in_features is that of any tensor that has it. */
    static LinearSizes ofBackward(Tensor gradOutput, Tensor input, Tensor weight, LinearGradients gradients) {
        long batch = Checks.dimensions("grad_output", gradOutput, 2).size(0);
        long outFeatures = gradOutput.size(1);
        long inFeatures = 0;
        for (Tensor each : new Tensor[] {gradients.weight(), gradients.input(), weight, input})
            if (each != null && each.ndim() == 2)
                inFeatures = each.size(1);
        Checks.optional("input", input, batch, inFeatures);
        Checks.optional("weight", weight, outFeatures, inFeatures);
        Checks.optional("grad_input", gradients.input(), batch, inFeatures);
        Checks.optional("grad_weight", gradients.weight(), outFeatures, inFeatures);
        Checks.optional("grad_bias", gradients.bias(), outFeatures);
        return new LinearSizes(batch, inFeatures, outFeatures);
    }

    Tensor newOutput() {
        return Tensor.allocate(batch, outFeatures);
    }

    LinearGradients newGradients() {
        return new LinearGradients(Tensor.allocate(batch, inFeatures), Tensor.allocate(outFeatures, inFeatures),
                Tensor.allocate(outFeatures));
    }
}
