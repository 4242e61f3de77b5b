// bindings/java/src/main/java/org/torchthaw/mylib/Tensor.java: an array with a shape.

package org.torchthaw.mylib;

import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Numbers in row-major order and their shape: the last size is the fastest, no sizes are a scalar. The numbers are
 * those of the array or buffer that was given, there is no copy.
 */
public final class Tensor {
    private final FloatBuffer values;
    private final long[] shape;
    /** What the calls to C need of this tensor, as they made it. */
    final Object memory;

    private Tensor(FloatBuffer values, long[] shape) {
        this.values = values;
        this.shape = shape;
        memory = MyLib.CALLS.memory(values, shape);
    }

    /** A tensor over an array of the heap. JNA copies it in each call; FFM does not. */
    public static Tensor of(float[] values, long... shape) {
        return of(FloatBuffer.wrap(values), shape);
    }

    /**
     * A tensor over what is between the position and the limit of a buffer, which is in native byte order and not
     * read-only. The memory of a direct buffer is never copied, and calls on direct buffers only do not delay the
     * garbage collector.
     */
    public static Tensor of(FloatBuffer values, long... shape) {
        if (values.isReadOnly() || values.order() != ByteOrder.nativeOrder())
            throw new MyLibException(MyLibException.INVALID_VALUE,
                    "values: expected a buffer to read and write in native byte order, got " + values.order()
                            + (values.isReadOnly() ? ", read-only" : ""));
        if (elements(shape) != values.remaining())
            throw new MyLibException(MyLibException.SHAPE_MISMATCH, "values: expected " + elements(shape)
                    + " elements for shape " + text(shape) + ", got " + values.remaining());
        return new Tensor(values.slice(), shape.clone());
    }

    /** A tensor of zeros in memory that is not copied in calls. */
    public static Tensor allocate(long... shape) {
        long count = elements(shape);
        if (count > Integer.MAX_VALUE)
            throw new MyLibException(MyLibException.SIZE_OVERFLOW,
                    "shape: expected at most " + Integer.MAX_VALUE + " elements, got shape " + text(shape));
        return new Tensor(MyLib.CALLS.allocate((int) count), shape.clone());
    }

    /** The numbers; what is written into them is seen by later calls. */
    public FloatBuffer values() {
        return values.duplicate();
    }

    /** A copy of the numbers. */
    public float[] toArray() {
        float[] copy = new float[values.limit()];
        values().get(copy);
        return copy;
    }

    public long[] shape() {
        return shape.clone();
    }

    int ndim() {
        return shape.length;
    }

    long size(int axis) {
        return shape[axis];
    }

    boolean hasShape(long... expected) {
        return Arrays.equals(shape, expected);
    }

    boolean hasShapeOf(Tensor other) {
        boolean same = shape.length == other.shape.length;
        for (int i = 0; same && i < shape.length; ++i)
            same = shape[i] == other.shape[i];
        return same;
    }

    /** The shape as libmy_lib writes it: (2, 3), (5,), (). */
    String shapeText() {
        return text(shape);
    }

    static String text(long... shape) {
        String sizes = Arrays.stream(shape).mapToObj(Long::toString).collect(Collectors.joining(", "));
        return "(" + sizes + (shape.length == 1 ? ",)" : ")");
    }

    private static long elements(long... shape) {
        long count = 1;
        for (long size : shape) {
            if (size < 0)
                throw new MyLibException(
                        MyLibException.INVALID_SIZE, "shape: expected sizes >= 0, got shape " + text(shape));
            try {
                count = Math.multiplyExact(count, size);
            } catch (ArithmeticException overflow) {
                throw new MyLibException(MyLibException.SIZE_OVERFLOW,
                        "shape: expected at most " + Long.MAX_VALUE + " elements, got shape " + text(shape));
            }
        }
        return count;
    }
}
