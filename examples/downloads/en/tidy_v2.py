"""Tidy a downloads folder: move each file into a sub-folder for its type.

Usage: python tidy_downloads.py [FOLDER]

FOLDER is ~/Downloads unless given. Only files directly in it are moved; the sub-folders that are
already there stay untouched. A file keeps its name; where that is taken it gets _1, _2, and so on,
so that nothing is ever overwritten.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Sequence

EXTENSIONS = {
    "Images": (".jpg", ".png", ".gif"),
    "Documents": (".pdf", ".doc", ".txt"),
    "Audio": (".mp3", ".wav"),
    "Video": (".mp4", ".mov"),
    "Archives": (".zip", ".rar"),
}
OTHERS = "Others"

CATEGORIES = {extension: category for category, extensions in EXTENSIONS.items() for extension in extensions}


def category_of(file: Path) -> str:
    """Return the name of the sub-folder that the file's extension belongs to."""
    return CATEGORIES.get(file.suffix.lower(), OTHERS)


def files_in(folder: Path) -> list[Path]:
    """Return the files directly in the folder, in order of their names."""
    return sorted(entry for entry in folder.iterdir() if entry.is_file())


def free_path(path: Path) -> Path:
    """Return the path or, if it is taken, the first free one of name_1, name_2, and so on."""
    candidate, number = path, 0
    while os.path.lexists(candidate):  # unlike exists(), true for a broken link too
        number += 1
        candidate = path.with_name(f"{path.stem}_{number}{path.suffix}")
    return candidate


def move_to_category(file: Path) -> Path:
    """Move the file into the sub-folder for its type, which is made if need be; return its new path."""
    target = free_path(file.parent / category_of(file) / file.name)
    target.parent.mkdir(exist_ok=True)
    shutil.move(str(file), str(target))
    return target


def tidy(files: Sequence[Path]) -> int:
    """Move the files one by one, reporting each; return how many could not be moved."""
    failures = 0
    for file in files:
        try:
            target = move_to_category(file)
        except OSError as error:
            failures += 1
            print(f"error: {file.name} stays where it is: {error}", file=sys.stderr)
        else:
            print(f"{file.name} -> {target.parent.name}/{target.name}")
    print(f"moved {len(files) - failures} of {len(files)} files")
    return failures


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line (argv, or else the one the program was started with)."""
    parser = argparse.ArgumentParser(description="Move the files of a folder into sub-folders by type.")
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path.home() / "Downloads",
        help="the folder to tidy (default: %(default)s)",
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Tidy the folder named on the command line; return the exit status, 0 if all went well."""
    folder = parse_arguments(argv).folder
    try:
        files = files_in(folder)
    except OSError as error:
        print(f"error: cannot read the folder {folder}: {error.strerror}", file=sys.stderr)
        return 1
    return 1 if tidy(files) else 0


if __name__ == "__main__":
    sys.exit(main())
