"""torchthaw/library/namespace.py: the operators of one namespace, entered in PyTorch when first needed."""

import threading
import warnings

import torch

from . import dynamo, registration, sharding
from .derivatives.forward_backward import Pair
from .functions import pairs, read
from .operator import Ambiguous, Operator

OF_OTHERS = (
    "torch.ops.{0}.{1.operator}: {1.origin} declares {1.name}, but PyTorch has this name already; give the extension "
    "another namespace, by ops=..."
)


class Member:
    """A C function in its namespace.

    namespace: its Namespace. operator: the Operator that it belongs to, or None. obstacle: why there is none.
    is_query: it takes and returns nothing but numbers, and always the same for the same.
    """

    def __init__(self, namespace, function, is_query):
        self.namespace, self.function, self.is_query = namespace, function, is_query
        self.operator, self.obstacle = None, function.obstacle


class Namespace:
    """``torch.ops.<name>``, as far as torchthaw's extensions make it."""

    def __init__(self, name):
        self.name = name
        self.operators = {}  # name -> Operator
        self.pairs = {}  # name -> Pair
        self.members = {}  # (extension's module, function) -> Member
        self.library = torch.library.Library(name, "FRAGMENT")
        self.queries = {}  # function of integers that is an operator too -> its extension's file
        self.conflicts = {}  # operator -> message
        self.new_conflicts = []
        self.in_dynamo = False
        self.lock = threading.RLock()
        self.is_taking = False
        self.when_taken = []  # called at the end of take(), where PyTorch imported Dynamo meanwhile

    def take(self, bound):
        """Enters in PyTorch what is in the list ``bound``, [(module, {name: trampoline})], and empties it."""
        with self.lock:
            if self.is_taking:  # PyTorch looks at the namespace while an operator is defined; the next module waits
                return
            self.is_taking = True
            try:
                while bound:
                    self._take(*bound.pop(0))
            finally:
                self.is_taking = False
            waiting, self.when_taken = self.when_taken, []
            for function in waiting:
                function()

    def check(self, operator):
        """Raises ValueError for an operator that two modules have with different schemas."""
        if operator in self.conflicts:
            raise ValueError(self.conflicts[operator])

    def check_new(self):
        """The same for the modules that came since the last time."""
        found, self.new_conflicts = self.new_conflicts, []
        if found:
            raise ValueError("; ".join(found))

    def close(self):
        """Takes the operators out of PyTorch."""
        self.library = None

    def enter_dynamo(self):
        """Makes Dynamo put the operators into graphs, also those to come."""
        with self.lock:
            if self.is_taking:
                self.when_taken.append(self.enter_dynamo)
            elif not self.in_dynamo and self.library is not None:  # else PyTorch has its operators no more
                self.in_dynamo = True
                self._substitute(self.members.values())

    def _take(self, module, trampolines):
        functions = read(module, trampolines)
        queries = {each.call[0] for function in functions for each in function.parameters if each.call}
        members = [Member(self, function, function.name in queries) for function in functions]
        self.members.update({(module, member.function.name): member for member in members})
        self._register(members, module)

    def _register(self, members, module):
        new, served = [], {}  # device -> {name: Operator}
        for member in members:
            if self._join(member, new):
                served.setdefault(member.function.device, {})[member.operator.name] = member.operator
        for operator in new:
            registration.define(operator, self.library)
            if operator.base.backward_of in self.operators:
                self.operators[operator.base.backward_of].backward = operator.name
        for described in pairs(module):
            if described["forward"] in self.operators:
                self.operators[described["forward"]].pair = described
        for member in members:
            if member.is_query:
                self._define_query(member)
        for device, operators in served.items():
            registration.add_kernels(operators.values(), device, module, self.library)
        for described in pairs(module):
            known = {described["forward"], described["backward"]} <= self.operators.keys()
            if known and described["operator"] not in self.pairs:
                pair = self.pairs[described["operator"]] = Pair(described, self.operators, self.pairs, self.library)
                pair.register()
                pair.build()
                sharding.register(pair)
        if self.in_dynamo:
            self._substitute(members)

    def _define_query(self, member):
        """Makes a query an operator, once. Of two extensions' functions with one name, the later one is none."""
        function = member.function
        if function.name not in self.queries:
            self.queries[function.name] = function.file
            registration.define_query(function, self.library)
        member.is_query = self.queries[function.name] == function.file

    def _join(self, member, new):
        """Finds or makes the member's operator; whether it has one."""
        function = member.function
        if member.obstacle:
            return False
        operator = self.operators.get(function.operator)
        if operator is None:
            if hasattr(getattr(torch.ops, self.name), function.operator):
                member.obstacle = OF_OTHERS.format(self.name, function)
                warnings.warn(member.obstacle, stacklevel=2)
                return False
            operator = self.operators[function.operator] = Operator(self.name, function)
            new.append(operator)
        try:
            operator.add(function)
        except ValueError as error:
            member.obstacle = self.conflicts[operator.name] = str(error)
            is_again = function.module.__name__ == operator.base.module.__name__  # it was built once more
            if not is_again and not isinstance(error, Ambiguous):
                self.new_conflicts.append(member.obstacle)
            return False
        member.operator = operator
        return True

    @staticmethod
    def _substitute(members):
        for member in members:
            dynamo.register(member)
