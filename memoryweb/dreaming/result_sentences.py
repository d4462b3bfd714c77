"""What a night did to statements, in sentences: for the diary, made of results."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.dreaming import reasons
from memoryweb.dreaming.operations import Result, Waits, Why

_MOST_LINES = 8  # of a list
_LONGEST = 160  # characters of a quoted line


def held(why: str) -> str:
    """Instead of the changes, where a person decides about all of them; empty where not."""
    said = _("MEMORY.md was not changed: the proposal waits for a person.")
    return f"{said} {reasons.WAITS[why]}" if why else ""


def changes(results: Sequence[Result]) -> str:
    """A paragraph each for what came, what was replaced, what left, and what waits."""
    done = [one for one in results if one.is_applied]
    came = [one.new.text for one in done if one.new and not one.gone]
    left = [one for one in done if one.gone and one.new is None]
    parts = [f"{_gained(came)}\n\n{_listed(came)}"] if came else []
    parts += [_became(one) for one in done if one.new and one.gone]
    if left:
        told = [f"{short(gone.text)} ({_why(one.why)})" for one in left for gone in one.gone]
        parts.append(f"{_lost(told)}\n\n{_listed(told)}")
    parts += [_beside(one) for one in done if one.is_beside]
    parts += [_waits(one) for one in results if one.waits and one.new]
    return "\n\n".join(parts)


def left_out(results: Sequence[Result]) -> str:
    """Operations that no check let through, but for what is merely known."""
    told = [
        _("{text}: {why}").format(text=_subject(one), why=reasons.left_out(one.code, one.values))
        for one in results
        if one.code and one.code != "known"
    ]
    if not told:
        return ""
    said = ngettext("{n} change was left out:", "{n} changes were left out:", len(told))
    return f"{said.format(n=len(told))}\n\n{_listed(told)}"


def bare(text: str) -> str:
    """Quoted within a sentence, which has a full stop of its own."""
    return short(text.rstrip(" .。"))


def short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def _subject(one: Result) -> str:
    """What an operation was about, where it names that."""
    quoted = one.operation.text or next((old.text for old in one.gone), "")
    return f"“{bare(quoted)}”" if quoted else _("A change")


def _became(one: Result) -> str:
    assert one.new is not None
    olds = " / ".join(bare(old.text) for old in one.gone)
    said = _("“{old}” became “{new}”.")
    return said.format(old=olds, new=bare(one.new.text))


def _beside(one: Result) -> str:
    assert one.new is not None
    assert one.against is not None
    said = _("Nothing proves that “{new}” replaces “{old}”. Both stay until a person decides.")
    return said.format(new=bare(one.new.text), old=bare(one.against.text))


def _waits(one: Result) -> str:
    assert one.new is not None
    if one.waits is Waits.RIVAL and one.against is not None:
        said = _("“{new}” contradicts “{old}”, which stays until a person decides.")
        return said.format(new=bare(one.new.text), old=bare(one.against.text))
    said = _("“{new}” comes from outside the team and was proposed; a person decides.")
    return said.format(new=bare(one.new.text))


def _why(why: Why) -> str:
    return str(reasons.LEFT[why]).rstrip(".")


def _gained(lines: Sequence[str]) -> str:
    n = len(lines)
    return ngettext("MEMORY.md gained {n} line:", "MEMORY.md gained {n} lines:", n).format(n=n)


def _lost(lines: Sequence[str]) -> str:
    n = len(lines)
    return ngettext("MEMORY.md lost {n} line:", "MEMORY.md lost {n} lines:", n).format(n=n)


def _listed(texts: Sequence[str]) -> str:
    lines = [f"- {short(text)}" for text in texts[:_MOST_LINES]]
    if len(texts) > _MOST_LINES:
        lines.append("- " + _("… and {n} more").format(n=len(texts) - _MOST_LINES))
    return "\n".join(lines)
