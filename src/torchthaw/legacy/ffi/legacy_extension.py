"""torchthaw/legacy/ffi/legacy_extension.py: LegacyExtension: an Extension of torchthaw.extension as old projects expect it."""

import functools
import keyword
import os
import shlex
from pathlib import Path

from ...base import cache, config
from ...extension import BuildError, ninja
from ...extension.build import Extension
from ...extension.inputs import is_cuda
from ...header import cffi_names
from ..cpp import nvcc
from . import create_extension_options, extra_objects, gnu89, reasons, th_types as th
from .package import Package

# Old code has what gcc takes for errors from 14 on, and for warnings before.
DEMOTED = [
    f"-Wno-error={name}"
    for name in ("implicit-function-declaration", "implicit-int", "incompatible-pointer-types", "int-conversion")
]
# gcc 15 compiles C23, in which () takes no arguments and bool is a keyword.
C_FLAGS = ["-std=gnu17", *DEMOTED]
# What objects compiled elsewhere need and do not name.
RUNTIMES = ["-Wl,--push-state,--as-needed", "-lstdc++", "-lgomp", "-lm", "-Wl,--pop-state"]


class Function(th.Function):
    """Any C function: tensors are TH structs, everything else crosses as in cffi, and so does the docstring."""

    @property
    def doc(self):
        """As cffi's own functions have it, below a signature line with the header's names for the parameters."""
        parameters = [type.get_c_name() for type in self.type.args] + ["..."] * self.type.ellipsis
        declaration = self.type.result.get_c_name(f" {self.name}({', '.join(parameters) or 'void'})") + ";"
        names = ", ".join(each.name + "_" * keyword.iskeyword(each.name) for each in self.parameters)
        return declaration if self.type.ellipsis else f"{self.name}({names})\n--\n\n{declaration}"


