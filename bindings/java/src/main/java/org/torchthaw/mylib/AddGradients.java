// bindings/java/src/main/java/org/torchthaw/mylib/AddGradients.java: results of a backward function.

package org.torchthaw.mylib;

/** The gradients of add; null where not wanted. */
public record AddGradients(Tensor input1, Tensor input2) {}
