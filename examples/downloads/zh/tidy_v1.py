"""整理下载文件夹：按类型把每个文件移进对应的子文件夹。

用法：python tidy_downloads.py [文件夹]

不写文件夹时，整理 ~/Downloads。只移动直接放在其中的文件，文件名保持不变；
原有的子文件夹原样不动。
"""

from __future__ import annotations

import argparse
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
    """返回该文件的扩展名所属的子文件夹名。"""
    return CATEGORIES.get(file.suffix.lower(), OTHERS)


def files_in(folder: Path) -> list[Path]:
    """返回直接放在该文件夹里的文件，按文件名排序。"""
    return sorted(entry for entry in folder.iterdir() if entry.is_file())


def move_to_category(file: Path) -> Path:
    """把文件移进所属类型的子文件夹（没有就新建），返回新路径。"""
    target = file.parent / category_of(file) / file.name
    target.parent.mkdir(exist_ok=True)
    shutil.move(str(file), str(target))
    return target


def tidy(files: Sequence[Path]) -> int:
    """逐个移动文件并报告，返回未能移动的文件数。"""
    failures = 0
    for file in files:
        try:
            target = move_to_category(file)
        except OSError as error:
            failures += 1
            print(f"错误：{file.name} 留在原处：{error}", file=sys.stderr)
        else:
            print(f"{file.name} -> {target.parent.name}/{target.name}")
    print(f"共 {len(files)} 个文件，已移动 {len(files) - failures} 个")
    return failures


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """解析命令行参数（argv 为 None 时，取程序启动时的参数）。"""
    parser = argparse.ArgumentParser(description="按类型把文件夹里的文件移进子文件夹。")
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path.home() / "Downloads",
        help="要整理的文件夹（默认：%(default)s）",
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """整理命令行指定的文件夹，返回退出码；一切顺利时为 0。"""
    folder = parse_arguments(argv).folder
    try:
        files = files_in(folder)
    except OSError as error:
        print(f"错误：无法读取文件夹 {folder}：{error.strerror}", file=sys.stderr)
        return 1
    return 1 if tidy(files) else 0


if __name__ == "__main__":
    sys.exit(main())
