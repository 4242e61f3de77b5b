// bindings/csharp/check/Raw.cs: the generated declarations, with what MyLib never passes.
using System;
using System.Runtime.InteropServices;

namespace TorchThaw.Check
{
    internal static unsafe class Raw
    {
        internal static void LinearForward(long batch, long inFeatures, long outFeatures)
        {
            Check(Native.my_lib_linear_forward(
                null, null, null, batch, inFeatures, outFeatures, null, null, UIntPtr.Zero));
        }

        /// <summary>Without a workspace.</summary>
        internal static void LltmForward(Tensor[] x, long batch, long inputSize, long stateSize)
        {
            var h = new float[batch * stateSize];
            fixed (float* input = &Of(x[0]), weights = &Of(x[1]), bias = &Of(x[2]), h0 = &Of(x[3]), c0 = &Of(x[4]))
            fixed (float* to = h)
                Check(Native.lltm_forward(
                    input, weights, bias, h0, c0, batch, inputSize, stateSize, to, to, null, null, UIntPtr.Zero));
        }

        private static ref float Of(Tensor tensor)
        {
            return ref MemoryMarshal.GetReference(tensor.Span);
        }

        private static void Check(int status)
        {
            if (status != 1)
                throw new MyLibException((ErrorCode)Native.my_lib_last_error_code(),
                    Marshal.PtrToStringAnsi((IntPtr)Native.my_lib_last_error_message()));
        }
    }
}
