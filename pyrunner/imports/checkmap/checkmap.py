#!/usr/bin/env python3
"""Checks data/map.txt against what distributions really hold, by their own list of files (RECORD).

    checkmap.py check [FOLDER …]    each entry whose distribution is in a FOLDER (site-packages, or
                                    uv's cache), in this Python, or in the cache of "get"
    checkmap.py scan NAME …         gets these distributions with uv, prints map lines for them
    checkmap.py get NAME …          gets them, for "check" to look at

Only "scan" and "get" ask the index, through uv and as it is set up here, once for each NAME.
MAPCACHE names the folder that keeps the lists (a temporary one's name by default).
"""
import csv
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

MAP = Path(__file__).resolve().parent.parent / "data" / "map.txt"
CACHE = Path(os.environ.get("MAPCACHE") or Path(tempfile.gettempdir()) / "mapcache")
SUFFIX = re.compile(r"(\.(abi3|cpython|cp|pypy)[^.]*[^/]*)?\.(py|pyc|so|pyd|pyi)$")
NEVER = "@<3"
HIDDEN = ("distutils",)  # setuptools brings it by a .pth file, not by a module of that name


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def distribution(spec):
    return normal(re.split(r"[\[<>=!~]", spec)[0])


def modules(files):
    """Dotted names of all modules and packages among the files: name -> is it importable code?"""
    found = {}
    for file in files:
        parts = file.split("/")
        if parts[0] in ("..", "", "__pycache__") or parts[0].endswith((".dist-info", ".data")):
            continue
        leaf = SUFFIX.sub("", parts[-1])
        if leaf == parts[-1] or not all(part.isidentifier() for part in parts[:-1] + [leaf]):
            continue
        for depth in range(1, len(parts)):
            found.setdefault(".".join(parts[:depth]), False)
        code = parts[:-1] if leaf == "__init__" else parts[:-1] + [leaf]
        if code:
            found[".".join(code)] = True
    return found


def record(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [row[0] for row in csv.reader(file) if row]


def held(folders):
    """distribution -> its files, for all dist-info folders below the folders."""
    lists = {}
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.dist-info/RECORD")):
            lists.setdefault(normal(path.parent.name.partition("-")[0]), []).extend(record(path))
    for path in sorted(CACHE.glob("*.txt")):
        lists.setdefault(path.stem, path.read_text(encoding="utf-8").splitlines())
    return lists


def get(name):
    """The files of a distribution's wheel, got with uv without what it depends on."""
    kept = CACHE / (normal(name) + ".txt")
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            command = ["uv", "pip", "install", "-q", "--no-deps", "--no-config", "--target", folder, "--", name]
            run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if run.returncode:
                print("%s: %s" % (name, run.stderr.strip().splitlines()[-1:]), file=sys.stderr)
                return None
            files = [file for path in Path(folder).glob("*.dist-info/RECORD") for file in record(path)]
        kept.write_text("\n".join(files), encoding="utf-8")
    return kept.read_text(encoding="utf-8").splitlines()


def entries():
    for number, line in enumerate(MAP.read_text(encoding="utf-8").splitlines(), 1):
        words = re.split(r"(?:^|\s)#", line)[0].split()
        if len(words) > 1 and NEVER not in words:
            yield number, words[0], [word for word in words[1:] if word[0] not in "@-"]


def provides(found, name):
    """A module, a package, a namespace; or a name inside of a module that has code of its own."""
    return name in found or found.get(name.rpartition(".")[0], False)


def check(folders):
    lists = held(folders)
    right = wrong = unseen = patterns = 0
    for number, name, specs in entries():
        if name in HIDDEN or any("{}" in spec for spec in specs):
            patterns += 1
            continue
        seen = [lists[distribution(spec)] for spec in specs if distribution(spec) in lists]
        if any(provides(modules(files), name) for files in seen):
            right += 1
        elif len(seen) < len(specs) or any("<" in spec or "==" in spec for spec in specs):
            unseen += 1  # or of another version than the entry asks for
        else:
            wrong += 1
            print("map.txt:%d: %s is not in %s" % (number, name, " ".join(specs)))
    print("%d right, %d wrong, %d not at hand, %d patterns" % (right, wrong, unseen, patterns))
    return 1 if wrong else 0


def prefixes(found):
    """The shortest names that tell a distribution's modules: through namespaces down to code."""
    names = []
    for name in sorted(found):
        inside = any(other.startswith(name + ".") for other in found)
        if any(name.startswith(kept + ".") for kept in names) or inside and not found[name]:
            continue
        names.append(name)
    skip = ("test", "tests", "docs", "doc", "examples", "example", "scripts", "benchmarks")
    return [name for name in names if name.split(".")[0] not in skip]


def scan(names):
    failed = 0
    for name in names:
        files = get(name)
        failed += files is None
        for prefix in prefixes(modules(files or [])):
            if normal(prefix) != normal(name) or "." in prefix:
                print(prefix, normal(name))
    return 1 if failed else 0


def main(args):
    if args[:1] == ["check"]:
        return check(args[1:] + [sysconfig.get_path("purelib")])
    if len(args) > 1 and args[0] == "scan":
        return scan(args[1:])
    if len(args) > 1 and args[0] == "get":
        return 1 if None in [get(name) for name in args[1:]] else 0
    print(__doc__.strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
