"""Measures one Python file and prints the result as JSON. Reads, never runs it."""

import ast
import json

BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.Assert)
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith) + ((ast.Match,) if hasattr(ast, "Match") else ())
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def own(node):
    """The nodes of a function that belong to no function inside it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, FUNCTIONS):
            yield child
            yield from own(child)


def cyclomatic(function):
    """One, and one for each way the flow can part (McCabe)."""
    total = 1
    for node in own(function):
        if isinstance(node, BRANCHES):
            total += 1
        elif isinstance(node, ast.BoolOp):
            total += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            total += 1 + len(node.ifs)
        elif type(node).__name__ == "match_case":
            total += 1
    return total


def nesting(node, depth=0):
    """How deep blocks stand in blocks."""
    deepest = depth
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTIONS):
            continue
        chained = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        deeper = depth + (isinstance(child, BLOCKS) and not chained)
        deepest = max(deepest, nesting(child, deeper))
    return deepest


def main(path, name):
    with open(path, "rb") as f:
        data = f.read()
    tree = ast.parse(data, name)
    functions = sorted((n for n in ast.walk(tree) if isinstance(n, FUNCTIONS)), key=lambda n: n.lineno)
    classes = sum(isinstance(n, ast.ClassDef) for n in ast.walk(tree))
    worst = 0
    lines = [f"{len(data.splitlines())} lines, {len(functions)} functions, {classes} classes"]
    for f in functions:
        value = cyclomatic(f)
        worst = max(worst, value)
        lines.append(
            f"{name}:{f.lineno} {f.name}: cyclomatic {value}, nesting {nesting(f)}, "
            f"{f.end_lineno - f.lineno + 1} lines"
        )
    print(json.dumps({"worst": worst, "text": "\n".join(lines)}))

