"""torchthaw/declarations/types.py: the spelling of each scalar type of C in each language, on 64-bit Linux."""

# How many bits, and whether they have a sign.
INTEGERS = {
    "char": (8, True), "signed char": (8, True), "unsigned char": (8, False), "short": (16, True),
    "unsigned short": (16, False), "int": (32, True), "unsigned int": (32, False), "long": (64, True),
    "unsigned long": (64, False), "long long": (64, True), "unsigned long long": (64, False), "int8_t": (8, True),
    "uint8_t": (8, False), "int16_t": (16, True), "uint16_t": (16, False), "int32_t": (32, True),
    "uint32_t": (32, False), "int64_t": (64, True), "uint64_t": (64, False), "size_t": (64, False),
    "ssize_t": (64, True), "ptrdiff_t": (64, True), "intptr_t": (64, True), "uintptr_t": (64, False),
}  # fmt: skip
SCALARS = (*INTEGERS, "float", "double", "_Bool")


def spellings(signed, unsigned, others, named=""):
    """{scalar: spelling}.

    signed, unsigned: the integers of 8, 16, 32 and 64 bits. others: float, double and _Bool. named: those of other
    spelling than their size gives, as ``int=c_int``, where a name has ``-`` for a blank.
    """
    sized = {(8 << i, is_signed): word for is_signed, row in ((True, signed), (False, unsigned))
             for i, word in enumerate(row.split())}  # fmt: skip
    found = {name: sized[key] for name, key in INTEGERS.items()}
    found.update(zip(("float", "double", "_Bool"), others.split()))
    return found | {name.replace("-", " "): word for name, word in (each.split("=") for each in named.split())}


def within(template, found):
    """The same, each spelling put into ``template``."""
    return {name: template.format(word) for name, word in found.items()}


C = {name: name for name in SCALARS}

RUST = spellings(
    "i8 i16 i32 i64", "u8 u16 u32 u64", "f32 f64 bool",
    "char=c_char short=c_short unsigned-short=c_ushort int=c_int unsigned-int=c_uint long=c_long "
    "unsigned-long=c_ulong long-long=c_longlong unsigned-long-long=c_ulonglong "
    "size_t=usize ssize_t=isize ptrdiff_t=isize intptr_t=isize uintptr_t=usize",
)  # fmt: skip
ZIG = RUST | {"char": "u8"}

FORTRAN = within("integer({})", spellings(  # which has no unsigned integers
    "c_int8_t c_int16_t c_int32_t c_int64_t", "c_int8_t c_int16_t c_int32_t c_int64_t", "- - -",
    "signed-char=c_signed_char unsigned-char=c_signed_char short=c_short unsigned-short=c_short int=c_int "
    "unsigned-int=c_int long=c_long unsigned-long=c_long long-long=c_long_long unsigned-long-long=c_long_long "
    "size_t=c_size_t ssize_t=c_size_t ptrdiff_t=c_intptr_t intptr_t=c_intptr_t uintptr_t=c_intptr_t",
)) | {
    "char": "character(kind=c_char)", "float": "real(c_float)", "double": "real(c_double)", "_Bool": "logical(c_bool)",
}  # fmt: skip

JAVA = spellings("byte short int long", "byte short int long", "float double boolean")
JAVA_LAYOUTS = {name: f"ValueLayout.JAVA_{word.upper()}" for name, word in JAVA.items()}

CSHARP = spellings(
    "sbyte short int long", "byte ushort uint ulong", "float double byte",
    "size_t=UIntPtr uintptr_t=UIntPtr ssize_t=IntPtr ptrdiff_t=IntPtr intptr_t=IntPtr",
)  # fmt: skip

PYTHON = within("ctypes.{}", spellings(
    "c_int8 c_int16 c_int32 c_int64", "c_uint8 c_uint16 c_uint32 c_uint64", "c_float c_double c_bool",
    "char=c_char signed-char=c_byte unsigned-char=c_ubyte short=c_short unsigned-short=c_ushort int=c_int "
    "unsigned-int=c_uint long=c_long unsigned-long=c_ulong long-long=c_longlong unsigned-long-long=c_ulonglong "
    "size_t=c_size_t ssize_t=c_ssize_t ptrdiff_t=c_ssize_t intptr_t=c_ssize_t uintptr_t=c_size_t",
))  # fmt: skip

# Fiddle has a type without sign as the negative of the other.
RUBY = {name: word if word[0] == "-" else f" {word}" for name, word in spellings(
    "INT8_T INT16_T INT32_T INT64_T", "-INT8_T -INT16_T -INT32_T -INT64_T", "FLOAT DOUBLE -CHAR",
    "char=CHAR signed-char=CHAR unsigned-char=-CHAR short=SHORT unsigned-short=-SHORT int=INT unsigned-int=-INT "
    "long=LONG unsigned-long=-LONG long-long=LONG_LONG unsigned-long-long=-LONG_LONG "
    "size_t=SIZE_T ssize_t=SSIZE_T ptrdiff_t=PTRDIFF_T intptr_t=INTPTR_T uintptr_t=UINTPTR_T",
).items()}  # fmt: skip
RUBY = {name: f"{word[0].strip()}Fiddle::TYPE_{word[1:]}" for name, word in RUBY.items()}
