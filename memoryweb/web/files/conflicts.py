"""Two texts brought together, as the page of a conflict shows them: hunk by hunk."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.markdown.merge import Choice, Decision, Hunk, Kind, choices, conflicts, text_of
from memoryweb.markdown.side_by_side import sides

CONTEXT = 3  # unchanged lines shown around a change
NAMED = 10  # open places that a sentence names


def shown(hunks: Sequence[Hunk], decisions: Mapping[int, Decision]) -> list[dict[str, Any]]:
    numbers = {at: number for number, at in enumerate(conflicts(hunks), start=1)}
    return [
        _unchanged(at, hunk, is_last=at == len(hunks) - 1)
        if hunk.kind == Kind.SAME
        else _place(at, hunk, decisions.get(at), numbers.get(at, 0))
        for at, hunk in enumerate(hunks)
    ]


def still_open(hunks: Sequence[Hunk], decisions: Mapping[int, Decision]) -> str:
    """Which places nobody has chosen for, as a sentence; empty where there is none."""
    numbers = [n for n, at in enumerate(conflicts(hunks), start=1) if at not in decisions]
    if not numbers:
        return ""
    named = ", ".join(str(number) for number in numbers[:NAMED])
    said = ngettext(
        "Nothing is saved yet: choose what place {places} becomes.",
        "Nothing is saved yet: choose what places {places} become.",
        len(numbers),
    )
    return said.format(places=named + (", …" if len(numbers) > NAMED else ""))


def _place(at: int, hunk: Hunk, decision: Decision | None, number: int) -> dict[str, Any]:
    """A hunk to choose for. `number` counts conflicts; what fits is chosen already."""
    offered = choices(hunk)
    chosen = decision.choice if decision else None if number else offered[0]
    is_by_hand = decision is not None and decision.choice == Choice.HAND
    return {
        "at": at,
        "kind": hunk.kind,
        "sides": sides(hunk),
        "choices": [(choice, _label(hunk.kind, choice)) for choice in offered],
        "chosen": str(chosen) if chosen else "",
        "texts": [(one, text_of(hunk, Decision(one))) for one in offered if one != Choice.HAND],
        "by_hand": decision.text if decision and is_by_hand else "\n".join(hunk.merged),
        "number": number,
    }


def _label(kind: Kind, choice: Choice) -> str:
    is_other = (kind, choice) in {(Kind.THEIRS, Choice.MINE), (Kind.MINE, Choice.THEIRS)}
    if is_other:
        return _("Keep it as it was")
    return {
        Choice.THEIRS: _("Take theirs"),
        Choice.MINE: _("Take mine") if kind != Kind.BOTH else _("Take it"),
        Choice.BOTH: _("Keep both, theirs first"),
        Choice.BOTH_MINE_FIRST: _("Keep both, mine first"),
        Choice.HAND: _("Edit by hand"),
    }[choice]


def _unchanged(at: int, hunk: Hunk, *, is_last: bool) -> dict[str, Any]:
    """Its first lines follow a change, its last ones lead to the next."""
    lines = hunk.mine
    head = lines[:CONTEXT] if at else ()
    rest = lines[len(head) :]
    tail = () if is_last else rest[-CONTEXT:]
    return {"kind": "same", "head": head, "tail": tail, "hidden": len(rest) - len(tail)}
