"""torchthaw/declarations/languages: one file of templates for each language, or for several that differ little."""

from . import c_text, csharp, fortran, java, python, ruby, rust, zig

LANGUAGES = {
    "csharp": csharp.LANGUAGE, "fortran": fortran.LANGUAGE, "java-ffm": java.FFM, "java-jna": java.JNA,
    "luajit": c_text.LUAJIT, "php": c_text.PHP, "python": python.LANGUAGE, "ruby": ruby.LANGUAGE, "rust": rust.LANGUAGE,
    "zig": zig.LANGUAGE,
}  # fmt: skip
