// bindings/java/src/test/java/org/torchthaw/mylib/Raw.java: the generated declarations, with what MyLib never passes.

package org.torchthaw.mylib;

/** RawFfm and RawJna call them; a Java without java.lang.foreign compiles without the former. */
abstract class Raw {
    static final int ARRAY = 4096; // bytes, more than an array of the test has

    private static final Raw CALLS = load();

    private static Raw load() {
        String name = MyLib.CALLS instanceof JnaCalls ? "Jna" : "Ffm";
        try {
            return (Raw) Class.forName("org.torchthaw.mylib.Raw" + name).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** With NULL for each array. */
    abstract int linear(long batch, long inFeatures, long outFeatures);

    /** With NULL for the workspace. */
    abstract int lltm(long batch, long inputSize, long stateSize);

    static void linearForward(long batch, long inFeatures, long outFeatures) {
        check(CALLS.linear(batch, inFeatures, outFeatures));
    }

    static void lltmForward(long batch, long inputSize, long stateSize) {
        check(CALLS.lltm(batch, inputSize, stateSize));
    }

    private static void check(int status) {
        if (status != 1)
            throw new MyLibException(MyLib.CALLS.lastErrorCode(), MyLib.CALLS.lastErrorMessage());
    }
}
