"""torchthaw/modernize/packaging/setup_file.py: the new setup.py, which has the extensions and nothing else."""

import textwrap

from ..built import LISTS, OLD_C

COMPILERS = ("cxx", "nvcc", "nvcc_dlink")
WIDTH = 110
HEAD = '''"""setup.py: the C extensions; name, version and dependencies are in pyproject.toml."""
{imports}
'''
WITH_CUDA = """
# TORCHTHAW_BUILD_CUDA=1 builds for GPUs on a machine without one.
with_cuda = torch.cuda.is_available() or os.environ.get("TORCHTHAW_BUILD_CUDA") == "1"
"""
SETUP = """
# One wheel for every Python from 3.10 on.
options = {{"bdist_wheel": {{"py_limited_api": "cp310"}}}}
setup(ext_modules={modules}, cmdclass={{"build_ext": BuildExtension}}, options=options)
"""
OLD_C_NAME = """
# C of that time: signed integers wrap around, C23 has other keywords, and compilers of today take these for errors.
old_c = {value}
"""


def text(extensions, names):
    """The text. names: the dotted names of the extensions in the new package."""
    is_optional = any(extension.is_optional for extension in extensions)
    torch = ["import os", "", "import torch"] if is_optional else []
    imports = [*torch, "from setuptools import setup", "from torchthaw import BuildExtension, FFIExtension"]
    parts = [HEAD.format(imports="\n".join(["", *imports]))]
    if is_optional:
        parts.append(WITH_CUDA)
    if any(flag in extension.files("cxx") for extension in extensions for flag in OLD_C):
        parts.append(OLD_C_NAME.format(value=_value(OLD_C, len("old_c = "))))
    several = len(extensions) > 1
    for extension, name in zip(extensions, names):
        parts.append(_extension(extension, name, several))
    modules = "extensions" if several else "[extension]"
    parts.append(SETUP.format(modules=modules))
    if several:
        index = next(i for i, part in enumerate(parts) if "FFIExtension(" in part)
        parts.insert(index, "\nextensions = []\n")
    return "".join(parts)


def _extension(extension, name, several):
    """The statements that make one extension, and add it to the list where there are several."""
    cpu, gpu = extension.cpu, extension.gpu
    if not extension.is_optional:
        return _assigned(_call(name, {each: repr_of(each, cpu) for each in _used(cpu)}, cpu["with_cuda"]), several)
    if cpu is None:
        call = _call(name, {each: repr_of(each, gpu) for each in _used(gpu)}, gpu["with_cuda"])
        if several:
            return "\nif with_cuda:\n" + textwrap.indent(_assigned(call, True).lstrip("\n"), "    ")
        return _assigned(call, False)
    lines, more, arguments = [], [], {}
    for each in LISTS:
        before, after = cpu[each], gpu[each]
        if before == after:
            if before:
                arguments[each] = repr_of(each, cpu)
            continue
        arguments[each] = each
        added = [item for item in after if item not in before]
        lines.append(f"{each} = {_list(each, before, len(each) + 3)}")
        if [item for item in after if item in before] == before:
            more.append(f"    {each} += {_list(each, added, len(each) + 8)}")
        else:
            more.append(f"    {each} = {_list(each, after, len(each) + 7)}")
    with_cuda = "with_cuda" if cpu["with_cuda"] != gpu["with_cuda"] else cpu["with_cuda"]
    condition = ["if with_cuda:", *more] if more else []
    return (
        "\n" + "\n".join([*lines, *condition, ""]) + _assigned(_call(name, arguments, with_cuda), several).lstrip("\n")
    )


def _used(options):
    return [name for name in LISTS if options[name]]


def repr_of(name, options):
    """The Python text of one list."""
    return lambda column: _list(name, options[name], column)


def _list(name, items, column):
    """A list; the flags of old C by the name that setup.py has for them."""
    if name == "cxx" and items[: len(OLD_C)] == OLD_C:
        rest = items[len(OLD_C) :]
        return f"[*old_c, {_value(rest, column)[1:]}" if rest else "old_c"
    return _value(items, column)


def _value(items, column):
    """A list in one line where it fits, else one item a line; ``column`` is where it begins."""
    texts = [_text(item) for item in items]
    line = f"[{', '.join(texts)}]"
    if column + len(line) <= WIDTH:
        return line
    indent = " " * (8 if column > 12 else 4)
    return "[\n" + "".join(f"{indent}{text},\n" for text in texts) + indent[4:] + "]"


def _text(item):
    if isinstance(item, tuple):
        return f"({', '.join(map(_text, item))})"
    return '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"' if isinstance(item, str) else repr(item)


def _call(name, arguments, with_cuda):
    """The call of FFIExtension. arguments: {name: a variable's name, or what gives the text for a column}."""
    lines, flags = [f"    {_text(name)},"], {}
    for each, value in arguments.items():
        if each in COMPILERS:
            flags[each] = value
        else:
            lines.append(f"    {each}={value if isinstance(value, str) else value(len(each) + 5)},")
    if flags:
        lines.append(f"    extra_compile_args={_flags(flags)},")
    lines.append("    th=True,")
    if with_cuda:
        lines.append(f"    with_cuda={with_cuda},")
    return "FFIExtension(\n" + "\n".join(lines) + "\n)"


def _flags(flags):
    """extra_compile_args: a list for C and C++ alone, else a dict."""
    column = len("    extra_compile_args=")
    texts = {name: value if isinstance(value, str) else value(column) for name, value in flags.items()}
    if list(texts) == ["cxx"]:
        return texts["cxx"]
    return "{" + ", ".join(f'"{name}": {value}' for name, value in texts.items()) + "}"


def _assigned(call, several):
    if several:
        return f"\nextensions.append(\n{textwrap.indent(call, '    ')}\n)\n"
    return f"\nextension = {call}\n"
