
ENDINGS = (".py", ".pyw", ".pyc") if sys.platform == "win32" else (".py", ".pyc")
BINARY = (".pyd",) if sys.platform == "win32" else (".so",)


class Folders:
    """Finds modules beside the script as Python's path finder would."""

    def __init__(self, folders):
        self.folders = [folder for folder in folders if folder]
        self.listed = {}

    def entries(self, folder):
        if folder not in self.listed:
            try:
                self.listed[folder] = set(os.listdir(folder))
            except (OSError, ValueError):
                self.listed[folder] = set()
        return self.listed[folder]

    def module(self, folder, name):
        """(kind, path): kind is "package", "file", "binary", "folder" (a namespace) or None."""
        entries = self.entries(folder)
        if name in entries:
            inside = self.entries(os.path.join(folder, name))
            for ending in ENDINGS:
                if "__init__" + ending in inside:
                    return "package", os.path.join(folder, name, "__init__" + ending)
        for entry in entries:
            if entry.startswith(name + "."):
                if entry[len(name):] in ENDINGS:
                    return "file", os.path.join(folder, entry)
                if entry.endswith(BINARY):
                    return "binary", os.path.join(folder, entry)
        if name in entries and os.path.isdir(os.path.join(folder, name)):
            return "folder", os.path.join(folder, name)
        return None, None

    def find(self, parts, names, start=None):
        """What importing a.b (and names from it) runs: (kind, paths). kind None: not here;
        "local": certainly; "folder": only a namespace, which any installed package wins over."""
        for folder in [start] if start else self.folders:
            found = self.follow(folder, parts, names)
            if found[0] == "local":
                return found
        for folder in [start] if start else self.folders:
            found = self.follow(folder, parts, names)
            if found[0]:
                return found
        return None, []

    def follow(self, folder, parts, names):
        paths, sure = [], False
        for depth, part in enumerate(parts):
            kind, path = self.module(folder, part)
            if kind is None:
                return ("local" if sure else "folder" if depth else None), paths
            if kind != "folder":
                sure = True
                paths.append(path)
            if kind in ("file", "binary"):
                return "local", paths
            folder = path if kind == "folder" else os.path.dirname(path)
        for name in names:
            kind, path = self.module(folder, name)
            if kind not in (None, "folder"):
                sure = True
                paths.append(path)
        return ("local" if sure else "folder" if parts else "local"), paths
