"""torchthaw/extension/generation.py: Generation: the C file and the stub that an extension is generated as."""

import re

from ..header import cdef, cffi_names, comments, description, functions
from . import generate_c, header_folders, ninja, stubs, symbols
from .flags import Flags

# The head of a function's definition in C.
DEFINED = re.compile(r"\b([A-Za-z_]\w*)\s*\([^;{}]*\)\s*\{")


class Generation(Flags):
    """What is generated in ``state``, the folder of the build's own files: a C file, and a stub beside it."""

    stub = None  # the text of the package's .pyi, once c_text() knows it

    @property
    def generated(self):
        """The C file of the extension module."""
        return self.state / f"{self.module}{self.options['suffix']}"

    def facts_of_interface(self):
        """What interface() depends on besides the options."""
        folders = [*self.include_dirs(), *header_folders.of_flags(self.options["extra_compile_args"]["cxx"])]
        headers = [cdef.read(path) for path in cdef.included(self.options["headers"], folders)]
        return [headers, self.keeps_errno(), self.types and self.types.facts(self), self.own_names()]

    def write_c(self, path):
        """Writes the C file of the extension module."""
        ninja.write_if_changed(path, self.c_text())

    def write_generated(self):
        """Writes the C file and the stub in the folder ``state``."""
        self.write_c(self.generated)
        if self.stub:
            ninja.write_if_changed(self.generated.with_name(stubs.FILE), self.stub)

    def c_text(self):
        """The C file's text."""
        ffi, preamble, described = self.interface()
        self.stub = stubs.text(self.name, described, cffi_names.constants(ffi))
        return cffi_names.module_source(ffi, self.module_name, preamble)

    def interface(self):
        """(ffi, preamble, described): a cffi.FFI that knows what the headers declare, the C text around cffi's own, and
        the description.Module of the functions.
        """
        options = self.options
        prologue = self.types.prologue(options["with_cuda"]) if self.types else ""
        declared = self.declarations()
        signatures = cdef.signatures(declared.text)
        for name in options["docs"]:
            if name not in signatures:
                raise ValueError(f"functions: expected functions that the headers declare, got {name!r}")
        made = functions.read(declared.ffi, signatures, self.kind_of_functions())
        described = description.describe(made, declared, self.name, self.namespace, options["headers"])
        comments.add(made, described, declared.annotated, options["headers"], options["docs"])
        own_names = self.own_names()
        for function in made:
            function.is_renamed = function.name in own_names and not function.type.ellipsis
        includes = cdef.include_lines(options["headers"])
        preamble = generate_c.preamble(made, self.module_name, includes, self.keeps_errno(), described, prologue)
        return declared.ffi, preamble, described

    def declarations(self):
        """The cdef.Declarations of the headers."""
        options = self.options
        types = self.types.CDEF if self.types else ""
        given = header_folders.of_preprocessor(self.flags_of("headers.c"))
        return cdef.parse(options["headers"], self.include_dirs(), [*self.define_flags(), *given], types)

    def places(self):
        """{function: path:line of its declaration}"""
        return {name: each.place for name, each in cdef.signatures(self.declarations().text).items()}

    def own_names(self):
        """The functions of the sources that generated C needs other names for: the C library has those of the same name,
        and declares them otherwise, perhaps.
        """
        if self.options["suffix"] != ".c":
            return []
        found = {
            name for file in self.options["sources"] for name in DEFINED.findall(file.read_text("utf-8", "replace"))
        }
        return ["thaw", *filter(symbols.is_in_process, sorted(found))]

    def kind_of_functions(self):
        """What makes a generate_c.Function of each C function."""
        return self.types.kind(self) if self.types else generate_c.Function
