"""torchthaw/build/glue.py: writes the C file of an extension: cffi's module, and a trampoline for each function.

For each function the file holds a frame (its parameters and result as a struct), `run` (the call itself, on a frame),
a guarded stand-in that cffi's own code calls in place of the function, and the trampoline that Python calls. What
happens in between is the bridge's business: see bridge.h.
"""

import keyword

from .. import config
from . import cdef, cffi_names
from .cffi_names import model
from .crossing import parameter, result_kind

PREAMBLE = """
{bridge}#include <string.h>
static const thaw_bridge *thaw;
{regions}{includes}
#define THAW_BEFORE {before}
#define THAW_AFTER {after}
"""

# ffi.errno works, for some 7 ns a call.
ERRNO = {"before": "_cffi_restore_errno();", "after": "_cffi_save_errno();"}
NO_ERRNO = {"before": "", "after": ""}

# cffi's init function becomes a step of ours.
CFFI_INIT = """
#undef PyMODINIT_FUNC
#define PyMODINIT_FUNC static PyObject *
#define PyInit_{module} thaw_cffi_init
"""

FRAME = "typedef struct {{ {fields} }} thaw_frame_{name};\n"

# The C function's name becomes a macro, so that it keeps its name everywhere and cffi's code calls the stand-in.
FUNCTION = """
static void thaw_run_{name}(void *thaw_frame) {{
    thaw_frame_{name} *thaw_f = (thaw_frame_{name} *)thaw_frame;
    (void)thaw_f;
    THAW_BEFORE {assign}{name}({values}); THAW_AFTER
}}
static {prototype} {{
    thaw_frame_{name} thaw_f;
    memset(&thaw_f, 0, sizeof thaw_f); /* the result of a call that threw */
    {store}thaw->guard(thaw_run_{name}, &thaw_f);
    {give}
}}
#define {name}(...) thaw_guarded_{name}(__VA_ARGS__)
"""

CALLABLES = "static thaw_callable *thaw_callables[{count}];\n"

TRAMPOLINE = """
static PyObject *thaw_call_{name}(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {{
    thaw_frame_{name} frame;
    PyObject *scratch[{scratch}];
    (void)self;
    return thaw->{call}(thaw_callables[{index}], &frame, scratch, arguments, count, keywords);
}}
"""

# join is the last entry of thaw_bridge that the file uses.
MODULE = """
static PyObject *thaw_cffi_init(void);

#define THAW_KIND_NAME(name, number) #name,
static const char *const thaw_kind_names[] = {{ THAW_KIND_LIST(THAW_KIND_NAME) }};
static const thaw_module thaw_this_module = {{
    sizeof(thaw_module), THAW_BRIDGE_MAJOR, THAW_BRIDGE_MINOR, "{name}", THAW_UPTO(thaw_bridge, join),
    sizeof(thaw_function), sizeof(thaw_parameter), sizeof(thaw_region), thaw_functions, {count}, thaw_callables,
    thaw_cffi_init, thaw_kind_names, sizeof thaw_kind_names / sizeof *thaw_kind_names
}};

#ifdef __cplusplus
extern "C"
#endif
__attribute__((visibility("default"))) PyObject *PyInit_{module}(void);
PyObject *PyInit_{module}(void) {{
    thaw = thaw_open("{name}");
    return thaw == NULL ? NULL : thaw->load(&thaw_this_module);
}}
"""


