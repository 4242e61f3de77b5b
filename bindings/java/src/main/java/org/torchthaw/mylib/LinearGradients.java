// bindings/java/src/main/java/org/torchthaw/mylib/LinearGradients.java: results of a backward function.

package org.torchthaw.mylib;

/** The gradients of linear, in the shapes of its inputs; null where not wanted. */
public record LinearGradients(Tensor input, Tensor weight, Tensor bias) {}
