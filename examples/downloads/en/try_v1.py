"""Try tidy_downloads on a folder that is thrown away afterwards."""

import tempfile
from pathlib import Path

from tidy_downloads import main

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for file in ("holiday.jpg", "invoice.pdf", "song.mp3", "talk.mp4", "fonts.zip", "setup.exe"):
        (folder / file).write_text(file, encoding="utf-8")
    (folder / "project").mkdir()
    (folder / "project" / "logo.png").write_text("logo", encoding="utf-8")

    status = main([str(folder)])

    print(f"exit status {status}; now in the folder:")
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        print("  " + path.relative_to(folder).as_posix())
