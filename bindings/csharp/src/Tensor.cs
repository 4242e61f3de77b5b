// bindings/csharp/src/Tensor.cs: an array with a shape.
using System;
using System.Linq;

namespace TorchThaw
{
    /// <summary>
    /// Numbers in row-major order and their shape: the last size is the fastest, no sizes are a scalar. The numbers are
    /// those of the array or memory that was given; C works on them, there is no copy.
    /// </summary>
    public sealed class Tensor
    {
        internal readonly long[] Sizes;

        /// <summary>values has as many elements as the sizes multiply to.</summary>
        public Tensor(Memory<float> values, params long[] shape)
        {
            long count = Elements(shape);
            if (count != values.Length)
                throw new MyLibException(ErrorCode.ShapeMismatch,
                    $"values: expected {count} elements for shape {Text(shape)}, got {values.Length}");
            Memory = values;
            Sizes = (long[])shape.Clone();
        }

        /// <summary>A new tensor of zeros.</summary>
        public static Tensor Zeros(params long[] shape)
        {
            return new Tensor(new float[Elements(shape)], shape);
        }

        public Memory<float> Memory { get; }

        public Span<float> Span => Memory.Span;

        public long[] Shape => (long[])Sizes.Clone();

        internal bool HasShape(long[] expected)
        {
            bool same = Sizes.Length == expected.Length;
            for (int i = 0; same && i < expected.Length; ++i)
                same = Sizes[i] == expected[i];
            return same;
        }

        /// <summary>A shape as libmy_lib writes it: (2, 3), (5,), ().</summary>
        internal static string Text(long[] shape)
        {
            return "(" + string.Join(", ", shape.Select(size => size.ToString())) + (shape.Length == 1 ? ",)" : ")");
        }

        private static long Elements(long[] shape)
        {
            long count = 1;
            foreach (long size in shape)
            {
                if (size < 0)
                    throw new MyLibException(
                        ErrorCode.InvalidSize, $"shape: expected sizes >= 0, got shape {Text(shape)}");
                if (size > 0 && count > long.MaxValue / size)
                    throw new MyLibException(ErrorCode.SizeOverflow,
                        $"shape: expected at most {long.MaxValue} elements, got shape {Text(shape)}");
                count *= size;
            }
            return count;
        }
    }
}
