// bindings/csharp/src/Add.cs: my_lib_add_forward and my_lib_add_backward.

namespace TorchThaw
{
    /// <summary>The gradients of add; null where not wanted.</summary>
    public struct AddGradients
    {
        public Tensor Input1, Input2;
    }

    public static unsafe partial class MyLib
    {
        /// <summary>input1 + input2, which have one shape.</summary>
        public static Tensor AddForward(Tensor input1, Tensor input2)
        {
            Tensor output = Tensor.Zeros(Checks.Present("input1", input1).Sizes);
            AddForward(input1, input2, output);
            return output;
        }

        /// <summary>output may be an input.</summary>
        public static void AddForward(Tensor input1, Tensor input2, Tensor output)
        {
            long[] shape1 = Checks.Present("input1", input1).Sizes, shape2 = Checks.Present("input2", input2).Sizes;
            Checks.Shape("output", output, shape1);
            fixed (long* sizes1 = shape1, sizes2 = shape2)
            fixed (float* in1 = &Pin(input1), in2 = &Pin(input2), to = &Pin(output))
                Check(Native.my_lib_add_forward(in1, sizes1, shape1.Length, in2, sizes2, shape2.Length, to));
        }

        public static AddGradients AddBackward(Tensor gradOutput)
        {
            long[] shape = Checks.Present("grad_output", gradOutput).Sizes;
            var gradients = new AddGradients { Input1 = Tensor.Zeros(shape), Input2 = Tensor.Zeros(shape) };
            AddBackward(gradOutput, gradients);
            return gradients;
        }

        /// <summary>Each gradient may be gradOutput.</summary>
        public static void AddBackward(Tensor gradOutput, AddGradients gradients)
        {
            long[] shape = Checks.Present("grad_output", gradOutput).Sizes;
            Checks.Optional("grad_input1", gradients.Input1, shape);
            Checks.Optional("grad_input2", gradients.Input2, shape);
            fixed (long* sizes = shape)
            fixed (float* grad = &Pin(gradOutput), to1 = &Pin(gradients.Input1), to2 = &Pin(gradients.Input2))
                Check(Native.my_lib_add_backward(grad, sizes, shape.Length, to1, to2));
        }
    }
}
