"""torchthaw/build/glue.py: writes the C file of an extension: cffi's module, and a trampoline for each function.

For each function the file holds a frame (its parameters and result as a struct), `run` (the call itself, on a frame),
a guarded stand-in that cffi's own code calls in place of the function, and the trampoline that Python calls. What
happens in between is the bridge's business: see bridge.h.
"""

import io
import json
import keyword

from cffi import model, recompiler

PREAMBLE = """
#include "bridge.h"
#include <string.h>
{includes}
static const thaw_bridge *thaw;
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

# The C function's name becomes a macro, so that it keeps its name everywhere and cffi's code calls the stand-in.
FRAME = "typedef struct {{ {fields} }} thaw_frame_{name};\n"

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

TRAMPOLINE = """
static PyObject *thaw_call_{name}(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {{
    thaw_frame_{name} frame;
    PyObject *scratch[{scratch}];
    (void)self;
    return thaw->call(&thaw_functions[{index}], &frame, scratch, arguments, count, keywords);
}}
"""

MODULE = """
static PyObject *thaw_bind(PyObject *extension, PyObject *module_name) {{
    return thaw->bind(thaw_functions, thaw_methods, extension, module_name);
}}
static PyMethodDef thaw_bind_method = {{
    "bind", thaw_bind, METH_O, "bind(module_name) -> dict of the functions that take tensors"
}};

#undef PyInit_{module}
__attribute__((visibility("default"))) PyObject *PyInit_{module}(void);
PyObject *PyInit_{module}(void) {{
    PyObject *extension, *bind;
    thaw = (const thaw_bridge *)PyCapsule_Import(THAW_BRIDGE_CAPSULE, 0);
    if (thaw == NULL) return NULL;
    if (thaw->abi != THAW_BRIDGE_ABI) {{
        PyErr_Format(PyExc_ImportError, "{module}: built for torchthaw's bridge %d, got %d; build it again",
                     THAW_BRIDGE_ABI, thaw->abi);
        return NULL;
    }}
    extension = thaw_cffi_init();
    if (extension == NULL) return NULL;
    bind = PyCFunction_NewEx(&thaw_bind_method, extension, NULL);
    if (bind == NULL || PyObject_SetAttrString(extension, "bind", bind) != 0) {{
        Py_XDECREF(bind);
        Py_DECREF(extension);
        return NULL;
    }}
    Py_DECREF(bind);
    return extension;
}}
"""

# DLPack's DLDataTypeCode
INT, UINT, FLOAT, COMPLEX, BOOL = 0, 1, 2, 5, 6


def number(ffi, name):
    """(DLPack code, bits, kind) of a C number type; kind None where a value of it is left to cffi. None if no number."""
    group = model.PrimitiveType.ALL_PRIMITIVE_TYPES.get(name)
    if name == "_Bool":
        return BOOL, 8, "THAW_BOOL"
    if group is None or name in ("wchar_t", "char16_t", "char32_t", "long double"):
        return None
    bits = 8 * ffi.sizeof(name)
    if name == "char":
        return INT, 8, None
    if group == "i":
        signed = int(ffi.cast(name, -1)) < 0
        return (INT, bits, f"THAW_INT{bits}") if signed else (UINT, bits, f"THAW_UINT{bits}")
    if group == "f":
        return FLOAT, bits, f"THAW_{name.upper()}"
    return COMPLEX, bits, None


class Parameter:
    """One parameter: its C type, and how it crosses (thaw_parameter in bridge.h)."""

    def __init__(self, ffi, type, name):
        self.type, self.name = type, name
        self.kind, self.flags, self.code, self.bits = "THAW_CFFI", [], 0, 0
        if isinstance(type, model.PrimitiveType):
            self.kind = (number(ffi, type.name) or (0, 0, None))[2] or "THAW_CFFI"
        elif isinstance(type, model.BasePrimitiveType):
            pass  # an integer or float type whose width only the C compiler knows
        elif isinstance(type, model.PointerType) and not isinstance(type, model.FunctionPtrType):
            self.kind = "THAW_HANDLE"
            element = type.totype
            found = None
            if isinstance(element, model.VoidType):
                found = -1, 0, None
            elif isinstance(element, model.PrimitiveType):
                found = number(ffi, element.name)
            if found:
                self.kind = "THAW_ARRAY"
                self.code, self.bits, _ = found
                const = type.quals & model.Q_CONST
                if not const:
                    self.flags.append("THAW_WRITTEN")
                elif (self.code, self.bits) == (INT, 64):
                    self.flags.append("THAW_SIZES")
        elif isinstance(type, model.FunctionPtrType):
            self.kind = "THAW_HANDLE"


def result_kind(ffi, type):
    """The thaw_kind of a result; THAW_CFFI where only cffi can give it to Python."""
    if isinstance(type, model.VoidType):
        return "THAW_VOID"
    if isinstance(type, model.PrimitiveType):
        return (number(ffi, type.name) or (0, 0, None))[2] or "THAW_CFFI"
    if isinstance(type, model.PointerType) and type.quals & model.Q_CONST:
        element = type.totype
        if isinstance(element, model.PrimitiveType) and element.name == "char":
            return "THAW_TEXT"
    return "THAW_CFFI"


class Function:
    """One C function of the extension and the C code around it."""

    def __init__(self, ffi, name, type, declaration, names):
        names = list(names) + [None] * (len(type.args) - len(names))
        self.name, self.type, self.declaration = name, type, declaration
        self.parameters = [
            Parameter(ffi, argument, given or f"argument{index + 1}")
            for index, (argument, given) in enumerate(zip(type.args, names))
        ]
        self.named = all(given and not keyword.iskeyword(given) for given in names[: len(type.args)])
        self.result = "THAW_CFFI" if type.ellipsis else result_kind(ffi, type.result)
        # cffi alone knows how to make the arguments of f(int, ...), and Python objects of such results.
        self.direct = self.result != "THAW_CFFI" and not any(p.kind == "THAW_CFFI" for p in self.parameters)

    @property
    def doc(self):
        """The C declaration, below a signature line that inspect understands where every parameter has a name."""
        if not self.named or self.type.ellipsis:
            return self.declaration
        names = ", ".join(parameter.name for parameter in self.parameters)
        return f"{self.name}({names})\n--\n\n{self.declaration}"

    def guarded(self):
        """Frame, run and stand-in. A variadic function has a frame only: nothing but cffi's own code can call it."""
        fields = [parameter.type.get_c_name(f" a{i}") + ";" for i, parameter in enumerate(self.parameters)]
        void = isinstance(self.type.result, model.VoidType)
        if not void:
            fields.append(self.type.result.get_c_name(" result") + ";")
        text = FRAME.format(name=self.name, fields=" ".join(fields) or "char empty;")
        if self.type.ellipsis:
            return text
        arguments = ", ".join(parameter.type.get_c_name(f" a{i}") for i, parameter in enumerate(self.parameters))
        numbers = range(len(self.parameters))
        return text + FUNCTION.format(
            name=self.name,
            assign="" if void else "thaw_f->result = ",
            values=", ".join(f"thaw_f->a{i}" for i in numbers),
            prototype=self.type.result.get_c_name(f" thaw_guarded_{self.name}({arguments or 'void'})"),
            store="".join(f"thaw_f.a{i} = a{i};\n    " for i in numbers),
            give="" if void else "return thaw_f.result;",
        )

    def table(self):
        """The parameters as a C array."""
        if not self.parameters:
            return ""
        rows = []
        for i, parameter in enumerate(self.parameters):
            rows.append(
                f'    {{ "{parameter.name}", {parameter.kind}, {" | ".join(parameter.flags) or 0}, '
                f"(int)offsetof(thaw_frame_{self.name}, a{i}), {parameter.code}, {parameter.bits} }},\n"
            )
        return f"static const thaw_parameter thaw_parameters_{self.name}[] = {{\n{''.join(rows)}}};\n"

    def row(self):
        """The function's entry in thaw_functions."""
        void = isinstance(self.type.result, model.VoidType)
        return (
            f'    {{ "{self.name}", {len(self.parameters)}, {int(self.type.ellipsis)}, '
            f"{f'thaw_parameters_{self.name}' if self.parameters else 'NULL'}, {self.result}, "
            f"{0 if void else f'(int)offsetof(thaw_frame_{self.name}, result)'}, "
            f"{f'thaw_run_{self.name}' if self.direct else 'NULL'}, NULL, NULL, NULL }},\n"
        )

    def trampoline(self, index):
        return TRAMPOLINE.format(
            name=self.name,
            index=index,
            scratch=max(1, 2 * len(self.parameters)),
        )

    def method(self):
        return (
            f'    {{ "{self.name}", (PyCFunction)(void (*)(void))thaw_call_{self.name}, '
            f"METH_FASTCALL | METH_KEYWORDS,\n      {json.dumps(self.doc)} }},\n"
        )


def functions(ffi, signatures):
    """The functions that ``ffi`` declares, in order of name; ``signatures`` as from cdef.signatures()."""
    found = []
    for key, (type, _) in sorted(ffi._parser._declarations.items()):
        kind, _, name = key.partition(" ")
        if kind == "function":
            declaration, names = signatures.get(name, (name, []))
            found.append(Function(ffi, name, type, declaration, names))
    return found


def source(ffi, signatures, name, includes, keeps_errno):
    """The C file of the extension module called ``name``, such as ``_ext.my_lib._my_lib``.

    includes: the paths of its headers. keeps_errno: whether ``ffi.errno`` follows the C functions' errno.
    """
    module = name.rpartition(".")[2]
    found = functions(ffi, signatures)
    lines = "".join(f'#include "{path}"\n' for path in includes)
    preamble = PREAMBLE.format(includes=lines, **(ERRNO if keeps_errno else NO_ERRNO)) + "".join(function.guarded() for function in found)
    preamble += CFFI_INIT.format(module=module)
    stream = io.StringIO()
    generator = recompiler.Recompiler(ffi, name)
    generator.collect_type_table()
    generator.collect_step_tables()
    generator.write_source_to_f(stream, preamble)
    tables = "".join(function.table() for function in found)
    end = "    { NULL, 0, 0, NULL, 0, 0, NULL, NULL, NULL, NULL }\n"
    rows = f"static thaw_function thaw_functions[] = {{\n{''.join(f.row() for f in found)}{end}}};\n"
    calls = "".join(function.trampoline(index) for index, function in enumerate(found))
    methods = f"static PyMethodDef thaw_methods[] = {{\n{''.join(f.method() for f in found)}    {{ NULL, NULL, 0, NULL }}\n}};\n"
    return stream.getvalue() + tables + rows + calls + methods + MODULE.format(module=module)