class LegacyExtension(Extension):
    """An Extension with the defaults of old projects.

    others: arguments that only setuptools gets. ffi: the cffi.FFI that stands for it.
    """

    flags = ["-O2", "-ftree-vectorize", "-fwrapv", "-fPIC", "-Wall"]
    glue_flags = ["-w"]
    maker = "torch.utils.ffi.create_extension"
    opens = "from torchthaw.legacy.loading import bind as _bind, prepare as _prepare\n\n_prepare()\n"
    ffi = None

    def __init__(self, name, base, others, **given):
        super().__init__(name, base, **given)
        self.given, self.others = given, others
        self.compiled = {}  # CUDA source of extra_objects -> why this build compiles it
        self.wrapper = Package(base, name.split("."), self.init_text())
        self.found_cuda = self.without_cuda = None
        try:
            self.found_cuda = super().cuda
        except FileNotFoundError as error:
            self.without_cuda = error  # building says so

    def build(self):
        """Compiles, links, and puts the shared object in its place; the previous one stays if that fails."""
        create_extension_options.warn_of_unknown(self.others)
        self.wrapper.make()  # an earlier failure may have taken it back
        try:
            self.take_flags()
            self.find_inputs()
            super().build()
        except BaseException as error:
            if not any(self.package.glob(f"{self.module}*.so")):
                self.wrapper.take_back()
            why = reasons.found(str(error)) if isinstance(error, BuildError) else ""
            if why:
                raise BuildError(f"{error}{why}") from None
            raise
        for tagged in self.package.glob(f"{self.module}.*.so"):
            tagged.unlink()  # Python would prefer it

    def take_flags(self):
        """Puts those of the environment before the project's own, as distutils did; setuptools does it by itself."""
        given = self.given
        vars(self).pop("c_flags", None)  # the sources may have changed
        compile = [word for variable in ("CFLAGS", "CPPFLAGS") for word in shlex.split(os.environ.get(variable, ""))]
        link = [*shlex.split(os.environ.get("LDFLAGS", "")), *compile]
        args = given["extra_compile_args"]
        self.options["extra_compile_args"] = {**args, "cxx": [*compile, *args["cxx"]]}
        self.options["extra_link_args"] = [*link, *given["extra_link_args"]]

    def find_inputs(self):
        """Decides which of extra_objects to link, and which to compile from their sources."""
        given = self.given
        if self.without_cuda:
            raise BuildError(f"{self.name}: with_cuda: {self.without_cuda}")
        if not given["with_cuda"]:
            self.options["extra_objects"] = extra_objects.for_cpu(self.base, given["extra_objects"])
            return
        libthc, _ = self.own_libraries()
        if not libthc.exists():
            missing = f"expected {libthc}, found none: torchthaw was built without nvcc"
            raise BuildError(f"{self.name}: with_cuda: {missing}")
        self.compiled, linked = extra_objects.for_cuda(self.base, given["extra_objects"], self.cuda.architectures)
        sources = dict.fromkeys([*given["sources"], *self.compiled])
        self.options.update(sources=[*sources], extra_objects=linked)

    def compile(self):
        extra_objects.compile_made(self.base, self.compiled, self.state, self.options["verbose"])
        super().compile()

    def compile_device_code(self):
        """(made, linked): the objects of CUDA code, for another linker, and the other objects to link with them."""
        self.find_inputs()
        with cache.locked(self.state, self.cache, BuildError):
            self.generate()
            extra_objects.compile_made(self.base, self.compiled, self.state)
            made = ninja.cuda_objects([self.generated, *self.options["sources"]], self.cuda)
            if made:
                ninja.run(self.state, made)
        return [self.state / each for each in made], self.options["extra_objects"]

    # What old projects expect

    def facts_of_interface(self):
        return [self.c_text(), self.c_flags]

    def c_text(self):
        """Of the FFI, which may know more by now than the headers."""
        name, preamble, *_ = cffi_names.assigned(self.ffi)
        return cffi_names.module_source(self.ffi, name, preamble)

    def kind_of_functions(self):
        return functools.partial(Function, exact=th.is_exact(self))

    def sources_of_objects(self):
        return extra_objects.readable(self.base, self.given["extra_objects"])

    def keeps_errno(self):
        return True

    # Flags

    @property
    def cuda(self):
        """As it was when the extension was made."""
        return self.found_cuda

    @functools.cached_property
    def c_flags(self):
        """Those of C sources alone."""
        return [*C_FLAGS, *gnu89.flags(*(self.options[name] for name in ("headers", "sources", "include_dirs")))]

    def flags_of(self, source):
        of_c = self.c_flags if Path(source).suffix == ".c" else []
        return super().flags_of(source) if is_cuda(source) else [*of_c, *self.removed(), *super().flags_of(source)]

    def removed(self):
        """What C and C++ see the calls that CUDA dropped by."""
        return nvcc.removed_calls_of_host(self.cuda.toolkit) if self.cuda else []

    def nvcc_flags(self):
        flags = super().nvcc_flags()
        return [*flags, *nvcc.of_device([*flags, *self.options["extra_compile_args"]["nvcc"]])]

    def link_args(self):
        return [*super().link_args(), *RUNTIMES]

    def own_libraries(self):
        return [config.library_path(name) for name in (["thc", "th"] if self.given["with_cuda"] else ["th"])]

    def libraries_of_types(self):
        """Those that there are: an extension without TH functions needs none."""
        return [path for path in self.own_libraries() if path.exists()]

    def runtime_library_dirs(self):
        return self.options["runtime_library_dirs"]

    def for_setuptools(self):
        found = super().for_setuptools()
        sources = [source for source in self.given["sources"] if not is_cuda(source)]
        # setuptools has the same flags for C and C++.
        only_c = {self.given["suffix"], *(source.suffix for source in sources)} == {".c"}
        flags = [*(self.c_flags if only_c else DEMOTED), *self.removed(), *found["extra_compile_args"]]
        return {
            **self.others, **found,
            "sources": [os.fspath(source) for source in sources],
            "extra_objects": _Objects(self),
            "extra_compile_args": flags,
            "extra_link_args": [*found["extra_link_args"], *(self.cuda.link if self.cuda else [])],
        }  # fmt: skip


class _Objects(list):
    """The objects that setuptools links; CUDA code is compiled when it asks for them, which is when it links."""

    def __init__(self, extension):
        given = extension.given["extra_objects"]
        super().__init__(os.fspath(extra_objects.first_existing(extension.base, path)) for path in given)
        self.extension = extension

    def __len__(self):
        return super().__len__() or int(self.extension.given["with_cuda"])

    def __iter__(self):
        if not self.extension.given["with_cuda"]:
            return super().__iter__()
        made, linked = self.extension.compile_device_code()
        return iter([*map(os.fspath, made), *map(os.fspath, linked)])
