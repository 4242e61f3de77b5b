// bindings/java/src/main/java/org/torchthaw/mylib/MyLibException.java: the failure of a function.

package org.torchthaw.mylib;

/** The failure of a function. The message names the argument, what was expected and what came. */
public final class MyLibException extends RuntimeException {
    private static final long serialVersionUID = 1;

    // Codes of my_lib.h.
    public static final int NULL_POINTER = 1;
    public static final int UNALIGNED_POINTER = 2;
    public static final int INVALID_SIZE = 3;
    public static final int SIZE_OVERFLOW = 4;
    public static final int SHAPE_MISMATCH = 5;
    public static final int INVALID_VALUE = 6;
    public static final int WORKSPACE_TOO_SMALL = 7;

    private final int code;

    MyLibException(int code, String message) {
        super(message);
        this.code = code;
    }

    /** One of the constants of this class. */
    public int code() {
        return code;
    }

    /** The name of the code in C, such as MY_LIB_ERROR_SHAPE_MISMATCH. */
    public String name() {
        return MyLib.CALLS.errorName(code);
    }
}
