
LIMIT = 400  # local modules followed for one script


def compiled(source, name):
    """The tree, after the whole compiler has accepted it: only that sees a return outside a
    function, or a late "from __future__"."""
    tree = compile(source, name, "exec", 0x400, True)  # 0x400: PyCF_ONLY_AST
    compile(tree, name, "exec", 0, True)
    return tree


def line_of(source, number):
    try:
        return source.decode("utf-8", "replace").splitlines()[number - 1]
    except IndexError:
        return ""


def syntax(error, source):
    if isinstance(error, SyntaxError):
        text = error.text if isinstance(error.text, str) else line_of(source, error.lineno or 1)
        return {"line": error.lineno or 1, "column": error.offset or 0, "text": text.rstrip("\r\n"), "message": error.msg or str(error)}
    if isinstance(error, (RecursionError, MemoryError)):
        return {"line": 1, "column": 0, "text": "", "message": "too deeply nested for this Python: " + (str(error) or type(error).__name__)}
    line = source[: source.find(b"\0")].count(b"\n") + 1 if b"\0" in source else 1
    return {"line": line, "column": 0, "text": line_of(source, line).replace("\0", "\\0"), "message": str(error)}


class Scan:
    """One script and the local modules that its imports reach."""

    def __init__(self, source, name, folders, words):
        self.words = words
        self.folders = Folders(folders)
        self.script = os.path.join(folders[0], os.path.basename(name)) if folders and name else ""
        self.queue = []
        self.modules = {}
        self.result = {"syntax": None, "places": False, "modules": self.modules}
        try:
            tree = compiled(source, name or "<script>")
        except Exception as error:
            self.result["syntax"] = syntax(error, source)
            return
        self.read(tree, "", self.script, True)
        while self.queue and len(self.modules) < LIMIT:
            self.follow(self.queue.pop(0))

    def follow(self, path):
        if path in self.modules or not path.endswith((".py", ".pyw")):
            return
        self.modules[path] = None  # seen, though nothing is known of it
        try:
            if os.path.getsize(path) > 4 << 20:
                return
            with open(path, "rb") as file:
                tree = compiled(file.read(), path)
        except Exception:
            return
        self.read(tree, path, path, False)

    def read(self, tree, key, path, running):
        folder = os.path.dirname(path)
        module = Module(tree, running, folder, path, self.words)
        for node in module.places:
            text = module.names.text(node)
            self.result["places"] = True
            if text and UNKNOWN not in text:
                place = os.path.normpath(os.path.join(self.folders.folders[0] if self.folders.folders else "", text))
                if place not in self.folders.folders and os.path.isdir(place):
                    self.folders.folders.append(place)
        for item in module.imports:
            self.resolve(item, folder)
        self.modules[key] = {
            "imports": module.imports,
            "groups": module.groups,
            "uses": module.uses(),
            "texts": sorted(module.texts),
            "fixtures": sorted(module.fixtures - module.own),
        }

    def resolve(self, item, folder):
        """Adds to an import where it is found beside the script."""
        parts = item["m"].split(".") if item["m"] else []
        start = None
        if item["v"]:
            start = folder
            for _ in range(item["v"] - 1):
                start = os.path.dirname(start)
            if not start:
                item["k"], item["f"] = "local", []
                return
        elif parts[0] in UNSHADOWED:
            return
        kind, paths = self.folders.find(parts, item["n"], start)
        if item["v"]:
            kind = "local"
        if self.script and paths[:1] == [self.script]:
            kind, paths = "self", []
        if kind:
            item["k"], item["f"] = kind, paths
            self.queue += paths


def serve():
    """Answers requests until standard input closes. A request is a line with the lengths of its
    parts (name, source, folders …) and then the parts; an answer is one line of JSON."""
    read, write = sys.stdin.buffer, sys.stdout.buffer
    words = read.readline().decode().rstrip("\n").split("\t")
    prefixes = read.readline().decode().rstrip("\n").split("\t")
    known = (frozenset(words), tuple(prefixes))
    hello = {"version": VERSION, "platform": sys.platform, "stdlib": sorted(STDLIB)}
    if KIND == b"source":  # the next helper need not compile it again
        hello["code"] = marshal.dumps(CODE).hex()
    write.write(dump(hello).encode() + b"\n")
    write.flush()
    while True:
        line = read.readline()
        if not line:
            os._exit(0)  # there is nothing to tidy up, and Python would take 5 ms for it
        parts = [read.read(int(length)) for length in line.split()]
        name, source = parts[0].decode("utf-8", "surrogateescape"), parts[1]
        folders = [part.decode("utf-8", "surrogateescape") for part in parts[2:]]
        try:
            answer = dump(Scan(source, name, folders, known).result)
        except Exception as error:
            answer = dump({"failed": "%s: %s" % (type(error).__name__, error)})
        write.write(answer.encode("ascii", "replace") + b"\n")
        write.flush()


serve()
