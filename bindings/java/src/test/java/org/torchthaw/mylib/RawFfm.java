// bindings/java/src/test/java/org/torchthaw/mylib/RawFfm.java: Raw through java.lang.foreign.

package org.torchthaw.mylib;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

final class RawFfm extends Raw {
    private static final MemorySegment NULL = MemorySegment.NULL;

    @Override
    int linear(long batch, long inFeatures, long outFeatures) {
        return MyLibFfm.my_lib_linear_forward(NULL, NULL, NULL, batch, inFeatures, outFeatures, NULL, NULL, 0);
    }

    @Override
    int lltm(long batch, long inputSize, long stateSize) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = arena.allocate(ARRAY, Float.BYTES);
            return MyLibFfm.lltm_forward(a, a, a, a, a, batch, inputSize, stateSize, a, a, a, NULL, 0);
        }
    }
}
