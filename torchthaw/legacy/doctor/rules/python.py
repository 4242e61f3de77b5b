"""torchthaw/legacy/doctor/rules/python.py: Python 2 and its libraries. Syntax itself is python2.py's."""

from .rule import ARGUMENTS, CHECK, EDIT, PYTHON, renamed, rule

# Names that every module had, which some projects define for Python 3 themselves.
BUILTINS = {
    "xrange": "range", "raw_input": "input", "unicode": "str", "basestring": "str", "unichr": "chr",
    "reduce": "functools.reduce",
}  # fmt: skip

ABSTRACT = r"\b(?:Iterable|Iterator|Mapping|MutableMapping|Sequence|Callable|Container|Sized)\b"

RULES = [
    *[
        rule(
            "python2-name", EDIT, PYTHON, rf"(?<![\w.]){old}\b(?!\s*=[^=])", "Python 3 has another name for it", new,
            unless=rf"\b(?:def|class) {old}\b|\bimport\b.*\b{old}\b|(?:^|=)\s*{old}\s*=(?!=)",
        )
        for old, new in BUILTINS.items()
    ],
    *renamed("python2-name", PYTHON, [
        (r"(?<![\w.])(?<!def )long\(", "int("), (r"\(int, long\)", "int"),
        (r"(?<!def )\bexecfile\(([^()]+)\)", r"exec(open(\1).read())"),
        (r"\.iteritems\(\)", ".items()"), (r"\.itervalues\(\)", ".values()"), (r"\.iterkeys\(\)", ".keys()"),
        (r"(\b[\w.]+)\.has_key\(([^()]+)\)", r"\2 in \1"), (r"(\b(?!self\.next\b)[\w.]+)\.next\(\)", r"next(\1)"),
        (r"(\b[\w.]+\.(?:keys|values|items)\(\))\[", r"list(\1)["),
        (r"\b((?:zip|map|filter)\([^()]*\))\[", r"list(\1)["),
        (r"\bimport cPickle as pickle\b", "import pickle"),
        (r"(^[ \t]*import\b.*)\bcPickle\b(?! as\b)", r"\1pickle as cPickle"),
        (r"(^[ \t]*import\b.*)\bQueue\b(?! as\b)", r"\1queue as Queue"),
        (r"(^[ \t]*import\b.*)\bConfigParser\b(?! as\b)", r"\1configparser as ConfigParser"),
        (r"\bfrom (?:cS|S)tringIO import\b", "from io import"),
        (r"(^[ \t]*import\b.*)\burllib2\b(?! as\b)", r"\1urllib.request as urllib2"),
        (r"\bfrom urllib import (?=urlretrieve\b|urlopen\b)", "from urllib.request import "),
        (r"\burllib\.(urlretrieve|urlopen)\(", r"urllib.request.\1("),
        (r"\bfrom itertools import izip *$", "izip = zip"), (r"\bitertools\.izip\(", "zip("),
        (r"\bitertools\.imap\(", "map("), (r"\btime\.clock\(\)", "time.perf_counter()"),
        (r"\binspect\.getargspec\(", "inspect.getfullargspec("), (r"\bsys\.maxint\b", "sys.maxsize"),
        (rf"\bcollections\.({ABSTRACT})", r"collections.abc.\1"),
        (rf"\bfrom collections import ({ABSTRACT}) *$", r"from collections.abc import \1"),
    ], "Python 3 has another name for it"),
    rule(
        "python2-name", EDIT, PYTHON, r"\bfrom itertools import (?!izip *$).*\bi(?:zip|map|filter)\b",
        "Python 3 has zip, map and filter in their place, without an import",
    ),
    rule(
        "python2-name", EDIT, PYTHON, rf"\bfrom collections import (?!\w+ *$).*{ABSTRACT}",
        "Python 3 has the abstract classes in collections.abc",
    ),
    rule(
        "integer-quotient", CHECK, PYTHON, r"(\.size\(-?\d+\)|\.shape\[-?\d+\]|\blen\([\w.]+\))\s*/(?=\s*\d)",
        "`/` of integers gave an integer in Python 2", r"\1 //",
    ),
    *renamed("library-name", PYTHON, [
        (r"\b(?:np|numpy)\.(int|float|object|complex)(?![\w.])", r"\1"),
        (rf"\byaml\.load\((?!{ARGUMENTS}Loader)", "yaml.safe_load("),
        (r"\btransforms\.Scale\(", "transforms.Resize("),
        (r"\btransforms\.RandomSizedCrop\(", "transforms.RandomResizedCrop("),
    ], "the library has another name for it today"),
    rule(
        "library-name", EDIT, PYTHON,
        r"\bfrom scipy\.misc import\b|\bmisc\.(?:imread|imsave|imresize|imshow|toimage|fromimage|bytescale)\(",
        "scipy.misc is gone; use imageio or PIL",
    ),
]  # fmt: skip
