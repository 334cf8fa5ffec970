"""在用完即删的文件夹里故意制造重名：每份内容都必须保住。"""

import tempfile
from pathlib import Path

from tidy_downloads import main

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "Documents").mkdir()
    waiting = {
        "Documents/报告.pdf": "一月",
        "报告.pdf": "二月",
        "报告_1.pdf": "三月",
    }
    for file, text in waiting.items():
        (folder / file).write_text(text, encoding="utf-8")

    assert main([str(folder)]) == 0
    (folder / "报告.pdf").write_text("四月", encoding="utf-8")
    assert main([str(folder)]) == 0

    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "Documents").iterdir())}
    for file, text in texts.items():
        print(f"  {file}：{text}")
    assert texts["报告.pdf"] == "一月"
    assert sorted(texts.values()) == sorted(["一月", "二月", "三月", "四月"])
    print("放进四份报告，四份都在")
