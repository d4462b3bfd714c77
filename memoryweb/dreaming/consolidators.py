"""The two consolidators behind one shape: what MEMORY.md should become, and why each line."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.dreaming import gates, rules, scoring
from memoryweb.dreaming.answers import Citation, DreamAnswer
from memoryweb.dreaming.candidates import Mention, cut_note, gather
from memoryweb.dreaming.gates import NOT_TAKEN, Thresholds, Verdict
from memoryweb.dreaming.inputs import Inputs
from memoryweb.dreaming.rules import Consolidated
from memoryweb.language.secrets import credentials
from memoryweb.language.statements import normalise
from memoryweb.memory import guards
from memoryweb.memory.guards import Broken
from memoryweb.memory.protected_lines import keep
from memoryweb.memory.write_matrix import OUTSIDE
from memoryweb.review.rejections import states, without_rejected

MOST_HINTS = 100


def by_rules(inputs: Inputs) -> Consolidated:
    """What the team's own words make of MEMORY.md; `proposed`: with those from outside, too."""
    made = _by_rules(inputs)
    if not any(mention.outside for mention in inputs.mentions):
        return made
    everybody = tuple(replace(mention, outside=False) for mention in inputs.mentions)
    whole = _by_rules(replace(inputs, mentions=everybody))
    if whole.content == made.content:
        return made
    said = _("What comes from outside the team was proposed; a person decides.")
    whole = replace(whole, broken=(Broken(*OUTSIDE), *whole.broken))
    return replace(made, proposed=whole, notices=(*made.notices, said))


def _by_rules(inputs: Inputs) -> Consolidated:
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
    return _guarded(inputs, replace(made, placed=placed))


def by_model(inputs: Inputs, answer: DreamAnswer) -> Consolidated:
    """What the model's answer makes of the inputs; nothing in it is taken on trust."""
    cited = {mention for citation in answer.citations for mention in _sources(inputs, citation)}
    verdicts = _judge(inputs, cited=frozenset(cited))
    told = answer.diary or answer.reason
    if not answer.should_update:
        return Consolidated(inputs.memory.content, _left(verdicts, set()), told=told)
    said = answer.memory_content.strip() + "\n"
    kept = keep(inputs.memory.content, said, inputs.protected_lines)
    content, left_out = without_rejected(inputs.memory.content, kept, inputs.rejected_before)
    if not guards.changed_lines(inputs.memory.content, content):
        content = inputs.memory.content  # blank lines alone are no change
    placed = _placed(inputs, said, content, answer.citations)
    taken = {mention for mentions in placed.values() for mention in mentions}
    notices = _notices(put_back=kept != said, left_out=left_out)
    result = Consolidated(content, _left(verdicts, taken), placed, told=told, notices=notices)
    uncited = [n for n in new_statements(inputs.memory.content, content) if n not in placed]
    if uncited:
        detail = _without_source(len(uncited))
        result = replace(result, broken=(Broken("cited", detail),))
    if any(mention.outside for mention in inputs.mentions):
        # Whatever line it cites, the model has read the words from outside.
        result = replace(result, broken=(Broken(*OUTSIDE), *result.broken))
    return _guarded(inputs, result)


def data_for_model(inputs: Inputs) -> dict[str, Any]:
    """What the model is given: MEMORY.md, the notes with their line numbers, and hints."""
    hints = [v.candidate for v in _judge(inputs, frozenset()) if not v.candidate.waits]
    return {
        "date": inputs.now.date().isoformat(),
        "memory": inputs.memory.for_model,
        "protected": [
            line
            for number, line in enumerate(inputs.memory.for_model.split("\n"), start=1)
            if number in inputs.protected_lines and line.strip()
        ],
        "notes": [
            {"path": note.path, "text": _numbered(cut_note(note.for_model))}
            for note in inputs.notes
        ],
        "candidates": [
            {"text": one.text, "source": f"{one.mentions[-1].path}#L{one.mentions[-1].line}"}
            for one in hints
            if one.asked or one.days > 1 or one.recall.count
        ][:MOST_HINTS],
        "rejected": list(inputs.rejected_before),
        "limit": guards.CAP,
        "room": guards.allowed_changes(inputs.memory.content, inputs.changed_today),
    }


def _without_source(lines: int) -> str:
    return ngettext(
        "{n} new line names no line of a note as its source.",
        "{n} new lines name no line of a note as their source.",
        lines,
    ).format(n=lines)


def _notices(*, put_back: bool, left_out: int) -> tuple[str, ...]:
    said = []
    if put_back:
        said.append(_("Pinned lines, or lines that a person wrote, had changed; they are back."))
    if left_out:
        told = ngettext(
            "{n} line was left out because a person rejected it before.",
            "{n} lines were left out because a person rejected them before.",
            left_out,
        )
        said.append(told.format(n=left_out))
    return tuple(said)


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
        inputs=[inputs.memory.content, *(note.for_model for note in inputs.notes)],
        protected_lines=inputs.protected_lines,
        superseded=[old for old, _new in made.superseded],
        changed_today=inputs.changed_today,
        has_secret=lambda text: bool(credentials.find(text)),
    )
    return replace(made, broken=(*made.broken, *broken))


def _sources(inputs: Inputs, citation: Citation) -> list[Mention]:
    cited = citation.cited
    if cited is None:
        return []
    return [
        mention
        for mention in inputs.mentions
        if mention.path == cited.path and cited.first <= mention.line <= cited.last
    ]


def _placed(
    inputs: Inputs, said: str, content: str, citations: Sequence[Citation]
) -> dict[int, tuple[Mention, ...]]:
    """New lines of `content` → the mentions that their citations name, as lines of `said`."""
    lines = said.split("\n")
    by_text: dict[str, list[Mention]] = {}
    for citation in citations:
        text = citation.text
        if not text and citation.line and citation.line <= len(lines):
            text = lines[citation.line - 1]
        by_text.setdefault(normalise(text), []).extend(_sources(inputs, citation))
    placed = {}
    made = content.split("\n")
    for line in _new_lines(inputs.memory.content, content):
        mentions = tuple(dict.fromkeys(by_text.get(normalise(made[line - 1]), ())))
        if mentions:
            placed[line] = mentions
    return placed


def _new_lines(before: str, after: str) -> list[int]:
    old = set(before.split("\n"))
    return [n for n, line in enumerate(after.split("\n"), start=1) if line and line not in old]


def removed(before: str, made: Consolidated) -> list[str]:
    """Lines that MEMORY.md does not have any more, but for those that are told as replaced."""
    replaced = {old for old, _new in made.superseded}
    lines = before.split("\n")
    gone = [lines[number - 1] for number in _new_lines(made.content, before)]
    return [line for line in gone if line.strip() and not any(old in line for old in replaced)]


def new_statements(before: str, after: str) -> list[int]:
    lines = after.split("\n")
    return [number for number in _new_lines(before, after) if states(lines[number - 1])]


def _is_new(before: str, after: str, line: int) -> bool:
    return after.split("\n")[line - 1] not in before.split("\n")


def _left(verdicts: Sequence[Verdict], taken: set[Mention]) -> tuple[Verdict, ...]:
    """What the gates would promote stays promoted only where the model took it up."""
    return tuple(
        verdict
        if verdict.verdict != "promoted" or taken & set(verdict.candidate.mentions)
        else verdict.changed("kept", NOT_TAKEN)
        for verdict in verdicts
    )


def _numbered(content: str) -> str:
    return "\n".join(f"L{n}: {line}" for n, line in enumerate(content.split("\n"), start=1))
