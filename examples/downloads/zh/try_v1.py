"""在用完即删的文件夹里试运行 tidy_downloads。"""

import tempfile
from pathlib import Path

from tidy_downloads import main

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for file in ("假期.jpg", "发票.pdf", "歌曲.mp3", "讲座.mp4", "字体.zip", "安装.exe"):
        (folder / file).write_text(file, encoding="utf-8")
    (folder / "项目").mkdir()
    (folder / "项目" / "标志.png").write_text("标志", encoding="utf-8")

    status = main([str(folder)])

    print(f"退出码 {status}，文件夹里现在有：")
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        print("  " + path.relative_to(folder).as_posix())
