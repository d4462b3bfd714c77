"""What memory holds after a month: three people, thirty nights, with rules and with a model.

    python -m scripts.bench_memory [--json FILE] [--people alex,jana] [--with rules,model,endpoint]
    python -m scripts.bench_memory --set changes.en.report [--list]

The people's messages come in day by day through the doors, every night is dreamt, and MEMORY.md
with PROFILE.md is judged by strings that were set down beforehand (people/README.md). The model is
a server on loopback whose answers were written by hand as a good one would give them: this measures
the engine, not a model. `endpoint` is the one that MEMORYWEB_MODEL_… name, and costs what it takes.

The sample sets (people/README.md) ask what becomes of one thing: a detail that changes, what only
looks like it, everyday chats, two sentences that are one fact or two, requests to forget, and
questions.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from scripts import memory_people, sample_sets
from scripts.installation import fresh_installation

LEAST = {("rules", "en"): 30, "rules": 20, "model": 38}  # of forty things right
COLUMNS = {
    "changes": ("whole", "asked", "old stands", "lost", "new lost", "not kept"),
    "pairs": ("stands", "ended", "asked", "not kept"),
    "everyday": ("right", "missing", "stale", "false"),
    "hardpairs": ("two", "wrongly merged", "one", "missed", "not kept"),
    "forget": ("seen",),
    "notforget": ("seen",),
    "silence": (
        *("rightly silent", "wrongly told", "told", "told beside it", "wrongly silent"),
        *("found", "not found"),
    ),
}
MOST_STALE = {("rules", "en"): 1}


def main() -> int:
    options = _options()
    with fresh_installation():
        # Models can be imported only now.
        made = _people(options) if options.people else []
        sets = _sets(options) if options.sets else []
    if options.json:
        text = json.dumps([*made, *sets], ensure_ascii=False, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--json", type=Path, help="write all figures and lines there, too")
    parser.add_argument("--folder", type=Path, default=memory_people.FOLDER)
    parser.add_argument("--people", help="of them alone: alex,jana")
    parser.add_argument("--set", dest="sets", help="of these alone: changes.en.report,pairs,*.fit")
    parser.add_argument("--list", action="store_true", help="each item, with what memory holds")
    parser.add_argument("--padded", action="store_true", help="small talk after each short chat")
    parser.add_argument("--with", dest="by", help="of rules,model,endpoint")
    parser.add_argument("--nights", type=int, default=30)
    options = parser.parse_args()
    if not (options.people or options.sets):
        options.people = ",".join(memory_people.names(options.folder))
        options.sets = "*"
    has_endpoint = os.environ.get("MEMORYWEB_MODEL_PROVIDER")
    options.by = options.by or ("rules,model,endpoint" if has_endpoint else "rules,model")
    return options


def _people(options: argparse.Namespace) -> list[dict[str, Any]]:
    measures, made = import_module("scripts.memory_measures"), []
    for name in options.people.split(","):
        person = memory_people.load(name, options.folder)
        for consolidator in options.by.split(","):
            figures = asdict(measures.run(person, consolidator, options.nights))
            _report(figures)
            made.append(figures)
    _summary(made)
    return made


def _sets(options: argparse.Namespace) -> list[dict[str, Any]]:
    measures, made = import_module("scripts.sample_measures"), []
    for name in sample_sets.names(options.sets):
        for by in options.by.split(","):
            if measures.can_run(name, by):
                figures = measures.run(name, by, padded=options.padded)
                _report_set(figures, is_listed=options.list)
                made.append(asdict(figures))
    return made


def _report_set(figures: Any, *, is_listed: bool) -> None:
    counts, kind = figures.counts, figures.name.partition(".")[0]
    columns = ", ".join(f"{name} {counts[name]}" for name in COLUMNS[kind])
    if of := counts["right"] + counts["missing"]:
        columns += f" ({counts['right'] / of:.0%} right)"
    head = f"{figures.name}, {figures.by}, {counts['items']}:"
    print(f"{head:<32}{columns}; {figures.use}; {figures.seconds:.0f} s", flush=True)
    for one in figures.told if is_listed else ():
        print(f"  {one.id}: {', '.join(f'{name} {count}' for name, count in one.counts.items())}")
        for line in one.stands:
            print(f"    {line}")
        for trouble in one.troubles:
            print(f"    ! {trouble}")


def _report(made: Mapping[str, Any]) -> None:
    by, language = made["consolidator"], made["language"]
    marks = Counter(made["marks"].values())
    things = len(made["marks"])
    least = LEAST.get((by, language), LEAST.get(by, ""))
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
    _row("refused, and what a model took", made["use"])
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
