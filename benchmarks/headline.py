"""The short table of speed in the READMEs, from the numbers of a run of the figures.

python benchmarks/compare.py --figures --json figures.json
python benchmarks/headline.py figures.json README.md README.zh.md
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from output import markdown, put, seconds, times

# Case and size of the figures, and what a reader calls it in each language.
ROWS = (
    ("roc_auc_score", 10**6, "ROC AUC", "ROC AUC"),
    (
        "interval of f1_macro",
        10**4,
        "interval of macro-F1; a loop of 1,000 draws",
        "宏平均 F1 的区间；对比 1,000 次抽样的循环",
    ),
    (
        "interval of the difference of two roc_auc",
        10**4,
        "interval of the difference of two AUC; the same loop",
        "两个 AUC 之差的区间；同样的循环",
    ),
    (
        "20 groups, 4 metrics with intervals",
        10**5,
        "4 metrics of 20 groups with intervals; fairlearn, 1,000 draws",
        "4 个指标，20 组，含区间；对比 fairlearn 抽样 1,000 次",
    ),
)
HEADS = {
    "en": ["call", "rows", "C++", "NumPy", "takes"],
    "zh": ["函数", "行数", "C++", "NumPy", "耗时"],
}
LEGENDS = {
    "en": (
        "Times faster than scikit-learn {} (or what the row names), {}; medians of one run, whole "
        "calls with validation."
    ),
    "zh": "比 scikit-learn {}（或行中所写的库）快的倍数；{}；一次运行的中位数，含输入检查。",
}


def table(numbers: dict[str, Any], language: str) -> str:
    """The rows in one language, and on what they were measured."""
    found = {(row["case"], row["n"]): row for row in numbers["rows"]}
    lines = []
    for case, n, *names in ROWS:
        row = found[case, n]
        ours = [times(row["native"]), times(row["numpy"]), seconds(row["native"]["seconds"])]
        lines.append([names[language == "zh"], f"{n:,}", *ours])
    machine = numbers["machine"]
    told = LEGENDS[language].format(machine["versions"]["scikit-learn"], machine["processor"])
    return f"{markdown(HEADS[language], lines)}\n\n{told}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", type=Path, help="what --figures --json wrote")
    parser.add_argument("pages", type=Path, nargs="+", help="pages with a place for it")
    options = parser.parse_args()
    numbers = json.loads(options.numbers.read_text(encoding="utf-8"))
    for page in options.pages:
        put(page, "speed", table(numbers, "zh" if ".zh" in page.suffixes else "en"))


if __name__ == "__main__":
    main()
