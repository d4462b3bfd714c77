"""A proposal line by line: as people read it, why, and what each line stands on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memoryweb.language.normal_form import normalise
from memoryweb.markdown.diff import Span
from memoryweb.memory.lines.origins import Source
from memoryweb.memory.models import Proposal
from memoryweb.memory.review.proposals import sources_of, texts_of
from memoryweb.memory.visible.readable import Look
from memoryweb.memory.writing.changes import Change, changes_of, plain, print_of, spans_of


@dataclass(frozen=True)
class ProposedLine:
    """`old` and `new` with what differs marked; `words` are those of `new`, to be edited."""

    number: int
    kind: str  # add | change | retire
    heading: str
    old: Sequence[Span]
    new: Sequence[Span]
    words: str
    can_edit: bool
    was_taken: bool


class ProposalLines:
    """`seen` tells it from another change of the same proposal. What does not fit the file any
    more (`fits`), or was decided on, is compared with the text that it began from."""

    def __init__(self, proposal: Proposal, look: Look) -> None:
        self._proposal = proposal
        before, after, self.fits = texts_of(proposal)
        self._changes = changes_of(before, after)
        self._hidden = _hidden(proposal, look, (before, after))
        self.seen = print_of(before, after)
        self.lines = [self._line(one) for one in self._changes]

    def behind(self) -> Mapping[int, tuple[str, Sequence[Source]]]:
        """Why a line goes, and what it stands on: told by the dream, else by the line's own
        origins."""
        told, placed = self._operations(), sources_of(self._proposal)
        found = {}
        for change in self._changes:
            old, new = plain(change.row.old), plain(change.row.new)
            operation = told.get(normalise(new or old))
            sources = placed.get(new, ())
            if operation and not sources:
                sources = tuple(_source(packed) for packed in operation.sources)
            found[change.number] = (operation.reason if operation and old else "", sources)
        return found

    def _line(self, change: Change) -> ProposedLine:
        row, taken = change.row, self._proposal.taken
        left_out, kept = taken.get("left_out", []), taken.get("kept", [])
        is_hidden = plain(row.new) in self._hidden
        return ProposedLine(
            change.number,
            change.kind,
            change.heading,
            self._shown(row.old),
            self._shown(row.new),
            "" if is_hidden else change.new,
            can_edit=change.kind != "retire" and not is_hidden,
            was_taken=row.new_number not in left_out and row.old_number not in kept,
        )

    def _shown(self, spans: Sequence[Span]) -> list[Span]:
        hidden = self._hidden.get(plain(spans))
        return spans_of(spans) if hidden is None else [Span(hidden, marked=False)]

    def _operations(self) -> dict[str, Any]:
        """What was said of a text by the dream that brought it or took it away."""
        report = getattr(self._proposal.run, "report", None)
        if report is None or not any(change.row.old for change in self._changes):
            return {}
        operations = report.operations.all()
        return {normalise(text): it for it in operations for text in (it.after, *it.before)}


def _hidden(proposal: Proposal, look: Look, texts: Iterable[str]) -> Mapping[str, str]:
    """Line → what people read in its place, of those that are to be forgotten."""
    found = {}
    for text in texts:
        shown = look.then(proposal.file, text)
        pairs = zip(text.split("\n"), shown.split("\n"), strict=True)
        found.update({line: other for line, other in pairs if line != other})
    return found


def _source(packed: Mapping[str, Any]) -> Source:
    return Source(UUID(packed["file"]), packed["revision"], packed["line"])
