// bindings/java/src/main/java/org/torchthaw/mylib/LltmStates.java: results of a forward function.

package org.torchthaw.mylib;

/**
 * The results of the LLTM. A step gives h and cell (batch, state_size) and gates (batch, 3 * state_size), a sequence
 * those of each step, (seq_len, batch, ...). Only backward needs gates; null where not wanted.
 */
public record LltmStates(Tensor h, Tensor cell, Tensor gates) {}
