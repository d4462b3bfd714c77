"""The two consolidators behind one shape: what MEMORY.md should become, and why each line."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings

from memoryweb.dreaming import gates, rules, scoring
from memoryweb.dreaming.candidates import Mention, cut_note, gather
from memoryweb.dreaming.gates import Thresholds, Verdict
from memoryweb.dreaming.inputs import Inputs
from memoryweb.memory import guards, scanning
from memoryweb.memory.guards import Broken
from memoryweb.memory.statements import normalise

_CITATION = re.compile(r"(?P<path>.+?\.md)#L(?P<first>\d{1,6})(?:-L?(?P<last>\d{1,6}))?")
_NOT_TAKEN = "It passed every gate, and the model did not take it up."


@dataclass(frozen=True)
class Consolidated:
    """`placed`: 1-based lines of `content` → the mentions they came from."""

    content: str
    verdicts: tuple[Verdict, ...]
    placed: Mapping[int, tuple[Mention, ...]] = field(default_factory=dict)
    superseded: tuple[tuple[str, str], ...] = ()
    disputed: tuple[tuple[str, str], ...] = ()
    broken: tuple[Broken, ...] = ()
    told: str = ""


def by_rules(inputs: Inputs) -> Consolidated:
    made = rules.consolidate(
        inputs.memory.content,
        _judge(inputs, cited=frozenset()),
        protected_lines=inputs.protected_lines,
        line_dates=inputs.line_dates,
        changed_today=inputs.changed_today,
    )
    placed = {
        line: mentions
        for line, mentions in made.placed.items()
        if _is_new(inputs.memory.content, made.content, line)
    }
    result = Consolidated(made.content, made.verdicts, placed, made.superseded, made.disputed)
    return _guarded(inputs, result)


def by_model(inputs: Inputs, answer: Mapping[str, Any]) -> Consolidated:
    """What the model's stored answer makes of the inputs; nothing in it is taken on trust."""
    cited = dict(_cited(inputs, answer.get("citations") or []))
    verdicts = _judge(inputs, cited=frozenset(cited.values()))
    told = str(answer.get("diary") or answer.get("reason") or "")
    if not answer.get("should_update"):
        return Consolidated(inputs.memory.content, _left(verdicts, set()), told=told)
    content = str(answer.get("memory_content") or "").strip() + "\n"
    placed = _placed(inputs, content, answer.get("citations") or [])
    taken = {mention for mentions in placed.values() for mention in mentions}
    result = Consolidated(content, _left(verdicts, taken), placed, told=told)
    uncited = [
        line
        for line in _new_lines(inputs.memory.content, content)
        if line not in placed and guards_entry(content, line)
    ]
    if uncited:
        detail = f"{len(uncited)} new lines name no line of a note as their source."
        result = replace(result, broken=(Broken("cited", detail),))
    return _guarded(inputs, result)


def data_for_model(inputs: Inputs) -> dict[str, Any]:
    """What the model is given: MEMORY.md and the notes with their line numbers."""
    return {
        "memory": inputs.memory.content,
        "notes": [
            {"path": note.path, "content": _numbered(cut_note(note.content))}
            for note in inputs.notes
        ],
        "protected": [
            line
            for number, line in enumerate(inputs.memory.content.split("\n"), start=1)
            if number in inputs.protected_lines and line.strip()
        ],
        "limit": guards.CAP,
    }


def guards_entry(content: str, line: int) -> bool:
    """A line that states something: not blank, no heading, no comment."""
    text = content.split("\n")[line - 1].strip()
    return bool(text) and not text.startswith(("#", "<!--"))


def _judge(inputs: Inputs, cited: frozenset[Mention]) -> tuple[Verdict, ...]:
    candidates = [
        replace(candidate, proposed=any(mention in cited for mention in candidate.mentions))
        for candidate in gather(inputs.mentions, inputs.recalls)
    ]
    scored = scoring.score(candidates, inputs.now)
    return tuple(
        gates.judge(
            candidates,
            scored,
            memory_lines=inputs.memory.content.split("\n"),
            now=inputs.now,
            rejected_before=inputs.rejected_before,
            waiting=inputs.waiting,
            thresholds=Thresholds(
                min_score=settings.DREAM_MIN_SCORE, window_days=settings.DREAM_DATES
            ),
        )
    )


def _guarded(inputs: Inputs, made: Consolidated) -> Consolidated:
    broken = guards.check(
        inputs.memory.content,
        made.content,
        inputs=[inputs.memory.content, *(note.content for note in inputs.notes)],
        protected_lines=inputs.protected_lines,
        superseded=[old for old, _new in made.superseded],
        changed_today=inputs.changed_today,
        has_secret=lambda text: bool(scanning.find(text)),
    )
    return replace(made, broken=(*made.broken, *broken))


def _cited(inputs: Inputs, citations: Iterable[Any]) -> Iterable[tuple[str, Mention]]:
    for citation in citations:
        for mention in _sources(inputs, str(citation.get("source", ""))):
            yield f"{mention.path}#{mention.line}", mention


def _sources(inputs: Inputs, source: str) -> list[Mention]:
    match = _CITATION.fullmatch(source.strip())
    if not match:
        return []
    first = int(match["first"])
    last = int(match["last"] or first)
    return [m for m in inputs.mentions if m.path == match["path"] and first <= m.line <= last]


def _placed(
    inputs: Inputs, content: str, citations: Sequence[Any]
) -> dict[int, tuple[Mention, ...]]:
    """New lines of the answer → the mentions that their citations name."""
    by_text: dict[str, list[Mention]] = {}
    for citation in citations:
        text = normalise(str(citation.get("line", "")))
        by_text.setdefault(text, []).extend(_sources(inputs, str(citation.get("source", ""))))
    lines = content.split("\n")
    placed = {}
    for line in _new_lines(inputs.memory.content, content):
        mentions = tuple(dict.fromkeys(by_text.get(normalise(lines[line - 1]), ())))
        if mentions:
            placed[line] = mentions
    return placed


def _new_lines(before: str, after: str) -> list[int]:
    old = set(before.split("\n"))
    return [n for n, line in enumerate(after.split("\n"), start=1) if line and line not in old]


def _is_new(before: str, after: str, line: int) -> bool:
    return after.split("\n")[line - 1] not in before.split("\n")


def _left(verdicts: Sequence[Verdict], taken: set[Mention]) -> tuple[Verdict, ...]:
    """What the gates would promote stays promoted only where the model took it up."""
    return tuple(
        verdict
        if verdict.verdict != "promoted" or taken & set(verdict.candidate.mentions)
        else verdict.changed("kept", _NOT_TAKEN)
        for verdict in verdicts
    )


def _numbered(content: str) -> str:
    return "\n".join(f"L{n}: {line}" for n, line in enumerate(content.split("\n"), start=1))
