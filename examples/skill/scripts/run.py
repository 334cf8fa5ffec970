"""Runs a Python script with the packages that it imports: python3 run.py SCRIPT

Calls pyrunner where that command is installed. Elsewhere it follows the plain
rules on uv alone: in a folder with a pyproject.toml `uv run SCRIPT`, otherwise
`uv run --with A --with B SCRIPT` in an environment of the script's own.
--with NAME, before SCRIPT, adds a package (may be repeated).

Exit status: the script's own; 120 uv not found, 121 syntax error, 122 a package
cannot be installed, 2 wrong use.
"""

import ast
import os
import shutil
import subprocess
import sys

# Imports whose distribution has another name; pyrunner knows thousands of them.
DISTRIBUTIONS = {
    "attr": "attrs", "bs4": "beautifulsoup4", "Crypto": "pycryptodome", "cv2": "opencv-python",
    "dateutil": "python-dateutil", "docx": "python-docx", "dotenv": "python-dotenv", "fitz": "pymupdf",
    "git": "gitpython", "jwt": "pyjwt", "magic": "python-magic", "OpenSSL": "pyopenssl", "PIL": "pillow",
    "pptx": "python-pptx", "serial": "pyserial", "skimage": "scikit-image", "sklearn": "scikit-learn",
    "yaml": "pyyaml", "zmq": "pyzmq",
}
NO_UV = "uv not found: install it (https://docs.astral.sh/uv/getting-started/installation/)"


def fail(status, message):
    print("run.py: " + message, file=sys.stderr)
    raise SystemExit(status)


def imports(tree):
    """The top-level names of everything that is imported, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


def is_local(name, folder):
    path = os.path.join(folder, name)
    return os.path.isfile(path + ".py") or os.path.isdir(path)


def requirements(tree, folder):
    names = {n for n in imports(tree) if n not in sys.stdlib_module_names and not is_local(n, folder)}
    return sorted(DISTRIBUTIONS.get(name, name) for name in names)


def parse(script):
    try:
        with open(script, "rb") as file:
            source = file.read()
        compile(source, script, "exec", dont_inherit=True)
        return ast.parse(source), source
    except OSError as error:
        fail(2, str(error))
    except (SyntaxError, ValueError) as error:
        fail(121, f"syntax error in {script}, line {getattr(error, 'lineno', 0) or 0}: {error}")


def command(uv, script, extra):
    """uv's arguments up to what is to run."""
    tree, source = parse(script)
    more = [word for name in extra for word in ("--with", name)]
    if os.path.isfile("pyproject.toml"):
        return [uv, "run", "-q"] + more
    if b"# /// script" not in source:  # otherwise its author has said what it needs
        folder = os.path.dirname(os.path.realpath(script))
        more += [word for name in requirements(tree, folder) for word in ("--with", name)]
    return [uv, "run", "-q", "--no-project", "--isolated", "--no-config", "--python", sys.executable] + more


def main(arguments):
    extra = []
    while len(arguments) >= 2 and arguments[0] == "--with":
        extra.append(arguments[1])
        arguments = arguments[2:]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        fail(2, "usage: run.py [--with NAME]... SCRIPT (a script gets no arguments and no input: write them into it)")
    script = arguments[0]
    pyrunner = shutil.which("pyrunner")
    if pyrunner:
        more = [word for name in extra for word in ("--with", name)]
        return subprocess.call([pyrunner, *more, script], stdin=subprocess.DEVNULL)
    uv = shutil.which("uv")
    if not uv:
        fail(120, NO_UV)
    start = command(uv, script, extra)
    status = subprocess.call([*start, script], stdin=subprocess.DEVNULL)
    if status and subprocess.call([*start, "python", "-I", "-S", "-c", "pass"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        fail(122, "the packages cannot be installed: uv's message is above")
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
