

class Names:
    """What the names of one module stand for. One flat table: scopes are not told apart, since
    a script rarely uses one name for two things, and where it does the answer is 'unknown'."""

    def __init__(self, running, folder, path):
        self.alias = {}  # name -> dotted path of what was imported under it
        self.bound = {}  # name -> [(how, node)]
        self.returns = {}  # function -> [(how, node)]
        self.running = running  # __name__ is "__main__" here
        self.folder = folder
        self.path = path
        self.open = set()

    def bind(self, target, how, node):
        kind = type(target)
        if kind is A.Name:
            self.bound.setdefault(target.id, []).append((how, node))
        elif kind is A.Attribute:
            if type(target.value) is A.Name:
                self.bound.setdefault(target.value.id + "." + target.attr, []).append((how, node))
        elif kind is A.Starred:
            self.bind(target.value, "unknown", None)
        elif kind in (A.Tuple, A.List):
            pairs = how == "value" and type(node) in (A.Tuple, A.List) and len(node.elts) == len(target.elts)
            for i, part in enumerate(target.elts):
                if pairs:
                    self.bind(part, how, node.elts[i])
                else:
                    self.bind(part, "item" if how == "value" else "unknown", node)

    def dotted(self, node):
        """The path of an expression: pandas.read_csv().groupby()[].mean. It starts with "?" when
        the start is not something imported."""
        tail = []
        while True:
            kind = type(node)
            if kind is A.Attribute:
                if type(node.value) is A.Name and node.value.id + "." + node.attr in self.bound:
                    found = self.origin(node.value.id + "." + node.attr)
                    if found:
                        break
                tail.append("." + node.attr)
                node = node.value
            elif kind is A.Call:
                tail.append("()")
                node = node.func
            elif kind is A.Subscript:
                tail.append("[]")
                node = node.value
            elif kind is A.Await:
                node = node.value
            elif kind is A.Name:
                found = self.alias.get(node.id) or self.origin(node.id) or "?" + node.id
                break
            else:
                found = "?"
                break
        tail.append(found)
        tail.reverse()
        return "".join(tail[:60])

    def origin(self, name):
        """Where a name's value came from, as a dotted path, or None."""
        if name in self.open or len(self.open) > 40:
            return None
        if name in self.returns and name not in self.bound:
            choices, end = self.returns[name], ""
        else:
            choices, end = self.bound.get(name, ()), None
        self.open.add(name)
        try:
            for how, node in choices[:6]:
                if how == "unknown" or node is None:
                    continue
                found = self.dotted(node)
                if found[0] != "?":
                    if end is None:
                        return found + {"value": "", "item": "[]", "type": "()"}.get(how, "")
                    # A called function's path gets "()" from its caller; take ours off.
                    found += "()" if how == "type" else ""
                    return found[:-2] if found.endswith("()") else found
        finally:
            self.open.discard(name)
        return None

    def single(self, name):
        """The only node that a name is ever bound to, or None."""
        choices = self.bound.get(name, ())
        if len(choices) == 1 and choices[0][0] in ("value", "default"):
            return choices[0][1]
        return None

    def text(self, node, depth=0):
        """A string's text, with UNKNOWN for parts that the source doesn't tell; None if it may
        not be a string at all. Paths count as strings."""
        if depth > 20:
            return None
        kind = type(node)
        if kind is A.Constant:
            return node.value if isinstance(node.value, str) else None
        if kind is A.JoinedStr:
            parts = [self.text(part, depth + 1) for part in node.values]
            return "".join(UNKNOWN if part is None else part for part in parts)
        if kind is A.FormattedValue:
            return self.text(node.value, depth + 1) or UNKNOWN
        if kind is A.Name:
            if node.id == "__file__":
                return self.path or UNKNOWN
            found = self.single(node.id)
            if found is None or node.id in self.open:
                return None
            return self.text(found, depth + 1)
        if kind is A.BinOp:
            left, right = self.text(node.left, depth + 1), self.text(node.right, depth + 1)
            if type(node.op) is A.Mod and left is not None:
                return left.partition("%")[0] + UNKNOWN
            if type(node.op) not in (A.Add, A.Div) or left is None and right is None:
                return None
            between = "/" if type(node.op) is A.Div else ""
            return (UNKNOWN if left is None else left) + between + (UNKNOWN if right is None else right)
        if kind is A.Attribute:
            if node.attr == "parent":
                base = self.text(node.value, depth + 1)
                return base and os.path.dirname(base)
            found = self.single(getattr(node.value, "id", "") + "." + node.attr)
            return self.text(found, depth + 1) if found is not None else None
        if kind is A.Call:
            return self.call_text(node, depth)
        if kind is A.BoolOp and type(node.op) is A.Or:  # os.getenv("URL") or "sqlite://"
            return self.text(node.values[-1], depth + 1)
        return None

    def call_text(self, node, depth):
        name = self.dotted(node.func)
        last = name.rpartition(".")[2].lstrip("?")
        args = node.args
        if name in ("os.getenv", "os.environ.get") and len(args) == 2:
            return self.text(args[1], depth + 1)
        if last in ("str", "Path", "PurePath", "fspath", "abspath", "realpath") and len(args) == 1:
            return self.text(args[0], depth + 1)
        if name.endswith("path.dirname") and len(args) == 1:
            base = self.text(args[0], depth + 1)
            return base and os.path.dirname(base)
        if last in ("Path", "join", "joinpath") and args and not name.startswith("?."):
            parts = [self.text(arg, depth + 1) for arg in args]
            if last == "joinpath":
                parts.insert(0, self.text(node.func.value, depth + 1))
            return "/".join(UNKNOWN if part is None else part for part in parts)
        if type(node.func) is A.Attribute:
            if last in ("resolve", "absolute", "expanduser", "as_posix"):
                return self.text(node.func.value, depth + 1)
            if last == "with_suffix" and len(args) == 1:
                end = self.text(args[0], depth + 1)
                return UNKNOWN + end if end else None
            if last == "format":
                base = self.text(node.func.value, depth + 1)
                return base and base.partition("{")[0] + UNKNOWN + base.rpartition("}")[2]
        return None

    def literal(self, node):
        """An argument as the rules see it: text, or the words True, False, None, 12, a,b,c."""
        kind = type(node)
        if kind is A.Constant:
            value = node.value
            return value if isinstance(value, str) else repr(value) if isinstance(value, (int, float, type(None))) else None
        if kind in (A.List, A.Tuple, A.Set):
            return ",".join(self.literal(part) or UNKNOWN for part in node.elts[:50])
        if kind is A.Dict:
            return ",".join(self.literal(part) or UNKNOWN for part in node.keys[:50] if part is not None) + "{" + ",".join(
                self.literal(part) or UNKNOWN for part in node.values[:50]
            )
        if kind is A.Name and self.single(node.id) is not None and node.id not in self.open:
            self.open.add(node.id)
            try:
                return self.literal(self.single(node.id))
            finally:
                self.open.discard(node.id)
        found = self.text(node)
        if found is None and kind in (A.Name, A.Attribute, A.Call):
            name = self.dotted(node)
            return "@" + name if name[0] != "?" else None
        return found
