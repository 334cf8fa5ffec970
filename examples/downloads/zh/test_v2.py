"""tidy_downloads 的测试：每条已确认的需求各有专门的测试。"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tidy_downloads import main


@pytest.fixture
def downloads(tmp_path, monkeypatch):
    """返回一个顶替 ~/Downloads 的空文件夹，任何测试都碰不到真正的下载文件夹。"""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    folder = tmp_path / "Downloads"
    folder.mkdir()
    return folder


def put(path: Path, text: str = "") -> Path:
    """写一个小文件，上层文件夹一并建好。"""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def files_below(folder: Path) -> dict[str, str]:
    """返回该文件夹下的所有文件：相对路径与文本内容。"""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


@pytest.mark.parametrize(
    ("category", "names"),
    [
        ("Images", ["a.jpg", "b.png", "c.gif", "SHOUTING.JPG"]),
        ("Documents", ["a.pdf", "b.doc", "c.txt"]),
        ("Audio", ["a.mp3", "b.wav"]),
        ("Video", ["a.mp4", "b.mov"]),
        ("Archives", ["a.zip", "b.rar"]),
        ("Others", ["a.exe", "b.docx", "c.tar.gz", "no_extension"]),
    ],
)
def test_classification_is_by_extension(downloads, category, names):
    for name in names:
        put(downloads / name)
    assert main([str(downloads)]) == 0
    assert set(files_below(downloads)) == {f"{category}/{name}" for name in names}


def test_only_this_level_and_sub_folders_stay_untouched(downloads):
    put(downloads / "项目" / "标志.png", "标志")
    put(downloads / "项目" / "笔记" / "待办.txt", "待办")
    put(downloads / "照片.png", "照片")
    assert main([str(downloads)]) == 0
    assert files_below(downloads) == {
        "项目/标志.png": "标志",
        "项目/笔记/待办.txt": "待办",
        "Images/照片.png": "照片",
    }


def test_names_are_kept(downloads):
    put(downloads / "终稿（第 2 版）really final.pdf", "正文")
    assert main([str(downloads)]) == 0
    assert files_below(downloads) == {"Documents/终稿（第 2 版）really final.pdf": "正文"}


def test_name_clash_gets_1_and_overwrites_nothing(downloads):
    put(downloads / "Documents" / "报告.pdf", "一月")
    put(downloads / "报告.pdf", "二月")
    assert main([str(downloads)]) == 0
    assert files_below(downloads) == {"Documents/报告.pdf": "一月", "Documents/报告_1.pdf": "二月"}


def test_next_name_clash_gets_2(downloads):
    for month in ("一月", "二月", "三月"):
        put(downloads / "报告.pdf", month)
        assert main([str(downloads)]) == 0
    assert files_below(downloads) == {
        "Documents/报告.pdf": "一月",
        "Documents/报告_1.pdf": "二月",
        "Documents/报告_2.pdf": "三月",
    }


def test_two_files_of_one_run_never_get_the_same_name(downloads):
    put(downloads / "Documents" / "报告.pdf", "一月")
    put(downloads / "报告.pdf", "二月")
    put(downloads / "报告_1.pdf", "三月")
    assert main([str(downloads)]) == 0
    files = files_below(downloads / "Documents")
    assert files.pop("报告.pdf") == "一月"
    assert sorted(files.values()) == sorted(["二月", "三月"])


def test_files_are_moved_not_copied(downloads):
    song = put(downloads / "歌曲.mp3", "啦啦啦")
    assert main([str(downloads)]) == 0
    assert not song.exists()
    assert files_below(downloads) == {"Audio/歌曲.mp3": "啦啦啦"}


def test_categories_are_sub_folders_of_the_folder_itself(downloads):
    for name in ("a.jpg", "b.pdf", "c.mp3", "d.mp4", "e.zip", "f.xyz"):
        put(downloads / name)
    assert main([str(downloads)]) == 0
    names = {entry.name for entry in downloads.iterdir()}
    assert names == {"Images", "Documents", "Audio", "Video", "Archives", "Others"}
    assert list(downloads.parent.iterdir()) == [downloads]


def test_folder_is_a_command_line_argument(downloads, tmp_path):
    put(downloads / "不动.jpg", "1")
    put(tmp_path / "我的 桌面" / "移动.jpg", "2")
    assert main([str(tmp_path / "我的 桌面")]) == 0
    assert files_below(tmp_path) == {"Downloads/不动.jpg": "1", "我的 桌面/Images/移动.jpg": "2"}


def test_default_folder_is_downloads_in_the_home_folder(downloads):
    put(downloads / "照片.jpg", "照片")
    assert main([]) == 0
    assert files_below(downloads) == {"Images/照片.jpg": "照片"}


def test_date_plays_no_part(downloads):
    for name, seconds in (("旧.jpg", 1_000_000_000), ("新.jpg", 1_700_000_000)):
        os.utime(put(downloads / name), (seconds, seconds))
    assert main([str(downloads)]) == 0
    assert set(files_below(downloads)) == {"Images/旧.jpg", "Images/新.jpg"}


def test_missing_folder_is_reported(downloads, capsys):
    assert main([str(downloads / "不存在")]) == 1
    assert "不存在" in capsys.readouterr().err
    assert list(downloads.iterdir()) == []


def test_a_file_that_cannot_be_moved_does_not_stop_the_rest(downloads, capsys):
    put(downloads / "Others", "占了类别文件夹位置的文件")
    put(downloads / "照片.jpg", "照片")
    assert main([str(downloads)]) == 1
    assert "Others" in capsys.readouterr().err
    assert files_below(downloads) == {"Others": "占了类别文件夹位置的文件", "Images/照片.jpg": "照片"}
