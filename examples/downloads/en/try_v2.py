"""Provoke name clashes, in a folder that is thrown away afterwards: every text must survive."""

import tempfile
from pathlib import Path

from tidy_downloads import main

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "Documents").mkdir()
    waiting = {
        "Documents/report.pdf": "January",
        "report.pdf": "February",
        "report_1.pdf": "March",
    }
    for file, text in waiting.items():
        (folder / file).write_text(text, encoding="utf-8")

    assert main([str(folder)]) == 0
    (folder / "report.pdf").write_text("April", encoding="utf-8")
    assert main([str(folder)]) == 0

    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "Documents").iterdir())}
    for file, text in texts.items():
        print(f"  {file}: {text}")
    assert texts["report.pdf"] == "January"
    assert sorted(texts.values()) == sorted(["January", "February", "March", "April"])
    print("four reports went in, four are there")
