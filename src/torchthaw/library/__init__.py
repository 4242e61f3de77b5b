"""torchthaw/library: the functions of C headers as operators of PyTorch, ``torch.ops.<namespace>.<function>``.

``bind`` is called when an extension is imported, and only notes its functions: that import costs nothing and imports nothing,
PyTorch's compiler least of all. The operators are registered when something first needs one. There are four ways to
them: a look at ``torch.ops.<namespace>``; a call of a trampoline under a dispatch mode; Dynamo, which must know the
substitutes before it sees a call; and C++, which asks nobody: AOTInductor's packages. The modules of PyTorch that lead
to the latter two announce themselves by their import.
"""

import functools
import sys
import threading

from ..base import import_hook
from ..bridge import variables
from . import functions_attribute

_bound = {}  # namespace -> [(extension's module, {name: trampoline})] that are not read yet
_modules = []  # (extension's module, namespace)
_namespaces = {}  # name -> Namespace
_making = threading.Lock()  # of a Namespace: a second one would take the operators out of PyTorch when it is collected


def bind(namespace, extension, module=None):
    """Fills the namespace of an extension's package with what its C headers declare; returns the names.

    Global variables become attributes of ``module``, by default that of the namespace in sys.modules.
    """
    functions = extension.bind(namespace["__name__"])
    note(extension, functions)
    live = variables.expose(module or sys.modules[namespace["__name__"]], extension)
    found = [name for name in dir(extension.lib) if not name.startswith("_cffi")]
    names = {name: getattr(extension.lib, name) for name in found if name not in live}
    names.update(functions)
    if '"pairs":' in extension.description:
        names["functions"] = functions_attribute.Functions(
            namespace["__name__"], extension, functions, functools.partial(register, namespace_of(extension))
        )
    namespace.update(names)
    return sorted([*names, *live])


def note(module, trampolines):
    """Notes the functions of an extension's module, {name: function for Python}.

    Raises ValueError for an operator that another module of its namespace has with another schema: at once if that
    namespace is in use, else whoever looks for the operator gets it.
    """
    name = namespace_of(module)
    _bound.setdefault(name, []).append((module, trampolines))
    if all(each is not module for each, _ in _modules):
        _modules.append((module, name))
    import_hook.after_import("torch", functools.partial(_watch, name))


def namespace_of(module):
    """The name of an extension's namespace in torch.ops."""
    text = module.description
    return _namespace(module.__name__.rpartition(".")[0], _field(text, "package"), _field(text, "namespace"))


def _field(text, name):
    """A text in a description, which need not be read as a whole for it."""
    return text.partition(f'"{name}":')[2].split('"')[1]


def _namespace(imported, built, described):
    """``described``; where that is the default and the package is part of another, with that one's name before it.

    Two projects may have an extension ``_ext.my_lib`` each. imported, built: the package's name now, and when built.
    """
    is_default = described == built.replace(".", "_")
    return imported.replace(".", "_") if is_default and imported.endswith(f".{built}") else described


def redirect(in_cffi, function_name, arguments, keywords):
    """The result of a trampoline's call that PyTorch records, computed by the operator: see traced_calls.py.

    in_cffi: the C function as cffi has it, which only one module has.
    """
    from . import traced_calls

    module, name = next(each for each in _modules if getattr(each[0].lib, function_name, None) is in_cffi)
    return traced_calls.call(register(name).members[module, function_name], arguments, keywords)


def register(name):
    """Enters the operators of a namespace in PyTorch, those that are not there yet, and returns the Namespace."""
    from .namespace import Namespace

    with _making:
        if name not in _namespaces:
            _namespaces[name] = Namespace(name)
    namespace = _namespaces[name]
    namespace.take(_bound[name])
    if namespace.conflicts:
        _hide(name, namespace.conflicts)
    return namespace


def _watch(name):
    """Registers the namespace when it is first needed, or at once where it was needed already."""
    if name in _namespaces:  # it may have operators that nobody looks up again
        register(name).check_new()
        return
    _hide(name)
    import_hook.after_import("torch._inductor", functools.partial(register, name))  # the way to AOTInductor's loader
    import_hook.after_import("torch._dynamo", functools.partial(_enter_dynamo, name))


def _enter_dynamo(name):
    register(name).enter_dynamo()


def _hide(name, conflicts=()):
    """Makes ``torch.ops.<name>`` register at the first look. From then on it is PyTorch's own object again.

    conflicts: operators of which every look is to raise, also where PyTorch has kept what an earlier one found.
    """
    import torch

    if not hasattr(torch, "ops"):  # no PyTorch that works: whoever passes a tensor is told
        return
    space = getattr(torch.ops, name)
    for operator in conflicts:
        vars(space).pop(operator, None)
    kind = type(space)
    if "_of_torchthaw" in vars(kind):  # nobody looked since the last module
        return

    def look(self, operator):
        if operator.startswith("__"):  # Python's own questions, such as __path__
            raise AttributeError(operator)
        namespace = register(name)
        namespace.check(operator)
        if not namespace.conflicts:
            self.__class__ = kind
        return kind.__getattr__(self, operator)

    def operators(self):
        """PyTorch's compiler looks at each operator of each namespace: not at one that raises."""
        hidden = _namespaces[name].conflicts if name in _namespaces else ()
        return (each for each in kind.__iter__(self) if each not in hidden)

    own = {"__getattr__": look, "__iter__": operators, "__module__": kind.__module__, "_of_torchthaw": True}
    space.__class__ = type(kind.__name__, (kind,), own)
