"""tests/portable/class_calls.py MODULE.so: uses the classes and operators of classes.cpp, and prints what each gives."""

import copy
import importlib.util
import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import torch
from tensor_calls import outcome

warnings.simplefilter("ignore")


def cases(module):
    """{name: a function without arguments}"""
    classes, ops = torch.classes.portable_classes, torch.ops.portable_classes
    x = torch.arange(3.0)
    leaf = x.clone().requires_grad_()

    def bag(*words):
        return classes.Bag([*words])

    def shown(*bags):
        return [each.joined(",") for each in bags]

    def filled():
        made = bag("a")
        made.put("b")
        made.put("c", 2)
        made.put(times=0, word="d")
        return shown(made), made.size(), made.length, made.last(), made.take(), made.find("b"), made.find("z")

    def with_limit():
        made = bag()
        made.limit = 6
        made.put("w", 5)
        return made.limit, made.size(), bag().limit

    def added():
        one, two = bag("a"), bag("b")
        one.add(two)
        one.add(one.copy())
        return shown(one, two)

    def averaged():
        mean = classes.Mean(x)
        mean.add(x)
        mean.add(x * 4)
        before = mean.count
        mean.count = 3
        return mean.value(), before, mean.count, mean.sum, x

    def dropped():
        made = ops.merged(bag("a"), bag("b"))
        rest = made.copy()
        del made
        return shown(rest)

    return {
        "filled": filled,
        "limit": with_limit,
        "added": added,
        "averaged": averaged,
        "dropped": dropped,
        "static": lambda: shown(classes.Bag.of_one("q")),
        "full": lambda: bag("a").put("b", 9),
        "empty": lambda: bag().take(),
        "read-only property": lambda: setattr(bag(), "length", 3),
        "no such method": lambda: bag().nothing(),
        "wrong argument": lambda: bag().put(3),
        "wrong class": lambda: bag().add(classes.Mean(x)),
        "wrong constructor": lambda: classes.Bag(3),
        "copied": lambda: shown(copy.deepcopy(bag("a", "b"))),
        "merged": lambda: shown(ops.merged(bag("a"), bag("b", "c"))),
        "merged, keyword": lambda: shown(ops.merged(bag("a"), b=bag("b"), times=3)),
        "merged, wrong": lambda: ops.merged(bag("a"), 3),
        "split": lambda: shown(*ops.split(bag("a", "b"))),
        "size_of": lambda: ops.size_of(bag("a", "b")),
        "times_size": lambda: ops.times_size(x, bag("a", "b")),
        "times_size, gradient": lambda: torch.autograd.grad(ops.times_size(leaf, bag("a", "b")).sum(), leaf),
        "counts": lambda: sorted(ops.counts(["a", "b", "a"]).items()),
        "summed": lambda: ops.summed({"a": x, "bc": x}),
        "doubled": lambda: ops.doubled([1, 2]),
        "scale": lambda: ops.scale(x, 2.0),
        "tags": lambda: sorted(str(tag) for tag in ops.scale.default.tags),
        "containers": module.of_containers,
        "kinds": module.kinds,
        "values": module.of_values,
        "wrong value": module.wrong_value,
        "pointers": module.of_pointers,
        "by dispatcher": lambda: module.by_dispatcher(x, x, 2.5),
        "by dispatcher, gradient": lambda: torch.autograd.grad(module.by_dispatcher(leaf, x, 2.5).sum(), leaf),
        "by dispatcher, shapes": lambda: module.by_dispatcher(x, torch.ones(2), 1.0),
        "own by dispatcher": lambda: module.own_by_dispatcher(x),
        "changed by dispatcher": lambda: module.changed_by_dispatcher(x.clone()),
        "unknown": module.unknown,
        "known": lambda: [module.is_known(f"portable_classes::{name}") for name in ("scale", "nothing")],
        "boxed": lambda: module.boxed(x),
    }


def main(path):
    spec = importlib.util.spec_from_file_location("classes", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    print(json.dumps({name: outcome(run, ()) for name, run in cases(module).items()}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
