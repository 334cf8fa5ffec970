

class Conditions:
    """Tells whether a condition can hold on this Python and platform: True, False, or None for
    'depends on the run'. Only the platform, the version and literals are known."""

    CALLS = {"startswith", "endswith", "lower", "upper", "casefold", "strip"}

    def __init__(self, names):
        self.names = names

    def test(self, node):
        try:
            kind = type(node)
            if kind is A.BoolOp:
                return self.boolop(node)
            if kind is A.UnaryOp and type(node.op) is A.Not:
                inner = self.test(node.operand)
                return None if inner is None else not inner
            return bool(self.value(node))
        except Exception:  # Unknown, and whatever odd operands raise
            return None

    def boolop(self, node):
        results = [self.test(part) for part in node.values]
        decisive = type(node.op) is A.Or  # one True decides an "or", one False an "and"
        if decisive in results:
            return decisive
        return None if None in results else not decisive

    def value(self, node):
        kind = type(node)
        if kind is A.Constant:
            return node.value
        if kind in (A.Name, A.Attribute, A.Call):
            return self.known(node)
        if kind in (A.Tuple, A.List, A.Set):
            return tuple(self.value(part) for part in node.elts)
        if kind is A.Compare:
            return self.compare(node)
        if kind is A.Subscript:
            return self.value(node.value)[self.index(node.slice)]
        if kind is A.BoolOp or kind is A.UnaryOp and type(node.op) is A.Not:
            result = self.test(node)
            if result is None:
                raise Unknown
            return result
        if kind is A.UnaryOp and type(node.op) is A.USub:
            return -self.value(node.operand)
        if kind is A.BinOp:
            return self.arithmetic(node)
        raise Unknown

    def index(self, node):
        if type(node).__name__ == "Index":  # Python 3.8
            node = node.value
        if type(node) is A.Slice:
            parts = (node.lower, node.upper, node.step)
            return slice(*(None if part is None else self.value(part) for part in parts))
        return self.value(node)

    def arithmetic(self, node):
        left, right = self.value(node.left), self.value(node.right)
        if not (isinstance(left, (int, float)) and isinstance(right, (int, float))) or max(abs(left), abs(right)) > 1 << 70:
            raise Unknown
        kind = type(node.op)
        if kind is A.Add:
            return left + right
        if kind is A.Sub:
            return left - right
        if kind is A.Div:
            return left / right
        if kind in (A.Pow, A.LShift) and 0 <= right <= 64 and abs(left) <= 16:
            return left**right if kind is A.Pow else left << right
        raise Unknown

    def compare(self, node):
        left = self.value(node.left)
        for op, other in zip(node.ops, node.comparators):
            right = self.value(other)
            if not COMPARE[type(op)](left, right):
                return False
            left = right
        return True

    def known(self, node):
        name = self.names.dotted(node)
        if name in ("?__name__",):
            return "__main__" if self.names.running else "module"
        if name == "?__debug__":
            return True
        if name.rpartition(".")[2].lstrip("?") in ("TYPE_CHECKING", "MYPY") and not name.startswith("?self"):
            return False
        if name in FACTS:
            return FACTS[name]()
        if type(node) is A.Attribute:
            base = self.value(node.value)
            if node.attr in ("major", "minor", "micro") and isinstance(base, tuple):
                return base[("major", "minor", "micro").index(node.attr)]
            raise Unknown
        if type(node) is A.Call:
            return self.call(node)
        return self.constant(node)

    def call(self, node):
        func = node.func
        if type(func) is A.Attribute and func.attr in self.CALLS and not node.keywords:
            base = self.value(func.value)
            if isinstance(base, str):
                return getattr(base, func.attr)(*[self.value(arg) for arg in node.args])
        if type(func) is A.Name and func.id in ("int", "tuple", "bool", "str", "float") and len(node.args) == 1:
            return {"int": int, "tuple": tuple, "bool": bool, "str": str, "float": float}[func.id](self.value(node.args[0]))
        raise Unknown

    def constant(self, node):
        """A name bound once to a condition on the platform or version: IS_WIN, PY2. A plain
        constant such as DEBUG = False stays unknown: people change it."""
        found = self.names.single(getattr(node, "id", ""))
        if found is None or type(found) in (A.Constant, A.Tuple, A.List) or node.id in self.names.open:
            raise Unknown
        self.names.open.add(node.id)
        try:
            return self.value(found)
        finally:
            self.names.open.discard(node.id)


COMPARE = {
    A.Eq: lambda a, b: a == b,
    A.NotEq: lambda a, b: a != b,
    A.Lt: lambda a, b: a < b,
    A.LtE: lambda a, b: a <= b,
    A.Gt: lambda a, b: a > b,
    A.GtE: lambda a, b: a >= b,
    A.Is: lambda a, b: a is b,
    A.IsNot: lambda a, b: a is not b,
    A.In: lambda a, b: a in b,
    A.NotIn: lambda a, b: a not in b,
}

VERSION = ".".join(map(str, sys.version_info[:3]))
SYSTEM = {"win32": "Windows", "darwin": "Darwin", "linux": "Linux", "cygwin": "CYGWIN_NT"}.get(sys.platform, sys.platform)
IMPLEMENTATION = {"cpython": "CPython", "pypy": "PyPy"}.get(sys.implementation.name, sys.implementation.name)


def machine():
    uname = getattr(os, "uname", None)
    if uname is None:
        raise Unknown
    return uname().machine


FACTS = {
    "sys.version_info": lambda: tuple(sys.version_info),
    "sys.platform": lambda: sys.platform,
    "sys.hexversion": lambda: sys.hexversion,
    "sys.version": lambda: sys.version,
    "sys.maxsize": lambda: sys.maxsize,
    "sys.byteorder": lambda: sys.byteorder,
    "sys.implementation.name": lambda: sys.implementation.name,
    "os.name": lambda: os.name,
    "platform.system()": lambda: SYSTEM,
    "platform.machine()": machine,
    "platform.uname().system": lambda: SYSTEM,
    "platform.uname().machine": machine,
    "os.uname().sysname": lambda: SYSTEM,
    "os.uname().machine": machine,
    "platform.python_implementation()": lambda: IMPLEMENTATION,
    "platform.python_version()": lambda: VERSION,
    "platform.python_version_tuple()": lambda: tuple(VERSION.split(".")),
    "six.PY2": lambda: False,
    "six.PY3": lambda: True,
}
