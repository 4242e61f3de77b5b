// bindings/java/src/test/java/org/torchthaw/mylib/RawJna.java: Raw through JNA.

package org.torchthaw.mylib;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;

final class RawJna extends Raw {
    @Override
    int linear(long batch, long inFeatures, long outFeatures) {
        return MyLibJna.my_lib_linear_forward(0, 0, 0, batch, inFeatures, outFeatures, 0, 0, 0);
    }

    @Override
    int lltm(long batch, long inputSize, long stateSize) {
        try (Memory memory = new Memory(ARRAY)) {
            long a = Pointer.nativeValue(memory);
            return MyLibJna.lltm_forward(a, a, a, a, a, batch, inputSize, stateSize, a, a, a, 0, 0);
        }
    }
}
