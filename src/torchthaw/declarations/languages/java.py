"""torchthaw/declarations/languages/java.py: Java: java.lang.foreign (JDK 22 and later), and JNA's direct mapping.

Names of a file's own begin with $, or have one, which C's have not.
"""

from ..language import Language, Spelling, address, but, camel
from ..types import JAVA, JAVA_LAYOUTS

FFM_FILE = """
// {generated}

{package}

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The functions of {header}. The environment variable {variable} may name the library's file.
 * Segments may be of the heap: the garbage collector then waits for the end of the call.
 */
final class {name} {{
    {constants}

    private static final SymbolLookup $LIBRARY = SymbolLookup.libraryLookup(
            System.getenv().getOrDefault("{variable}", "{library}"), Arena.global());
    private static final Linker.Option[] $NATIVE = {{}};
    private static final Linker.Option[] $HEAP = {{Linker.Option.critical(true)}};

    private {name}() {{}}

    private static MethodHandle $handle(
            Linker.Option[] options, String name, MemoryLayout result, MemoryLayout... parameters) {{
        return Linker.nativeLinker().downcallHandle($LIBRARY.find(name).orElseThrow(),
                result == null ? FunctionDescriptor.ofVoid(parameters) : FunctionDescriptor.of(result, parameters),
                options);
    }}

    private static String $text(MemorySegment address) {{
        return address.equals(MemorySegment.NULL) ? null : address.reinterpret(Long.MAX_VALUE).getString(0);
    }}

    {functions}

    {left_out}
}}
"""

# Each handle is made when it is first used.
FFM_FUNCTION = """
private static final class {name}$native {{
    static final MethodHandle CALL = $handle({native});
}}

private static final class {name}$heap {{
    static final MethodHandle CALL = $handle({heap});
}}

{comment}
static {result} {name}({parameters}) {{
    try {{
        if ({is_heap}) {{
            {before}{name}$heap.CALL.invokeExact({names}){behind};
        }} else {{
            {before}{name}$native.CALL.invokeExact({names}){behind};
        }}
    }} catch (Throwable $thrown) {{
        throw new AssertionError($thrown);
    }}
}}
"""

FFM_WITHOUT_POINTERS = """
private static final class {name}$native {{
    static final MethodHandle CALL = $handle({native});
}}

{comment}
static {result} {name}({parameters}) {{
    try {{
        {before}{name}$native.CALL.invokeExact({names}){behind};
    }} catch (Throwable $thrown) {{
        throw new AssertionError($thrown);
    }}
}}
"""

JNA_FILE = """
// {generated}

{package}

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * The functions of {header}, by JNA's direct mapping; pointers are addresses.
 * The environment variable {variable} may name the library's file.
 */
final class {name} {{
    {constants}

    static {{
        Native.register({name}.class,
                NativeLibrary.getInstance(System.getenv().getOrDefault("{variable}", "{library}")));
    }}

    private {name}() {{}}

    {functions}

    {left_out}
}}
"""

# Methods of every object, which no static method may have.
OBJECT = "clone finalize getClass hashCode notify notifyAll toString wait"
SEGMENT = address(JAVA, "MemorySegment")
FFM_RESULTS = {
    "result": SEGMENT._replace(text="String", void="void"),
    "before": address(JAVA, "return (MemorySegment) ", scalar="return ({scalar}) ")._replace(
        text="return $text((MemorySegment) "
    ),
    "behind": Spelling(JAVA, "")._replace(text=")"),
    "layout": address(JAVA_LAYOUTS, "ValueLayout.ADDRESS", void="null"),
}
JNA = address(JAVA, "long", void="void")._replace(text="String")

FFM = Language(
    title="Java",
    file=FFM_FILE,
    function=FFM_FUNCTION,
    without_pointers=FFM_WITHOUT_POINTERS,
    columns={
        "type": SEGMENT,
        "layout": address(JAVA_LAYOUTS, "ValueLayout.ADDRESS"),
        "is_heap": address(JAVA, "!{name}.isNative()", scalar=""),
    },
    results=FFM_RESULTS,
    lists={
        "parameters": ("{type} {name}", ", "),
        "names": ("{name}", ", "),
        "is_heap": ("{is_heap}", " || "),
        "native": ("{layout}", ", ", "$NATIVE", '"{name}"', "{layout}"),
        "heap": ("{layout}", ", ", "$HEAP", '"{name}"', "{layout}"),
    },
    says_prototype=True,
    comment=("/**\n * <pre>", " * ", " * </pre>\n */"),
    escapes={"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "*/": "*&#47;", "\\": "&#92;"},
    remark="//",
    constant="static final int {name} = {value};",
    long_constant="static final long {name} = {value}L;",
    reserved="java",
    function_name=but(OBJECT),
    module_name=but(
        "Arena AssertionError FunctionDescriptor Linker Long MemoryLayout MemorySegment MethodHandle String "
        "SymbolLookup System Throwable ValueLayout"
    ),
    constant_name=but("Arena FunctionDescriptor Linker Long MemorySegment SymbolLookup System ValueLayout"),
    default_name=camel,
    package="package {};",
    library="lib{}.so",
)

JNA = FFM._replace(
    module_name=but("Native NativeLibrary String System"),
    constant_name=but("Native NativeLibrary System"),
    file=JNA_FILE,
    function="{comment}\nstatic native {result} {name}({parameters});",
    without_pointers="",
    columns={"type": JNA},
    results={"result": JNA},
    lists={"parameters": ("{type} {name}", ", ")},
    library="{}",
)
