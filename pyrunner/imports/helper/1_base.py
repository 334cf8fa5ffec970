# The helper: reads Python source on standard input, answers with facts. It never imports, runs or
# writes anything of the scripts that it reads, and knows no distribution: the Go side maps.
#
# The files of this folder are joined in the order of their names into one program. It must run on
# Python 3.8 to 3.14, under -I -S. It does without the modules ast, json and re: loading them would
# cost more than a whole scan.
import sys

STARTED = set(sys.modules)  # a file beside the script can't shadow what is already loaded

import _ast as A
import marshal
import os

try:
    from _json import encode_basestring_ascii as quote
except ImportError:  # another implementation of Python
    from json import dumps as quote

UNKNOWN = "\ufffc"  # stands in a text for the part that only the running script knows


class Unknown(Exception):
    """The value of an expression can't be told from the source."""


def dump(value):
    """JSON of plain values; the depth is small and known."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(quote(k) + ":" + dump(v) for k, v in value.items()) + "}"
    return "[" + ",".join(map(dump, value)) + "]"


def stdlib_names():
    names = set(getattr(sys, "stdlib_module_names", ()))
    if not names:  # before 3.10
        folder = os.path.dirname(os.__file__)
        for place in (folder, os.path.join(folder, "lib-dynload")):
            try:
                entries = os.listdir(place)
            except OSError:
                continue
            for entry in entries:
                name, dot, end = entry.partition(".")
                if not dot or end.endswith(("py", "so", "pyd", "dylib")):
                    names.add(name)
        names -= {"site-packages", "lib-dynload", "__pycache__"}
        names |= {"msvcrt", "nt", "winreg", "winsound", "_winapi", "posix", "pwd", "grp", "fcntl", "termios"}
        names |= {"resource", "syslog", "readline", "curses", "tkinter", "dbm", "sqlite3"}
    # The list of CPython leaves these out.
    return names | set(sys.builtin_module_names) | {"__main__", "test", "lib2to3"} - (
        {"lib2to3"} if sys.version_info >= (3, 13) else set()
    )


STDLIB = stdlib_names()
# Built-in and frozen modules, and those loaded before a script starts, always win over a file.
UNSHADOWED = set(sys.builtin_module_names) | {n for n in STARTED if "." not in n and n in STDLIB}
UNSHADOWED |= {"site", "os", "io", "abc", "codecs", "stat", "encodings", "importlib", "zipimport"}
UNSHADOWED -= {"__main__"}
