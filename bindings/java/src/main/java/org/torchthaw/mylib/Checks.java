// bindings/java/src/main/java/org/torchthaw/mylib/Checks.java: compares tensors with what a function expects.

package org.torchthaw.mylib;

import static org.torchthaw.mylib.MyLibException.NULL_POINTER;
import static org.torchthaw.mylib.MyLibException.SHAPE_MISMATCH;

/** What C cannot check, because it gets no shapes. */
final class Checks {
    private Checks() {}

    /** A tensor that must not be left out. */
    static Tensor present(String name, Tensor tensor) {
        if (tensor == null)
            throw new MyLibException(NULL_POINTER, name + ": expected a tensor, got null");
        return tensor;
    }

    /** A tensor of so many sizes. */
    static Tensor dimensions(String name, Tensor tensor, int ndim) {
        if (present(name, tensor).ndim() != ndim)
            throw new MyLibException(
                    SHAPE_MISMATCH, name + ": expected " + ndim + " sizes, got shape " + tensor.shapeText());
        return tensor;
    }

    /** A tensor of this shape. */
    static void shape(String name, Tensor tensor, long... shape) {
        if (!present(name, tensor).hasShape(shape))
            mismatch(name, Tensor.text(shape), tensor);
    }

    /** A tensor of this shape, or null. */
    static void optional(String name, Tensor tensor, long... shape) {
        if (tensor != null)
            shape(name, tensor, shape);
    }

    static void sameShape(String name, Tensor tensor, Tensor other) {
        if (!present(name, tensor).hasShapeOf(other))
            mismatch(name, other.shapeText(), tensor);
    }

    private static void mismatch(String name, String expected, Tensor tensor) {
        throw new MyLibException(SHAPE_MISMATCH, name + ": expected shape " + expected + ", got " + tensor.shapeText());
    }
}
