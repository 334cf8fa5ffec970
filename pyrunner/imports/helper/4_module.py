

class Module:
    """Walks one module's tree once and keeps what the Go side asks about. The walk has its own
    stack: source nested more deeply than Python's recursion limit must not end the helper."""

    def __init__(self, tree, running, folder, path, words):
        self.names = Names(running, folder, path)
        self.conditions = Conditions(self.names)
        self.words, self.prefixes = words
        self.imports = []  # {m, n, level, line, path, how}
        self.groups = []  # one per try statement: True when it names ImportError itself
        self.places = []  # expressions put on sys.path
        self.calls = {}  # id of a call's func -> the call
        self.used = []  # (node, prefix) of expressions that end in one of the words
        self.texts = set()
        self.fixtures = set()
        self.own = set()  # fixtures that the script defines itself
        self.walk(tree)

    def walk(self, tree):
        stack = [(tree, ())]
        pop, push = stack.pop, stack.append
        get = self.HANDLERS.get
        while stack:
            node, path = pop()
            handler = get(type(node))
            if handler is not None:
                children = handler(self, node, path)
                if children is not None:
                    children.reverse()
                    stack.extend(children)
                    continue
            at = len(stack)
            for field in node._fields:
                value = getattr(node, field, None)
                if type(value) is list:
                    for part in value:
                        if isinstance(part, A.AST):
                            push((part, path))
                elif isinstance(value, A.AST) and field not in ("ctx", "op"):
                    push((value, path))
            stack[at:] = stack[at:][::-1]

    # Each handler returns the children to walk, or None for all of them.

    def add(self, module, names, level, line, path, how):
        self.imports.append({"m": module, "n": names, "v": level, "l": line, "p": path, "h": how})

    def on_import(self, node, path):
        for item in node.names:
            self.add(item.name, [], 0, node.lineno, path, "import")
            if item.asname:
                self.names.alias.setdefault(item.asname, item.name)
            else:
                top = item.name.partition(".")[0]
                self.names.alias.setdefault(top, top)
        return []

    def on_from(self, node, path):
        module = node.module or ""
        self.add(module, [item.name for item in node.names], node.level, node.lineno, path, "from")
        for item in node.names:
            dotted = "." * node.level + module + "." + item.name
            self.names.alias.setdefault(item.asname or item.name, dotted)
        return []

    def on_if(self, node, path):
        holds = self.conditions.test(node.test)
        children = [(node.test, path)]
        if holds is not False:
            children += self.both(node.body, path)
        if holds is not True:
            children += self.both(node.orelse, path)
        return children

    @staticmethod
    def both(nodes, path):
        return [(n, path) for n in (nodes if isinstance(nodes, list) else [nodes])]

    def on_match(self, node, path):
        children = [(node.subject, path)]
        try:
            subject = self.conditions.value(node.subject)
        except Exception:
            return None
        for case in node.cases:
            fits = self.pattern(case.pattern, subject) if case.guard is None else None
            if fits is not False:
                children += self.both(case.body, path)
            if fits is True:
                break
        return children

    def pattern(self, pattern, subject):
        kind = type(pattern).__name__
        if kind == "MatchValue":
            try:
                return self.conditions.value(pattern.value) == subject
            except Exception:
                return None
        if kind == "MatchOr":
            results = [self.pattern(part, subject) for part in pattern.patterns]
            return True if True in results else None if None in results else False
        if kind == "MatchAs" and pattern.pattern is None:
            return True
        return None

    def on_try(self, node, path):
        catching = [handler for handler in node.handlers if self.catches(handler.type) is not None]
        if not catching:
            return None
        group = len(self.groups)
        few = all(type(part) in (A.Import, A.ImportFrom, A.Assign, A.Expr) for part in node.body[:6]) and len(node.body) < 7
        self.groups.append(any(self.catches(handler.type) for handler in catching) or few)
        children = self.both(node.body + node.orelse, path + ((group, 0),))
        for handler in node.handlers:
            if handler in catching:
                children += self.both(handler.body, path + ((group, 1 + catching.index(handler)),))
            else:
                children += self.both(handler.body, path)
        return children + self.both(node.finalbody, path)

    def catches(self, node):
        """True: the handler is for failing imports; False: it is for anything; None: for others."""
        if node is None:
            return False
        if type(node) is A.Tuple:
            results = [self.catches(part) for part in node.elts]
            return True if True in results else False if False in results else None
        name = getattr(node, "id", getattr(node, "attr", ""))
        if name in ("ImportError", "ModuleNotFoundError"):
            return True
        return False if name in ("Exception", "BaseException") else None

    def on_with(self, node, path):
        for item in node.items:
            if item.optional_vars is not None:
                self.names.bind(item.optional_vars, "value", item.context_expr)
            call = item.context_expr
            if type(call) is A.Call and self.names.dotted(call.func) in ("contextlib.suppress",):
                if any(self.catches(arg) is not None for arg in call.args):
                    self.groups.append(any(self.catches(arg) for arg in call.args))
                    path = path + ((len(self.groups) - 1, 0),)
        return [(item.context_expr, path) for item in node.items] + self.both(node.body, path)

    def on_assign(self, node, path):
        for target in node.targets:
            self.names.bind(target, "value", node.value)
        return None

    def on_annotated(self, node, path):
        self.names.bind(node.target, "value" if node.value is not None else "type", node.value or node.annotation)
        return None

    def on_augmented(self, node, path):
        if self.names.dotted(node.target) == "sys.path" and type(node.value) is A.List:
            self.places += node.value.elts
        self.names.bind(node.target, "unknown", None)
        return None

    def on_for(self, node, path):
        self.names.bind(node.target, "item", node.iter)
        return None

    def on_function(self, node, path):
        args = node.args
        plain = getattr(args, "posonlyargs", []) + args.args
        defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
        for arg, default in list(zip(plain, defaults)) + list(zip(args.kwonlyargs, args.kw_defaults)):
            how = "type" if arg.annotation is not None else "default" if default is not None else "unknown"
            self.names.bound.setdefault(arg.arg, []).append((how, arg.annotation if how == "type" else default))
        if type(node) is A.Lambda:
            return None
        if node.returns is not None:
            self.names.returns.setdefault(node.name, []).append(("type", node.returns))
        decorators = [self.names.dotted(part) for part in node.decorator_list]
        if any("fixture" in name for name in decorators):
            self.own.add(node.name)
        if node.name.startswith("test") or any("fixture" in name for name in decorators):
            self.fixtures.update(arg.arg for arg in plain + args.kwonlyargs)
        if type(node) is A.AsyncFunctionDef:
            for part in node.decorator_list:
                func = part.func if type(part) is A.Call else part
                if type(func) is A.Attribute and "async " + func.attr in self.words:
                    self.used.append((func, "async "))
        self.function = node.name
        return None

    def on_return(self, node, path):
        function = getattr(self, "function", None)
        if function and node.value is not None:
            self.names.returns.setdefault(function, []).append(("value", node.value))
        return None

    def on_name(self, node, path):
        name = self.names.alias.get(node.id, node.id)
        if (node.id in self.words or name.rpartition(".")[2] in self.words) and type(node.ctx) is A.Load:
            self.used.append((node, ""))
        return []

    def on_attribute(self, node, path):
        if node.attr in self.words:
            self.used.append((node, ""))
        return [(node.value, path)]

    def on_constant(self, node, path):
        value = node.value
        if isinstance(value, str) and 4 < len(value) < 2000 and value.startswith(self.prefixes):
            self.texts.add(value[:300])
        return []

    def on_expression(self, node, path):
        return [] if type(node.value) is A.Constant else None  # a docstring says nothing

    def on_call(self, node, path):
        self.calls[id(node.func)] = node
        func = node.func
        name = func.attr if type(func) is A.Attribute else func.id if type(func) is A.Name else ""
        name = self.names.alias.get(name, name)
        if name.rpartition(".")[2] in ("import_module", "__import__", "importorskip", "run_module"):
            self.dynamic(node, path)
        elif name in ("insert", "append", "extend") and self.names.dotted(func).startswith("sys.path."):
            self.places += [part for arg in node.args for part in getattr(arg, "elts", [arg])]
        return None

    def dynamic(self, node, path):
        name = self.names.dotted(node.func).lstrip("?")
        if name not in ("importlib.import_module", "__import__", "builtins.__import__", "importlib.__import__", "pytest.importorskip", "runpy.run_module"):
            return
        arg = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg in ("name", "modname", "mod_name")), None)
        how = name.rpartition(".")[2]
        if how == "importorskip":
            self.groups.append(True)
            path = path + ((len(self.groups) - 1, 0),)
        for module in self.modules(arg):
            if module and UNKNOWN not in module and not module.startswith("."):
                self.add(module, [], 0, node.lineno, path, how)

    def modules(self, arg):
        if arg is None:
            return []
        if type(arg) is A.Name:
            choices = self.names.bound.get(arg.id, ())
            if len(choices) == 1 and choices[0][0] == "item" and type(choices[0][1]) in (A.List, A.Tuple, A.Set):
                return [self.names.text(part) for part in choices[0][1].elts]
        return [self.names.text(arg)]

    HANDLERS = {
        A.Import: on_import,
        A.ImportFrom: on_from,
        A.If: on_if,
        A.IfExp: on_if,
        A.Try: on_try,
        A.With: on_with,
        A.AsyncWith: on_with,
        A.Assign: on_assign,
        A.AnnAssign: on_annotated,
        A.AugAssign: on_augmented,
        A.For: on_for,
        A.AsyncFor: on_for,
        A.comprehension: on_for,
        A.FunctionDef: on_function,
        A.AsyncFunctionDef: on_function,
        A.Lambda: on_function,
        A.Return: on_return,
        A.Name: on_name,
        A.Attribute: on_attribute,
        A.Constant: on_constant,
        A.Expr: on_expression,
        A.Call: on_call,
    }
    for name, handler in (("Match", on_match), ("TryStar", on_try)):
        if hasattr(A, name):
            HANDLERS[getattr(A, name)] = handler
    if hasattr(A, "NamedExpr"):
        HANDLERS[A.NamedExpr] = lambda self, node, path: self.names.bind(node.target, "value", node.value)

    def uses(self):
        """What the script does with the words it was asked about, each with literal arguments."""
        found = []
        for node, prefix in self.used[:5000]:
            call = self.calls.get(id(node))
            use = {"f": prefix + self.names.dotted(node), "l": node.lineno}
            if call is not None:
                use["a"] = [self.names.literal(arg) for arg in call.args[:8]]
                use["k"] = {k.arg: self.names.literal(k.value) for k in call.keywords if k.arg}
                use["c"] = True
            found.append(use)
        return found
