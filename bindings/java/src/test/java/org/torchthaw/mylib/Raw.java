// bindings/java/src/test/java/org/torchthaw/mylib/Raw.java: the generated declarations, with what MyLib never passes.

package org.torchthaw.mylib;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

final class Raw {
    private static final boolean JNA = MyLib.CALLS instanceof JnaCalls;

    private Raw() {}

    static void linearForward(long batch, long inFeatures, long outFeatures) {
        check(JNA ? Jna.linearForward(batch, inFeatures, outFeatures)
                : Ffm.linearForward(batch, inFeatures, outFeatures));
    }

    /** Without a workspace. */
    static void lltmForward(long batch, long inputSize, long stateSize) {
        check(JNA ? Jna.lltmForward(batch, inputSize, stateSize) : Ffm.lltmForward(batch, inputSize, stateSize));
    }

    private static void check(int status) {
        if (status != 1)
            throw new MyLibException(MyLib.CALLS.lastErrorCode(), MyLib.CALLS.lastErrorMessage());
    }

    private static final int ARRAY = 4096; // bytes, more than an array of the test has

    private static final class Jna {
        static int linearForward(long batch, long inFeatures, long outFeatures) {
            return MyLibJna.my_lib_linear_forward(0, 0, 0, batch, inFeatures, outFeatures, 0, 0, 0);
        }

        static int lltmForward(long batch, long inputSize, long stateSize) {
            try (Memory memory = new Memory(ARRAY)) {
                long a = Pointer.nativeValue(memory);
                return MyLibJna.lltm_forward(a, a, a, a, a, batch, inputSize, stateSize, a, a, a, 0, 0);
            }
        }
    }

    private static final class Ffm {
        private static final MemorySegment NULL = MemorySegment.NULL;

        static int linearForward(long batch, long inFeatures, long outFeatures) {
            return MyLibFfm.my_lib_linear_forward(NULL, NULL, NULL, batch, inFeatures, outFeatures, NULL, NULL, 0);
        }

        static int lltmForward(long batch, long inputSize, long stateSize) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment a = arena.allocate(ARRAY, Float.BYTES);
                return MyLibFfm.lltm_forward(a, a, a, a, a, batch, inputSize, stateSize, a, a, a, NULL, 0);
            }
        }
    }
}
