"""torchthaw/doctor/rules/python.py: Python 2 and its libraries. Syntax itself is python2.py's."""

from . import find_names as find
from .find_values import quotient
from .rule import CHECK, CYTHON, EDIT, TreeRule, rule

# Names that every module had.
BUILTINS = {
    "xrange": "range", "raw_input": "input", "unicode": "str", "basestring": "str", "unichr": "chr", "long": "int",
    "reduce": "from functools import reduce", "reload": "from importlib import reload",
}  # fmt: skip

MODULES = {
    "cPickle": "pickle", "Queue": "queue", "ConfigParser": "configparser", "urllib2": "urllib.request",
    "urlparse": "urllib.parse", "httplib": "http.client", "HTMLParser": "html.parser", "cookielib": "http.cookiejar",
    "Tkinter": "tkinter", "__builtin__": "builtins", "copy_reg": "copyreg", "SocketServer": "socketserver",
    "BaseHTTPServer": "http.server", "SimpleHTTPServer": "http.server", "xmlrpclib": "xmlrpc.client",
    "StringIO": "io", "cStringIO": "io",
}  # fmt: skip
# Of these it depends on the use which class is meant: io.StringIO takes text, io.BytesIO takes bytes.
UNSURE = ("StringIO", "cStringIO")

URLLIB = {
    **dict.fromkeys(("urlopen", "urlretrieve", "urlcleanup", "URLopener", "FancyURLopener"), "urllib.request"),
    **dict.fromkeys(("quote", "quote_plus", "unquote", "unquote_plus", "urlencode"), "urllib.parse"),
}
ABSTRACT = (
    "Iterable Iterator Mapping MutableMapping Sequence MutableSequence Callable Container Sized Hashable Set "
    "MutableSet KeysView ValuesView ItemsView Generator"
).split()

MEMBERS = {
    **{("urllib", name): module for name, module in URLLIB.items()},
    **{("collections", name): "collections.abc" for name in ABSTRACT},
    ("itertools", "izip"): "=zip", ("itertools", "imap"): "=map", ("itertools", "ifilter"): "=filter",
    ("itertools", "izip_longest"): "+zip_longest", ("itertools", "ifilterfalse"): "+filterfalse",
    ("time", "clock"): "+perf_counter", ("sys", "maxint"): "+maxsize",
    ("string", "letters"): "+ascii_letters", ("string", "lowercase"): "+ascii_lowercase",
    ("string", "uppercase"): "+ascii_uppercase", ("string", "maketrans"): "=str.maketrans",
    ("inspect", "getargspec"): None,
}  # fmt: skip
ATTRIBUTES = {
    **{f"collections.{name}": f"abc.{name}" for name in ABSTRACT},
    **{f"{module}.{name}": new.removeprefix("+") for (module, name), new in MEMBERS.items()
       if new and new[0] in "=+" and new != "=str.maketrans"},
    "string.maketrans": "=str.maketrans", "os.getcwdu": "getcwd",
}  # fmt: skip

ANOTHER = "Python 3 has another name for it"

# What follows a type in a declaration of Cython: `np.float x` and `np.float[:] x` are Python's float, and compile today.
DECLARED = r"[ \t]+(?!(?:if|else|for|and|or|in|is|not|as)\b)[A-Za-z_]|[ \t]*\[[ \t]*:"

RULES = [
    TreeRule("python2-name", EDIT, ANOTHER, find.builtin_names(BUILTINS)),
    TreeRule("python2-name", EDIT, ANOTHER, find.modules(MODULES, UNSURE)),
    TreeRule("python2-name", EDIT, ANOTHER, find.members(MEMBERS)),
    TreeRule("python2-name", EDIT, ANOTHER, find.attributes(ATTRIBUTES)),
    TreeRule("python2-name", EDIT, ANOTHER, find.urllib(URLLIB)),
    TreeRule(
        "python2-name", EDIT, ANOTHER,
        find.methods({"iteritems": "items", "itervalues": "values", "iterkeys": "keys"}),
    ),
    TreeRule("python2-name", EDIT, "Python 3 has `in` for it", find.has_key),
    TreeRule("python2-name", EDIT, "Python 3 has next(x) for it", find.next_method),
    TreeRule("python2-name", EDIT, "a view or an iterator in Python 3, which has no index and no length", find.lists),
    TreeRule("python2-name", EDIT, "Python 3 has exec for it", find.execfile),
    TreeRule("python2-name", EDIT, "gone; getfullargspec gives three things more", find.getargspec),
    TreeRule("integer-quotient", CHECK, "`/` of integers gave an integer in Python 2", quotient),
    TreeRule(
        "library-name", EDIT, "the library has another name for it today",
        find.attributes({
            **{f"numpy.{name}": f"={name}" for name in ("int", "float", "object", "complex")},
            "torchvision.transforms.Scale": "Resize",
            "torchvision.transforms.RandomSizedCrop": "RandomResizedCrop",
        }),
    ),
    *[  # Python's own names mean types of C in Cython
        rule(
            "library-name", EDIT, CYTHON, rf"(?<!\bndarray\[)(?<!<)\b(np|numpy)\.{name}\b(?!{DECLARED})",
            "the library has another name for it today", rf"\1.{today}",
        )
        for name, today in (("int", "int_"), ("float", "float64"), ("complex", "complex128"), ("object", "object_"))
    ],
    TreeRule("library-name", EDIT, "load needs a Loader today", find.yaml_load),
    TreeRule(
        "library-name", EDIT, "scipy.misc is gone; use imageio or PIL",
        find.gone({"scipy.misc": "imread imsave imresize imshow toimage fromimage bytescale".split()}),
    ),
]  # fmt: skip
