"""torchthaw/extension/generate_c.py: writes the C file of an extension: cffi's module, and a trampoline for each function.

For each function the file holds a frame (its parameters and result as a struct), `run` (the call itself, on a frame),
a guarded stand-in that cffi's own code calls in place of the function, the trampoline that Python calls, and the
kernels that PyTorch calls. What happens in between is the bridge's business: see bridge.h. checks.py writes what
annotations add.
"""

from ..base import config
from ..header import cdef, functions
from ..header.cffi_names import model
from . import generate_checks

PREAMBLE = """
{bridge}#include <string.h>
static const thaw_bridge *thaw __asm__("thaw_bridge_of_extension"); /* the extension may have a function thaw */
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

# A function of the extension whose name the C library, too, declares, or generated C: another name in this file, before
# its header is read, and its own again for the linker.
RENAME = "#define {name}(...) thaw_own_{name}(__VA_ARGS__)\n"
RENAMED = '#undef {name}\nextern __typeof__(thaw_own_{name}) thaw_own_{name} __asm__("{name}");\n'

# The C function's name becomes a macro, so that it keeps its name everywhere and cffi's code calls the stand-in.
# Entries of thaw are called in parentheses: the extension may have a function, now a macro, with the name of one.
FUNCTION = """
static void thaw_run_{name}(void *thaw_frame) {{
    thaw_frame_{name} *thaw_f = (thaw_frame_{name} *)thaw_frame;
    (void)thaw_f;
    THAW_BEFORE {assign}{called}({values}); THAW_AFTER
}}
static {prototype} {{
    thaw_frame_{name} thaw_f;
    memset(&thaw_f, 0, sizeof thaw_f); /* the result of a call that threw */
    {store}(thaw->guard)(thaw_run_{name}, &thaw_f);
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
    return (thaw->{call})(thaw_callables[{index}], &frame, scratch, arguments, count, keywords);
}}
"""

# The frame is as large as the largest of the variants.
KERNEL = """
static void {kernel}_{name}(uint64_t *stack, uint64_t inputs, uint64_t outputs) {{
    union {{ {frames} }} frame;
    (thaw->kernel)(thaw_callables[{index}], &frame, {functional}, stack, inputs, outputs);
}}
"""
KERNELS = {"default": "thaw_kernel", "out": "thaw_kernel_out"}  # of each form of an operator

# {last} is the last entry of thaw_bridge that the file uses.
MODULE = """
static PyObject *thaw_cffi_init(void);

#define THAW_KIND_NAME(name, number) #name,
static const char *const thaw_kind_names[] = {{ THAW_KIND_LIST(THAW_KIND_NAME) }};
{runtime_codes}static const thaw_module thaw_this_module = {{
    sizeof(thaw_module), THAW_BRIDGE_MAJOR, THAW_BRIDGE_MINOR, "{name}", THAW_UPTO(thaw_bridge, {last}),
    sizeof(thaw_function), sizeof(thaw_parameter), sizeof(thaw_region), thaw_functions, {count}, thaw_callables,
    thaw_cffi_init, thaw_kind_names, sizeof thaw_kind_names / sizeof *thaw_kind_names,
    {error_message}, {error_code}, {codes}, {code_count}, thaw_description
}};

#ifdef __cplusplus
extern "C"
#endif
__attribute__((visibility("default"))) PyObject *PyInit_{module}(void);
PyObject *PyInit_{module}(void) {{
    thaw = thaw_open("{name}");
    return thaw == NULL ? NULL : (thaw->load)(&thaw_this_module);
}}
"""


class Function(functions.Function):
    """One C function of the extension and the C code around it."""

    call = "call"  # the entry of thaw_bridge that calls it
    is_renamed = False  # see RENAME

    @property
    def called(self):
        """Its name in generated C."""
        return f"thaw_own_{self.name}" if self.is_renamed else self.name

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
            called=self.called,
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
        rows, described = [], self.described.parameters
        for i, (each, more) in enumerate(zip(self.parameters, described)):
            source, dimension = self.source(more)
            aliases = sum(1 << k for k, other in enumerate(described) if other.name in more.aliases)
            rows.append(
                f'    {{ "{each.name}", {each.kind}, {flags(each, more)}, '
                f"(int)offsetof(thaw_frame_{self.name}, thaw_{i}), {each.code}, {each.bits}, 0, "
                f"{source}, {dimension}, UINT64_C({aliases}) }},\n"
            )
        return array(f"const thaw_parameter thaw_parameters_{self.name}", rows)

    def source(self, parameter):
        """source and source_dim of a parameter's record."""
        if not parameter.source:
            return 0, 0
        array, dimension = parameter.source
        words = {"shape": "THAW_SHAPE_OF_SOURCE", "ndim": "THAW_NDIM_OF_SOURCE"}
        return self.number(array), words.get(dimension, dimension)

    def number(self, name):
        """1 + index of a parameter; 0 for None."""
        return next((i for i, each in enumerate(self.parameters, 1) if each.name == name), 0)

    def row(self, index_of):
        """The function's entry in thaw_functions; ``index_of``: that of a function's name."""
        void = isinstance(self.type.result, model.VoidType)
        described, workspace = self.described, generate_checks.workspace_of(self.described)
        base = 1 + index_of[described.base.name] if described.base else 0
        kernels = [f"{KERNELS[form]}_{self.name}" if form in described.forms else "NULL" for form in ("default", "out")]
        return (
            f'    {{ "{self.name}", {c_string(self.doc)},\n      thaw_call_{self.name}, '
            f"{f'thaw_run_{self.name}' if self.direct else 'NULL'}, "
            f"{f'thaw_parameters_{self.name}' if self.parameters else 'NULL'}, {len(self.parameters)}, "
            f"{int(self.type.ellipsis)}, {self.result}, "
            f"{0 if void else f'(int)offsetof(thaw_frame_{self.name}, thaw_result)'}, "
            f"{self.result_code}, {self.result_bits},\n      {int(described.has_status)}, {base}, "
            f"{f'thaw_shape_{self.name}' if generate_checks.has_shapes(described) else 'NULL'}, "
            f"{f'thaw_workspace_{self.name}' if workspace else 'NULL'}, "
            f"{self.number(workspace.name) if workspace else 0}, {self.number(workspace.size) if workspace else 0}, "
            f"{', '.join(kernels)} }},\n"
        )

    def kernels(self, index):
        """What PyTorch calls; ``index`` is that of row()."""
        names = [self.name, *(each.name for each in self.described.variants)]
        frames = " ".join(f"thaw_frame_{name} thaw_{i};" for i, name in enumerate(names))
        return "".join(
            KERNEL.format(
                kernel=KERNELS[form], name=self.name, frames=frames, index=index, functional=int(form == "default")
            )
            for form in self.described.forms
        )

    def trampoline(self, index):
        """What Python calls; ``index`` is that of row()."""
        return TRAMPOLINE.format(name=self.name, call=self.call, index=index, scratch=max(1, 2 * len(self.parameters)))


