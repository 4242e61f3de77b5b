// bindings/csharp/src/Linear.cs: my_lib_linear_forward and my_lib_linear_backward.

namespace TorchThaw
{
    /// <summary>The gradients of linear, in the shapes of its inputs; null where not wanted.</summary>
    public struct LinearGradients
    {
        public Tensor Input, Weight, Bias;
    }

    internal struct LinearSizes
    {
        internal long Batch, InFeatures, OutFeatures;

        internal static LinearSizes OfForward(Tensor input, Tensor weight, Tensor bias)
        {
            long[] sizes = Checks.Sizes("input", input, 2);
            long outFeatures = Checks.Sizes("weight", weight, 2)[0];
            Checks.Shape("weight", weight, outFeatures, sizes[1]);
            Checks.Optional("bias", bias, outFeatures);
            return new LinearSizes { Batch = sizes[0], InFeatures = sizes[1], OutFeatures = outFeatures };
        }

        /// <summary>in_features is that of any tensor that has it.</summary>
        internal static LinearSizes OfBackward(
            Tensor gradOutput, Tensor input, Tensor weight, LinearGradients gradients)
        {
            long[] sizes = Checks.Sizes("grad_output", gradOutput, 2);
            var s = new LinearSizes { Batch = sizes[0], OutFeatures = sizes[1] };
            foreach (Tensor each in new[] { gradients.Weight, gradients.Input, weight, input })
                if (each != null && each.Sizes.Length == 2)
                    s.InFeatures = each.Sizes[1];
            Checks.Optional("input", input, s.Batch, s.InFeatures);
            Checks.Optional("weight", weight, s.OutFeatures, s.InFeatures);
            Checks.Optional("grad_input", gradients.Input, s.Batch, s.InFeatures);
            Checks.Optional("grad_weight", gradients.Weight, s.OutFeatures, s.InFeatures);
            Checks.Optional("grad_bias", gradients.Bias, s.OutFeatures);
            return s;
        }
    }

    public static unsafe partial class MyLib
    {
        /// <summary>
        /// input weight^T + bias (batch, out_features), of input (batch, in_features),
        /// weight (out_features, in_features) and bias (out_features), which may be null.
        /// </summary>
        public static Tensor LinearForward(Tensor input, Tensor weight, Tensor bias)
        {
            LinearSizes s = LinearSizes.OfForward(input, weight, bias);
            Tensor output = Tensor.Zeros(s.Batch, s.OutFeatures);
            LinearForward(input, weight, bias, output);
            return output;
        }

        public static void LinearForward(Tensor input, Tensor weight, Tensor bias, Tensor output)
        {
            LinearSizes s = LinearSizes.OfForward(input, weight, bias);
            Checks.Shape("output", output, s.Batch, s.OutFeatures);
            long[] scratch = Workspace(
                Native.my_lib_linear_forward_workspace_size(s.Batch, s.InFeatures, s.OutFeatures));
            fixed (long* work = scratch)
            fixed (float* x = &Pin(input), w = &Pin(weight), b = &Pin(bias), y = &Pin(output))
                Check(Native.my_lib_linear_forward(
                    x, w, b, s.Batch, s.InFeatures, s.OutFeatures, y, work, Bytes(scratch)));
        }

        public static LinearGradients LinearBackward(Tensor gradOutput, Tensor input, Tensor weight)
        {
            LinearSizes s = LinearSizes.OfBackward(gradOutput, input, weight, new LinearGradients());
            var gradients = new LinearGradients
            {
                Input = Tensor.Zeros(s.Batch, s.InFeatures),
                Weight = Tensor.Zeros(s.OutFeatures, s.InFeatures),
                Bias = Tensor.Zeros(s.OutFeatures)
            };
            LinearBackward(gradOutput, input, weight, gradients);
            return gradients;
        }

        /// <summary>
        /// input may be null without the gradient of the weight, and weight without that of the input.
        /// </summary>
        public static void LinearBackward(Tensor gradOutput, Tensor input, Tensor weight, LinearGradients gradients)
        {
            LinearSizes s = LinearSizes.OfBackward(gradOutput, input, weight, gradients);
            long[] scratch = Workspace(
                Native.my_lib_linear_backward_workspace_size(s.Batch, s.InFeatures, s.OutFeatures));
            fixed (long* work = scratch)
            fixed (float* grad = &Pin(gradOutput), x = &Pin(input), w = &Pin(weight))
            fixed (float* dx = &Pin(gradients.Input), dw = &Pin(gradients.Weight), db = &Pin(gradients.Bias))
                Check(Native.my_lib_linear_backward(
                    grad, x, w, s.Batch, s.InFeatures, s.OutFeatures, dx, dw, db, work, Bytes(scratch)));
        }
    }
}
