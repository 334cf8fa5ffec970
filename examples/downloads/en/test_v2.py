"""Tests for tidy_downloads: each confirmed requirement has its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tidy_downloads import main


@pytest.fixture
def downloads(tmp_path, monkeypatch):
    """Return an empty folder that stands in for ~/Downloads, so that no test can touch the real one."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    folder = tmp_path / "Downloads"
    folder.mkdir()
    return folder


def put(path: Path, text: str = "") -> Path:
    """Write a small file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def files_below(folder: Path) -> dict[str, str]:
    """Return every file below the folder: its relative path, and its text."""
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
    put(downloads / "project" / "logo.png", "logo")
    put(downloads / "project" / "notes" / "todo.txt", "todo")
    put(downloads / "photo.png", "photo")
    assert main([str(downloads)]) == 0
    assert files_below(downloads) == {
        "project/logo.png": "logo",
        "project/notes/todo.txt": "todo",
        "Images/photo.png": "photo",
    }


def test_names_are_kept(downloads):
    put(downloads / "Final report (v2), really final.pdf", "text")
    assert main([str(downloads)]) == 0
    assert files_below(downloads) == {"Documents/Final report (v2), really final.pdf": "text"}


def test_name_clash_gets_1_and_overwrites_nothing(downloads):
    put(downloads / "Documents" / "report.pdf", "January")
    put(downloads / "report.pdf", "February")
    assert main([str(downloads)]) == 0
    assert files_below(downloads) == {"Documents/report.pdf": "January", "Documents/report_1.pdf": "February"}


def test_next_name_clash_gets_2(downloads):
    for month in ("January", "February", "March"):
        put(downloads / "report.pdf", month)
        assert main([str(downloads)]) == 0
    assert files_below(downloads) == {
        "Documents/report.pdf": "January",
        "Documents/report_1.pdf": "February",
        "Documents/report_2.pdf": "March",
    }


def test_two_files_of_one_run_never_get_the_same_name(downloads):
    put(downloads / "Documents" / "report.pdf", "January")
    put(downloads / "report.pdf", "February")
    put(downloads / "report_1.pdf", "March")
    assert main([str(downloads)]) == 0
    files = files_below(downloads / "Documents")
    assert files.pop("report.pdf") == "January"
    assert sorted(files.values()) == sorted(["February", "March"])


def test_files_are_moved_not_copied(downloads):
    song = put(downloads / "song.mp3", "la la la")
    assert main([str(downloads)]) == 0
    assert not song.exists()
    assert files_below(downloads) == {"Audio/song.mp3": "la la la"}


def test_categories_are_sub_folders_of_the_folder_itself(downloads):
    for name in ("a.jpg", "b.pdf", "c.mp3", "d.mp4", "e.zip", "f.xyz"):
        put(downloads / name)
    assert main([str(downloads)]) == 0
    names = {entry.name for entry in downloads.iterdir()}
    assert names == {"Images", "Documents", "Audio", "Video", "Archives", "Others"}
    assert list(downloads.parent.iterdir()) == [downloads]


def test_folder_is_a_command_line_argument(downloads, tmp_path):
    put(downloads / "stays.jpg", "1")
    put(tmp_path / "Desk top" / "moves.jpg", "2")
    assert main([str(tmp_path / "Desk top")]) == 0
    assert files_below(tmp_path) == {"Downloads/stays.jpg": "1", "Desk top/Images/moves.jpg": "2"}


def test_default_folder_is_downloads_in_the_home_folder(downloads):
    put(downloads / "photo.jpg", "photo")
    assert main([]) == 0
    assert files_below(downloads) == {"Images/photo.jpg": "photo"}


def test_date_plays_no_part(downloads):
    for name, seconds in (("old.jpg", 1_000_000_000), ("new.jpg", 1_700_000_000)):
        os.utime(put(downloads / name), (seconds, seconds))
    assert main([str(downloads)]) == 0
    assert set(files_below(downloads)) == {"Images/old.jpg", "Images/new.jpg"}


def test_missing_folder_is_reported(downloads, capsys):
    assert main([str(downloads / "nowhere")]) == 1
    assert "nowhere" in capsys.readouterr().err
    assert list(downloads.iterdir()) == []


def test_a_file_that_cannot_be_moved_does_not_stop_the_rest(downloads, capsys):
    put(downloads / "Others", "a file where a category folder belongs")
    put(downloads / "photo.jpg", "photo")
    assert main([str(downloads)]) == 1
    assert "Others" in capsys.readouterr().err
    assert files_below(downloads) == {"Others": "a file where a category folder belongs", "Images/photo.jpg": "photo"}
