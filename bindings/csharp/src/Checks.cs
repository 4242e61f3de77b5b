// bindings/csharp/src/Checks.cs: compares tensors with what a function expects, which C cannot, as it gets no shapes.

namespace TorchThaw
{
    internal static class Checks
    {
        /// <summary>A tensor that must not be left out.</summary>
        internal static Tensor Present(string name, Tensor tensor)
        {
            if (tensor == null)
                throw new MyLibException(ErrorCode.NullPointer, $"{name}: expected a tensor, got null");
            return tensor;
        }

        /// <summary>The sizes of a tensor that has so many.</summary>
        internal static long[] Sizes(string name, Tensor tensor, int ndim)
        {
            long[] sizes = Present(name, tensor).Sizes;
            if (sizes.Length != ndim)
                throw new MyLibException(
                    ErrorCode.ShapeMismatch, $"{name}: expected {ndim} sizes, got shape {Tensor.Text(sizes)}");
            return sizes;
        }

        /// <summary>A tensor of this shape.</summary>
        internal static void Shape(string name, Tensor tensor, params long[] shape)
        {
            if (!Present(name, tensor).HasShape(shape))
                throw new MyLibException(ErrorCode.ShapeMismatch,
                    $"{name}: expected shape {Tensor.Text(shape)}, got {Tensor.Text(tensor.Sizes)}");
        }

        /// <summary>A tensor of this shape, or null.</summary>
        internal static void Optional(string name, Tensor tensor, params long[] shape)
        {
            if (tensor != null)
                Shape(name, tensor, shape);
        }
    }
}