class Function:
    """One C function of the extension and the C code around it."""

    call = "call"  # the entry of thaw_bridge that calls it
    parameter = staticmethod(parameter)

    @staticmethod
    def crossing_of_result(ffi, type):
        """(thaw_kind, DLPack code, bits); the latter two of TH structs only."""
        return result_kind(ffi, type), 0, 0

    def __init__(self, ffi, name, type, declaration, names):
        names = list(names) + [None] * (len(type.args) - len(names))
        self.name, self.type, self.declaration = name, type, declaration
        self.parameters = [
            self.parameter(ffi, argument, given or f"argument{index + 1}")
            for index, (argument, given) in enumerate(zip(type.args, names))
        ]
        self.named = all(given and not keyword.iskeyword(given) for given in names[: len(type.args)])
        self.result, self.result_code, self.result_bits = "THAW_CFFI", 0, 0
        if not type.ellipsis:
            self.result, self.result_code, self.result_bits = self.crossing_of_result(ffi, type.result)
        # cffi alone knows how to make the arguments of f(int, ...), and Python objects of such results.
        self.direct = self.result != "THAW_CFFI" and not any(p.kind == "THAW_CFFI" for p in self.parameters)

    @property
    def doc(self):
        """The C declaration, below a signature line that inspect understands where every parameter has a name."""
        if not self.named or self.type.ellipsis:
            return self.declaration
        names = ", ".join(each.name for each in self.parameters)
        return f"{self.name}({names})\n--\n\n{self.declaration}"

    def guarded(self):
        """Frame, run and stand-in. A variadic function has a frame only: nothing but cffi's own code can call it."""
        values = [each.type.get_c_name(f" thaw_{i}") for i, each in enumerate(self.parameters)]
        fields = [value + ";" for value in values]
        void = isinstance(self.type.result, model.VoidType)
        if not void:
            fields.append(self.type.result.get_c_name(" thaw_result") + ";")
        text = FRAME.format(name=self.name, fields=" ".join(fields) or "char thaw_nothing;")
        if self.type.ellipsis:
            return text
        arguments = ", ".join(values) or "void"
        numbers = range(len(self.parameters))
        return text + FUNCTION.format(
            name=self.name,
            assign="" if void else "thaw_f->thaw_result = ",
            values=", ".join(f"thaw_f->thaw_{i}" for i in numbers),
            prototype=self.type.result.get_c_name(f" thaw_guarded_{self.name}({arguments})"),
            store="".join(f"thaw_f.thaw_{i} = thaw_{i};\n    " for i in numbers),
            give="" if void else "return thaw_f.thaw_result;",
        )

    def table(self):
        """The parameters as a C array."""
        if not self.parameters:
            return ""
        rows = []
        for i, each in enumerate(self.parameters):
            rows.append(
                f'    {{ "{each.name}", {each.kind}, {each.flags}, (int)offsetof(thaw_frame_{self.name}, thaw_{i}), '
                f"{each.code}, {each.bits}, 0 }},\n"
            )
        return array(f"const thaw_parameter thaw_parameters_{self.name}", rows)

    def row(self):
        """The function's entry in thaw_functions."""
        void = isinstance(self.type.result, model.VoidType)
        return (
            f'    {{ "{self.name}", {c_string(self.doc)},\n      thaw_call_{self.name}, '
            f"{f'thaw_run_{self.name}' if self.direct else 'NULL'}, "
            f"{f'thaw_parameters_{self.name}' if self.parameters else 'NULL'}, {len(self.parameters)}, "
            f"{int(self.type.ellipsis)}, {self.result}, "
            f"{0 if void else f'(int)offsetof(thaw_frame_{self.name}, thaw_result)'}, "
            f"{self.result_code}, {self.result_bits} }},\n"
        )

    def trampoline(self, index):
        """What Python calls; ``index`` is that of row()."""
        return TRAMPOLINE.format(
            name=self.name, call=self.call, index=index, scratch=max(1, 2 * len(self.parameters))
        )


def functions(ffi, signatures, kind=Function):
    """The functions that ``ffi`` declares, in order of name; ``signatures`` as from cdef.signatures()."""
    return [kind(ffi, name, type, *signatures.get(name, (name, []))) for name, type in cffi_names.functions(ffi)]


def preamble(found, name, headers, keeps_errno):
    """What stands before cffi's own code, which is a complete module once cffi's init function is a step of ours.

    headers: C text that declares the functions.
    """
    module = name.rpartition(".")[2]
    end = "    { NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 }\n"  # C has no empty arrays
    bridge, regions = (cdef.include_lines([config.PACKAGE / "bridge" / name]) for name in ("bridge.h", "regions.h"))
    return "".join([
        PREAMBLE.format(bridge=bridge, regions=regions, includes=headers, **(ERRNO if keeps_errno else NO_ERRNO)),
        *(function.guarded() for function in found),
        *(function.table() for function in found),
        CALLABLES.format(count=len(found) + 1),
        *(function.trampoline(index) for index, function in enumerate(found)),
        array("const thaw_function thaw_functions", [*(function.row() for function in found), end]),
        MODULE.format(module=module, name=name.lstrip("."), count=len(found)),
        CFFI_INIT.format(module=module),
    ])  # fmt: skip


def c_string(text):
    """A C string literal, in UTF-8."""
    plain = set(range(32, 127)) - set(b'"\\?')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in text.encode()) + '"'


def array(declaration, rows):
    """A C array of initializers."""
    return f"static {declaration}[] = {{\n{''.join(rows)}}};\n"
