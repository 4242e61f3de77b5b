"""torchthaw/modernize/built.py: from recorded calls of create_extension to arguments of FFIExtension."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from ..extension import cuda
from ..legacy.cpp import nvcc
from ..legacy.ffi import create_extension_options
from ..legacy.ffi.legacy_extension import C_FLAGS
from .project import Refused
from .remarks import Remark

# As build() of an old project has it: signed integers wrap around, and old C compiles.
OLD_C = ["-fwrapv", *C_FLAGS]
LISTS = (
    "headers", "sources", "define_macros", "include_dirs", "libraries", "library_dirs", "runtime_library_dirs",
    "extra_objects", "cxx", "nvcc", "nvcc_dlink", "extra_link_args", "dlink_libraries",
)  # fmt: skip
# Libraries that FFIExtension links itself.
LINKED = {
    "TH": "torchthaw's libth", "THC": "torchthaw's libthc", "ATen": "torchthaw's libth and libthc",
    "cudart": "CUDA's runtime",
}  # fmt: skip
WITHOUT_USE = {"verbose", "package", "relative_to", "source_extension", *create_extension_options.OTHER_ARGUMENTS}
# Folders of PyTorch's or CUDA's own headers and libraries, which FFIExtension finds by itself.
FOUND = re.compile(r"/(?:torch/(?:lib/)?(?:include|lib)(?:/|$)|cuda(?:-[\d.]+)?/(?:include|lib\w*)(?:/|$))")
# Flags of the linker with a folder: where it looks for libraries itself, and where the loader does.
LINK_FOLDER = re.compile(r"(-L|-Wl,-rpath[,=]|-Wl,-R,?)(.+)")
# Calls that CUDA dropped, which THC/THCRemoved.cuh has.
REMOVED = re.compile(r"\bcudaThread(?:Synchronize|Exit|[GS]et(?:Limit|CacheConfig))\b|\b__(?:any|all|ballot|shfl\w*)\(")


class Extension(NamedTuple):
    """One extension. path, line: of its create_extension; name: as given there; base: the folder that it starts from.

    cpu, gpu: {argument of FFIExtension: value} without CUDA and with it, with paths relative to the project; None where
    it is not built then. ``cxx``, ``nvcc`` and ``nvcc_dlink`` stand for extra_compile_args.
    """

    path: str
    line: int
    name: str
    base: str
    cpu: dict | None
    gpu: dict | None

    @property
    def key(self):
        """What no two extensions of a project share."""
        return self.base, self.name

    @property
    def is_optional(self):
        """Whether CUDA decides what is built."""
        return self.cpu != self.gpu

    def files(self, argument):
        return list(dict.fromkeys([*(self.cpu or {}).get(argument, ()), *(self.gpu or {}).get(argument, ())]))


def extensions(project, recordings, compiled, remarks):
    """[Extension] of all build files; Refused where two make one extension.

    compiled: scripts.Compiled, of the project's scripts.
    """
    found = {}
    for recording in recordings:
        calls = {}
        for side, given in (("cpu", recording.cpu), ("gpu", recording.cuda)):
            for call in given:
                name = _name(recording.path, call)
                of_call = Reader(project, recording.path, call, remarks, compiled)
                made = of_call.arguments()
                about = calls.setdefault(name, {"line": call.line, "base": call.base, "readers": []})
                about[side] = made
                about["readers"].append(of_call)
        for call in calls.values():
            for reader in call.pop("readers"):
                reader.say_left_out(call.get("gpu"))
        for name, call in calls.items():
            key = (call["base"], name)
            if key in found:
                files = f"{found[key].path} and {recording.path}"
                raise Refused(
                    f"PROJECT: expected one build file for each extension, got {files} for {name}; --build chooses"
                )
            cpu, gpu = call.get("cpu"), call.get("gpu")
            found[key] = Extension(recording.path, call["line"], name, call["base"], cpu, gpu if gpu else cpu)
    if not found:
        raise Refused(f"{recordings[0].path}: expected a call of create_extension, found none that is reached")
    if all(each.cpu is None for each in found.values()):  # all is for GPUs, always
        return [each._replace(cpu=each.gpu) for each in found.values()]
    return list(found.values())


def _name(path, call):
    name = call.arguments.get("name")
    if not (isinstance(name, str) and all(part.isidentifier() for part in name.split("."))):
        raise Refused(f"{path}: line {call.line}: name: expected a dotted module name, got {name!r}")
    return name


class Reader:
    """Of one recorded call: what FFIExtension is to get. Says in ``remarks`` what changes on the way."""

    def __init__(self, project, path, call, remarks, compiled):
        self.project, self.path, self.call, self.remarks, self.compiled = project, path, call, remarks, compiled
        self.given = {name: value for name, value in call.arguments.items() if value is not None}
        self.left_out = {}  # {object of CUDA: its source, or itself where there is none}

    def say(self, rule, message, kind="done"):
        remark = Remark(self.path, self.call.line, rule, message, kind)
        if remark not in self.remarks:
            self.remarks.append(remark)

    def arguments(self):
        given = self.given
        made = {name: [] for name in LISTS}
        made["with_cuda"], made["dlink"] = bool(given.get("with_cuda")), bool(given.get("dlink"))
        for name in ("headers", "sources"):
            made[name] = [self.file(name, each, [self.call.base]) for each in self.texts(name)]
        for name in ("include_dirs", "library_dirs"):
            made[name] = self.folders(name, self.texts(name))
        made["define_macros"] = self.macros()
        made["libraries"] = self.libraries(self.texts("libraries"))
        made["dlink_libraries"] = self.texts("dlink_libraries")
        self.link_args(made)
        self.compile_args(made)
        self.objects(made)
        self.removed_calls(made)
        for name in given:
            if (
                name not in made
                and name not in WITHOUT_USE
                and name not in ("name", "extra_compile_args", "undef_macros")
            ):
                self.say("argument", f"{name}: FFIExtension has no such argument; it is left out", "look")
        if given.get("source_extension", ".c") != ".c":
            self.say("argument", 'source_extension: the headers are read as C; C++ needs extern "C" in them', "look")
        return made

    # What old builds took for lists

    def refused(self, argument, expected, got):
        where = f"{self.path}: line {self.call.line}: {argument}"
        return Refused(f"{where}: expected {expected}, got {got!r}")

    def texts(self, argument, value=None):
        """The texts of an argument, of which one may stand alone."""
        value = self.given.get(argument, []) if value is None else value
        listed = [value] if isinstance(value, (str, os.PathLike)) else value
        if not isinstance(listed, (list, tuple, set, frozenset)):
            raise self.refused(argument, "texts", value)
        for each in listed:
            if not isinstance(each, (str, os.PathLike)) or not is_text(os.fspath(each)):
                raise self.refused(argument, "texts", each)
        return [os.fspath(each) for each in listed]

    def macros(self):
        """define_macros, as pairs of a name and a text or None."""
        value, made = self.given.get("define_macros", ()), []
        for each in value if isinstance(value, (list, tuple)) else [value]:
            is_pair = isinstance(each, (list, tuple)) and len(each) == 2 and is_text(each[0])
            if not is_pair or not (isinstance(each[1], (int, type(None))) or is_text(each[1])):
                raise self.refused("define_macros", "pairs of a name and a text or None", each)
            made.append((each[0], str(each[1]) if isinstance(each[1], int) else each[1]))
        return made

    # Paths

    def file(self, argument, name, folders):
        """A file relative to the project."""
        for folder in folders:
            place = self.project.relative(os.path.join(folder, name))
            if place in self.project.files:
                return place
        place = self.project.relative(os.path.join(folders[0], name))
        if place is None:
            raise Refused(
                f"{self.path}: line {self.call.line}: {argument}: expected a file of the project, got {name!r}"
            )
        message = (
            f"{argument}: {name} is not there; a script of the project may have made it: put it there before the "
            "build, or choose build files without it by --build"
        )
        self.say("missing-file", message, "look")
        return place

    def folders(self, argument, names):
        found = []
        for name in names:
            if FOUND.search(name):
                self.say("found-by-itself", f"{argument}: {name} is left out: FFIExtension finds PyTorch's TH and CUDA")
                continue
            places = [self.project.relative(os.path.join(folder, name)) for folder in (self.call.cwd, self.call.base)]
            inside = next((place for place in places if place is not None and self.project.has_folder(place)), None)
            if inside is None and os.path.isabs(name):
                name = places[0] or name
            if inside is None and os.path.isabs(name):
                self.say("absolute-path", f"{argument}: {name} is a folder of one machine", "look")
            elif inside is None:
                self.say("missing-file", f"{argument}: {name} is not there", "look")
            found.append((inside or ".") if inside is not None else name)
        return list(dict.fromkeys(found))

    # Flags

    def libraries(self, names):
        for name in names:
            if name in LINKED:
                self.say("found-by-itself", f"libraries: {name} is left out: FFIExtension links {LINKED[name]}")
        return [name for name in names if name not in LINKED]

    def link_args(self, made):
        """runtime_library_dirs and extra_link_args, of which the folders of the project are relative."""
        for name in self.texts("runtime_library_dirs"):
            if not self.runtime_folder("runtime_library_dirs", name, made):
                made["runtime_library_dirs"].append(name)
        for flag in self.texts("extra_link_args"):
            option, folder = LINK_FOLDER.fullmatch(flag).groups() if LINK_FOLDER.fullmatch(flag) else ("", "")
            if option == "-L":
                made["library_dirs"] += [
                    each for each in self.folders("extra_link_args", [folder]) if each not in made["library_dirs"]
                ]
            elif not option or not self.runtime_folder("extra_link_args", folder, made):
                made["extra_link_args"].append(flag)

    def runtime_folder(self, argument, name, made):
        """Whether ``name`` is a folder of the project, which becomes one of runtime_library_dirs."""
        place = self.project.relative(name) if os.path.isabs(name) else None
        if place is None:
            if os.path.isabs(name):
                self.say("absolute-path", f"{argument}: {name} is a folder of one machine", "look")
            return False
        where = "an installed package finds no library there; set LD_LIBRARY_PATH, or install the library"
        self.say("absolute-path", f"{argument}: {place} is a folder of the project: {where}", "look")
        if place not in made["runtime_library_dirs"]:
            made["runtime_library_dirs"].append(place)
        return True

    def compile_args(self, made):
        given = self.given.get("extra_compile_args") or ()
        if not isinstance(given, dict):
            given = {"cxx": given}
        given = {key: self.texts("extra_compile_args", each or ()) for key, each in given.items()}
        if unknown := [key for key in given if key not in cuda.COMPILERS]:
            raise self.refused("extra_compile_args", f"the keys {', '.join(cuda.COMPILERS)}", unknown[0])
        made.update(cuda.compile_args(given))
        made["cxx"] = [flag for flag in made["cxx"] if not self.is_folder("extra_compile_args", flag, made)]
        made["nvcc"] = [flag for flag in made["nvcc"] if not self.is_folder("extra_compile_args", flag, made)]
        made["cxx"] += [f"-U{name}" for name in self.texts("undef_macros")]
        kept = without_architectures(made["nvcc"])
        if kept != made["nvcc"]:
            self.say(
                "architectures", "the list of architectures is left out: TORCH_CUDA_ARCH_LIST says what to build for"
            )
        made["nvcc"] = without_old_standard(kept)
        if made["nvcc"] != kept:
            self.say("cuda-standard", "nvcc: a standard before C++17 is left out, which CUDA's headers refuse today")
        if any(name.endswith(".c") for name in made["sources"]):
            made["cxx"] = [*OLD_C, *made["cxx"]]
        if "-fopenmp" in made["cxx"] and "-fopenmp" not in made["extra_link_args"]:
            made["extra_link_args"].append("-fopenmp")

    def is_folder(self, origin, flag, made):
        """Whether a flag is -I of a folder, which becomes one of include_dirs. origin: what has the flag."""
        if not flag.startswith("-I") or len(flag) == 2:
            return False
        made["include_dirs"] += [each for each in self.folders(origin, [flag[2:]]) if each not in made["include_dirs"]]
        return True

    def objects(self, made):
        """Objects: made of their sources again where these are there."""
        for name in self.texts("extra_objects"):
            places = [self.project.relative(os.path.join(folder, name)) for folder in (self.call.cwd, self.call.base)]
            places = [place for place in dict.fromkeys(places) if place is not None]
            if not places:
                self.say("absolute-path", f"extra_objects: {name} is a file of one machine", "look")
                made["extra_objects"].append(name)
                continue
            source = next(filter(None, (self.source_of(place) for place in places)), None)
            if source is None:
                self.kept(next((place for place in places if place in self.project.files), places[0]), made)
            elif source.endswith(".cu"):
                self.cuda_source(places[0], source, made)
            elif source not in made["sources"]:
                self.say("object", f"extra_objects: {places[0]} is made of {source} again, which is among the sources")
                made["sources"].append(source)
                self.add_flags(source, "cxx", made)
                if source.endswith(".c") and OLD_C[0] not in made["cxx"]:
                    made["cxx"] = [*OLD_C, *made["cxx"]]

    def removed_calls(self, made):
        """What CUDA dropped: torchthaw's header has it, for nvcc and for C."""
        sources = [self.project.text(name) for name in made["sources"] if name in self.project.files]
        if not made["with_cuda"] or not any(REMOVED.search(source.text) for source in sources if source):
            return
        made["nvcc"] += [flag for flag in nvcc.removed_calls(made["nvcc"]) if flag not in made["nvcc"]]
        made["cxx"] = [*made["cxx"], *nvcc.REMOVED_CALLS]
        self.say("removed-cuda", "calls that CUDA has no more come from torchthaw's THC/THCRemoved.cuh")

    def source_of(self, place):
        """The source that an object is made of; None without one."""
        if place in self.compiled.sources:
            return self.compiled.sources[place]
        path = Path(place)
        if path.suffix not in (".o", ".cuo", ".obj"):
            return None
        stem = path.name[: -len(path.suffix)]
        others = [path.with_name(stem)] + [path.with_name(stem + suffix) for suffix in (".c", ".cpp", ".cc", ".cxx")]
        names = [each.as_posix() for each in [*cuda.sources_of(path), *others]]
        return next((name for name in names if name in self.project.files), None)

    def kept(self, place, made):
        """An object or library without a source."""
        if not made["with_cuda"] and self._is_of_cuda(place):
            self.left_out[place] = place
            return
        if place in self.project.files and re.search(r"\.so(?:\.\d+)*$", place):
            # By its path it would be named in the product, as it is on this machine.
            folder, name = os.path.dirname(place) or ".", os.path.basename(place)
            where = "where it is installed, put it into a folder that LD_LIBRARY_PATH or ldconfig names"
            self.say("object", f"extra_objects: {place} is linked by its name, and found in {folder}; {where}", "look")
            made["extra_link_args"].append(f"-l:{name}")
            for argument in ("library_dirs", "runtime_library_dirs"):
                made[argument] += [folder] if folder not in made[argument] else []
            return
        if place in self.project.files:
            rule = f"extra_objects: {place} stays: there is no source that it is made of"
            self.say("object", rule, "hint" if place.endswith((".a", ".so")) else "look")
        else:
            rule = "and no source that it is made of; put it there before the build"
            self.say("object", f"extra_objects: {place} is not there, {rule}", "look")
        made["extra_objects"].append(place)

    def _is_of_cuda(self, place):
        """Whether an object without a source is one of nvcc, by its name or by what it holds."""
        if place.endswith((".cu.o", ".cuo")):
            return True
        file = self.project.files.get(place) if place.endswith((".o", ".obj")) else None
        return file is not None and b"__cudaRegisterFatBinary" in file.data()

    def say_left_out(self, with_cuda):
        """Says which CUDA code is nowhere. with_cuda: the arguments of the build with CUDA, or None without one."""
        built = [*with_cuda["sources"], *with_cuda["extra_objects"]] if with_cuda else ()
        for name, source in self.left_out.items():
            if source not in built:
                self.say("object", f"extra_objects: {name} is CUDA code and left out: with_cuda is false", "look")

    def cuda_source(self, name, source, made):
        if not made["with_cuda"]:
            self.left_out[name] = source
            return
        self.say("object", f"extra_objects: {name} is made of {source} again, which is among the sources")
        if source not in made["sources"]:
            made["sources"].append(source)
        self.add_flags(source, "nvcc", made)

    def add_flags(self, source, compiler, made):
        """The flags that a script of the project compiled a source with."""
        flags = [flag for flag in self.compiled.flags.get(source, ()) if not self.is_folder(compiler, flag, made)]
        made[compiler] += [flag for flag in flags if flag not in made[compiler]]
        if "-fopenmp" in flags and compiler == "cxx" and "-fopenmp" not in made["extra_link_args"]:
            made["extra_link_args"].append("-fopenmp")


def without_architectures(words):
    """Flags of nvcc without those that choose architectures."""
    kept, words = [], list(words)
    while words:
        word = words.pop(0)
        if word in nvcc.ARCHITECTURE:
            del words[:1]
        elif word.partition("=")[0] not in nvcc.ARCHITECTURE:
            kept.append(word)
    return kept


def without_old_standard(words):
    """Flags of nvcc without a standard that CUDA's headers refuse."""
    kept, words = [], list(words)
    while words:
        word = words.pop(0)
        flag, equal, value = word.partition("=")
        given = value if equal else "".join(words[:1])
        if flag in ("-std", "--std") and nvcc.OLD_STANDARD.fullmatch(given):
            del words[: not equal]
        else:
            kept.append(word)
    return kept


def is_text(value):
    """Whether a file or a command can hold it."""
    return isinstance(value, str) and "\0" not in value and value.encode(errors="replace").decode() == value
