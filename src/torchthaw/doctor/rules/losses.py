"""torchthaw/doctor/rules/losses.py: which tensors have one element for sure: losses, and what was reduced."""

import ast
import re

from .. import kinds
from .rule import keyword

LOSS = {"loss", "err", "error", "cost", "acc", "accuracy"}
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
LOSSES = {"cross_entropy", "kl_div", "binary_cross_entropy", "binary_cross_entropy_with_logits", "criterion"}
FULL_REDUCTIONS = {"sum", "mean", "prod", "max", "min", "std", "var", "norm", "median"}
OF_TORCH = set(
    "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss HingeEmbeddingLoss KLDivLoss L1Loss "
    "MSELoss MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss NLLLoss2d "
    "PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss".split()
)


def words(tree, node):
    """The words of the last part of a name: {"loss"} of ``self.loss_D``."""
    name = (tree.dotted(node) or "").rpartition(".")[2]
    return {word.lower() for word in WORDS.findall(name)}


def is_number(tree, node, project, depth=3):
    """Whether a tensor has one element for sure: a loss, or what was reduced to a number."""
    if isinstance(node, ast.BinOp):
        sides = [node.left, node.right]
        return any(is_number(tree, side, project, depth) for side in sides) and all(
            is_number(tree, side, project, depth) or kinds.of(tree)(side) in ("int", "float") for side in sides
        )
    if isinstance(node, ast.Call):
        if _is_kept(node):
            return False
        if _is_reduction(tree, node):
            return True
        made = _of_criterion(tree, node, project)
        if made is not None:
            return made
        name = (tree.dotted(node.func) or "").rpartition(".")[2]
        return name in LOSSES or bool(words(tree, node.func) & LOSS)
    if kinds.of(tree).is_differentiated(node):
        return True
    values = kinds.of(tree).values(node) if depth else []
    calls = [each for each in values if isinstance(each, ast.Call)]
    if any(_of_criterion(tree, each, project) is False for each in calls):
        return False
    if words(tree, node) & LOSS:
        return True
    return (
        bool(values) and len(calls) == len(values) and all(is_number(tree, each, project, depth - 1) for each in calls)
    )


def _is_kept(call):
    """Whether a call says how its elements are reduced, which may be not at all."""
    return bool(keyword(call, "reduce") or keyword(call, "reduction"))


def _is_reduction(tree, call):
    """``x.mean()``"""
    is_method = isinstance(call.func, ast.Attribute) and tree.origin(call.func.value) not in ("torch", "numpy")
    return is_method and call.func.attr in FULL_REDUCTIONS and not call.args and not call.keywords


def _of_criterion(tree, call, project):
    """Whether a call of a module such as ``nn.MSELoss()``, or of a name that is nothing else, gives a number.

    None for any other call.
    """
    made = [call.func] if isinstance(call.func, ast.Call) else kinds.of(tree).values(call.func)
    named = [isinstance(each, ast.Call) and (tree.dotted(each.func) or "").endswith("Loss") for each in made]
    if not made or not all(named):
        return None
    return all(not _is_kept(each) and _gives_number(tree, each.func, project) for each in made)


def _gives_number(tree, node, project, seen=()):
    """Whether an instance of a class gives a number: one of torch.nn, or of the project with a forward that reduces."""
    name, origin = (tree.dotted(node) or "").rpartition(".")[2], tree.origin(node) or ""
    if origin.startswith("torch."):
        return True
    found = project.classes(name)
    if not found:
        return name in OF_TORCH
    return name not in seen and all(_reduces(*each, project, (*seen, name)) for each in found)


def _reduces(tree, node, project, seen):
    forward = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "forward"), None)
    if forward is None:
        return any(
            (tree.dotted(base) or "").endswith("Loss") and _gives_number(tree, base, project, seen)
            for base in node.bases
        )
    returned = [each.value for each in ast.walk(forward) if isinstance(each, ast.Return)]
    return bool(returned) and all(each is not None and _is_reduced(tree, each, project) for each in returned)


def _is_reduced(tree, node, project, depth=4):
    """Whether an expression is a number whatever the tensors in it are; names say nothing here."""
    if isinstance(node, kinds.Updated):
        node = node.node
    if not depth or not isinstance(node, ast.AST):
        return node in ("int", "float") if isinstance(node, str) else False
    if kinds.of(tree)(node) in ("int", "float"):
        return True
    if isinstance(node, ast.BinOp):
        return all(_is_reduced(tree, each, project, depth) for each in (node.left, node.right))
    if isinstance(node, ast.Call):
        origin = tree.origin(node.func) or ""
        name = origin.rpartition(".")[2]
        if _is_kept(node):
            return False
        is_loss = origin.startswith("torch.nn.functional.") and (name in LOSSES or name.endswith("_loss"))
        is_whole = origin == f"torch.{name}" and name in FULL_REDUCTIONS and len(node.args) == 1 and not node.keywords
        return is_loss or is_whole or _is_reduction(tree, node) or bool(_of_criterion(tree, node, project))
    values = kinds.of(tree).values(node)
    return bool(values) and all(_is_reduced(tree, each, project, depth - 1) for each in values)