# The flags of an array in an annotated function, by the field of description.Parameter that asks for each.
ANNOTATED_FLAGS = {"is_checked": "THAW_CHECKED", "is_nullable": "THAW_MAY_BE_NULL", "is_inout": "THAW_READ_TOO"}


def flags(crossed, described):
    """The flags of a parameter's record."""
    is_plain = crossed.flags == "0" or crossed.flags == "THAW_SIZES" and described.kind == "array"
    found = [] if is_plain else [crossed.flags]
    found += [flag for field, flag in ANNOTATED_FLAGS.items() if getattr(described, field)]
    return " | ".join([*found, *(["THAW_SCRATCH"] if described.kind == "workspace" else [])]) or "0"


def preamble(found, name, headers, keeps_errno, described, prologue=""):
    """What stands before cffi's own code, which is a complete module once cffi's init function is a step of ours.

    headers: C text that declares the functions. described: the description.Module of them. prologue: C text before it.
    """
    module = name.rpartition(".")[2]
    index_of = {function.name: index for index, function in enumerate(found)}
    zeros = "NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL"
    end = f"    {{ {zeros} }}\n"  # C has no empty arrays
    codes = described.runtime_codes
    bridge, regions = (cdef.include_lines([config.PACKAGE / "bridge" / name]) for name in ("bridge.h", "regions.h"))
    renamed = [function.name for function in found if function.is_renamed]
    headers = "".join([
        prologue, *(RENAME.format(name=each) for each in renamed), headers, *(RENAMED.format(name=each) for each in renamed),
    ])  # fmt: skip
    return "".join([
        PREAMBLE.format(bridge=bridge, regions=regions, includes=headers, **(ERRNO if keeps_errno else NO_ERRNO)),
        *(function.guarded() for function in found),
        *(function.table() for function in found),
        CALLABLES.format(count=len(found) + 1),
        *(function.trampoline(index) for index, function in enumerate(found)),
        generate_checks.arithmetic(described.functions),
        *(generate_checks.functions(each) for each in described.functions),
        *(function.kernels(index) for index, function in enumerate(found)),
        array("const thaw_function thaw_functions", [*(function.row(index_of) for function in found), end]),
        f"static const char thaw_description[] =\n{c_text(described.json())};\n",
        MODULE.format(
            module=module, name=name.lstrip("."), count=len(found),
            last="kernel" if any(each.forms for each in described.functions) else "join",
            runtime_codes=array("const int thaw_runtime_codes", [f"    {code},\n" for code in codes]) if codes else "",
            codes="thaw_runtime_codes" if codes else "NULL", code_count=len(codes),
            error_message=described.error_message or "NULL", error_code=described.error_code or "NULL",
        ),
        CFFI_INIT.format(module=module),
    ])  # fmt: skip


def c_string(text):
    """A C string literal, in UTF-8."""
    plain = set(range(32, 127)) - set(b'"\\?')
    return (
        '"'
        + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in text.encode("utf-8", "surrogateescape"))
        + '"'
    )


def c_text(text):
    """A long C string literal, in several lines; compilers must take no more than 4095 bytes of one."""
    return "\n".join(f"    {c_string(text[start : start + 100])}" for start in range(0, len(text), 100))


def array(declaration, rows):
    """A C array of initializers."""
    return f"static {declaration}[] = {{\n{''.join(rows)}}};\n"
