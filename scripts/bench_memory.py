"""What memory holds after a month: three people, thirty nights, with rules and with a model.

    python -m scripts.bench_memory [--json FILE] [--people alex,jana] [--with rules,model]

The people's messages come in day by day through the doors, every night is dreamt, and MEMORY.md is
judged by strings that were set down beforehand (people/README.md). The model is a server on
loopback whose answers were written by hand as a good one would give them: this measures the engine,
not a model.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from scripts import memory_people
from scripts.installation import fresh_installation

LEAST = {("rules", "en"): 30, "rules": 20, "model": 38}  # of forty things right
MOST_STALE = {("rules", "en"): 1}


def main() -> int:
    options = _options()
    with fresh_installation():
        # Models can be imported only now.
        measures = import_module("scripts.memory_measures")
        made = []
        for name in options.people.split(","):
            person = memory_people.load(name, options.folder)
            for consolidator in options.by.split(","):
                figures = asdict(measures.run(person, consolidator, options.nights))
                _report(figures)
                made.append(figures)
    _summary(made)
    if options.json:
        text = json.dumps(made, ensure_ascii=False, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--json", type=Path, help="write all figures and lines there, too")
    parser.add_argument("--folder", type=Path, default=memory_people.FOLDER)
    parser.add_argument("--people", default="")
    parser.add_argument("--with", dest="by", default="rules,model")
    parser.add_argument("--nights", type=int, default=30)
    options = parser.parse_args()
    options.people = options.people or ",".join(memory_people.names(options.folder))
    return options


def _report(made: Mapping[str, Any]) -> None:
    by, language = made["consolidator"], made["language"]
    marks = Counter(made["marks"].values())
    things = len(made["marks"])
    least = LEAST.get((by, language), LEAST[by])
    print(f"\n{made['person']} ({language}), {by}: {made['characters']} characters")
    _row("right", f"{marks['right']} of {things}", f"at least {least}" if things == 40 else "")
    most = MOST_STALE.get((by, language))
    _row("an old value as current", marks["stale"], "" if most is None else f"at most {most}")
    _row("a joke, a thought, somebody else's", marks["claimed"])
    _row("missing", marks["missing"])
    _row("names and numbers that nobody said", len(made["invented"]), "0")
    _row("dates to look at", len(made["dates"]))
    _row("said twice", len(made["duplicates"]), "0")
    _row("machine lines without evidence", len(made["without_evidence"]), "0")
    _row("confirmed, then lost", f"{len(made['lost'])} of {made['confirmed']}", "0")
    _row("corrected or deleted, and back", f"{len(made['back'])} of {made['taken_back']}", "0")
    _row("a full file takes in what is new", "yes" if made["takes_in"] else "no", "yes")
    for name, marked in made["baselines"].items():
        told = Counter(marked.values())
        _row(f"  {name}", f"{told['right']} right, {told['stale']} old")
    for mark in ("stale", "claimed", "missing"):
        names = [_noted(made, name) for name, found in made["marks"].items() if found == mark]
        if names:
            print(f"  {mark}: {', '.join(names)}")
    for kind in ("invented", "dates", "duplicates", "without_evidence", "lost", "back", "troubles"):
        for line in made[kind]:
            print(f"  {kind}: {line}")


def _summary(made: Sequence[Mapping[str, Any]]) -> None:
    """One line a month: things right, and of those in memories of the same size."""
    print(f"\n{'right of all':<20}{'memory':>10}{'old':>6}{'messages':>10}{'notes':>8}{'full':>8}")
    for one in made:
        right = [Counter(marks.values())["right"] for marks in one["baselines"].values()]
        marks = Counter(one["marks"].values())
        name = f"{one['person']} ({one['language']}), {one['consolidator']}"
        print(f"{name:<20}{marks['right']:>10}{marks['stale']:>6}", end="")
        print("".join(f"{n:>{width}}" for n, width in zip(right, (10, 8, 8), strict=False)))


def _noted(made: Mapping[str, Any], name: str) -> str:
    """What is missing may have got as far as the notes."""
    return f"{name} (noted)" if name in made["noted"] else name


def _row(name: str, figure: object, goal: str = "") -> None:
    print(f"{name:<40}{figure!s:>24}{'   goal: ' + goal if goal else ''}")


if __name__ == "__main__":
    sys.exit(main())
