// bindings/java/src/main/java/org/torchthaw/mylib/LltmGradients.java: results of a backward function.

package org.torchthaw.mylib;

/** The gradients of the LLTM, in the shapes of its inputs; null where not wanted. */
public record LltmGradients(Tensor input, Tensor weights, Tensor bias, Tensor oldH, Tensor oldCell) {}
