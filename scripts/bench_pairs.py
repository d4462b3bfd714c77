"""What a change made faster or slower: rows of a base commit and of this tree by turns.

python -m scripts.bench_pairs BASE

A row's ratio is the median of the rounds', each of the two one after the other: the machine is busy
for both. Below 1 this tree is faster. Sentences are people's, from ../shared/data/locomo.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data" / "locomo"
ROUNDS, TURNS = 5, 4  # a round is so many turns of each; the first of a row only warms up


class Side:
    """A process that measures the rows of one tree."""

    def __init__(self, tree: Path) -> None:
        worker = [sys.executable, str(ROOT / "scripts" / "pair_worker.py"), str(DATA)]
        environment = os.environ | {"DJANGO_SETTINGS_MODULE": "memoryweb.settings"}
        self.process = subprocess.Popen(
            worker,
            cwd=tree,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.rows: list[str] = self._answer()["rows"]

    def measured(self, row: str) -> dict[str, float]:
        assert self.process.stdin
        print(row, file=self.process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            sys.exit("One side stopped; what it said stands above.")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(60)


@contextmanager
def _checked_out(base: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="memoryweb-base-") as folder:
        archive = subprocess.run(
            ["git", "archive", base], cwd=ROOT, stdout=subprocess.PIPE, check=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        yield Path(folder)


def main() -> int:
    if len(sys.argv) != 2 or not DATA.is_dir():
        print("python -m scripts.bench_pairs BASE, with ../shared/data/locomo beside the project.")
        return 2
    with _checked_out(sys.argv[1]) as tree:
        base, new = Side(tree), Side(ROOT)
        for row in (one for one in new.rows if one in base.rows):
            _compare(row, base, new)
        base.close()
        new.close()
    return 0


def _compare(row: str, base: Side, new: Side) -> None:
    ratios, spent = [], []
    for number in range(ROUNDS + 1):
        sums = {}
        for side in (base, new) if number % 2 else (new, base):
            told = [side.measured(row) for _turn in range(TURNS if number else 1)]
            sums[side] = (sum(one["seconds"] for one in told), told[-1]["statements"], len(told))
        if number:
            ratios.append(sums[new][0] / sums[base][0])
            spent.append(sums)
    least = [min(one[side][0] / one[side][2] for one in spent) * 1000 for side in (base, new)]
    asked = [spent[-1][side][1] for side in (base, new)]
    print(
        f"{row:<36}{least[0]:9.1f} → {least[1]:7.1f} ms {median(ratios):7.2f}"
        f"  {asked[0]:.0f} → {asked[1]:.0f} statements",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
