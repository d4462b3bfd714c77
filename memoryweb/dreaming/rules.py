"""The consolidator that needs no model: what the gates let through, put where a reader looks."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from itertools import chain

from memoryweb.dreaming.candidates import Candidate, Mention, as_line
from memoryweb.dreaming.conflicts import Conflicts, correction_in, corrects, is_later
from memoryweb.dreaming.document import Document, Line
from memoryweb.dreaming.gates import (
    CONTRADICTED,
    DISPUTED,
    FULL,
    KNOWN,
    MERGED,
    OUTDATED,
    TOO_LONG,
    WAITS,
    Verdict,
)
from memoryweb.dreaming.scoring import specificity
from memoryweb.language.categories import HEADINGS, Category
from memoryweb.language.normal_form import read
from memoryweb.language.statements import Lookup, clean, loses, overtakes, says_all_of
from memoryweb.language.words import EVERYDAY, VAGUE
from memoryweb.memory import guards

# Kinds that a topic tells. What makes an event, a plan or a relation, its own words must say.
_TOPICAL = {HEADINGS[kind].casefold(): kind for kind in (Category.WORK, Category.PREFERENCE)}
_NO_TOPIC = frozenset(read(" ".join(EVERYDAY | VAGUE)).words)
LONGEST_LINE = 600  # characters


@dataclass(frozen=True)
class Consolidated:
    """What MEMORY.md should become, and why each line.

    `placed`: 1-based lines of `content` → the mentions they came from, `carried`: → the lines of
    MEMORY.md before that they say all of, and whose origins they keep. Pairs of `superseded` are
    (old line, new line), of `disputed` (line that stays, new line). `told` is a model's own diary
    entry, `notices` say what code changed in its answer. `proposed` is the same with what comes
    from outside the team."""

    content: str
    verdicts: tuple[Verdict, ...]
    placed: Mapping[int, tuple[Mention, ...]] = field(default_factory=dict)
    superseded: tuple[tuple[str, str], ...] = ()
    disputed: tuple[tuple[str, str], ...] = ()
    broken: tuple[guards.Broken, ...] = ()
    told: str = ""
    notices: tuple[str, ...] = ()
    carried: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    proposed: "Consolidated | None" = None


def consolidate(
    memory: str,
    verdicts: Sequence[Verdict],
    *,
    protected_lines: Collection[int] = (),
    line_dates: Mapping[int, date] | None = None,
    changed_today: int = 0,
    cap: int = guards.CAP,
) -> Consolidated:
    """MEMORY.md with the promoted candidates in it; doing it again changes nothing.

    `protected_lines` are 1-based lines of `memory` that stay as they are: what contradicts one is
    disputed. `line_dates` say when a line was last said; a line without one counts as older than
    any note. `cap`: characters of MEMORY.md.
    """
    work = _Work(
        Document(memory, protected_lines),
        dates=line_dates or {},
        cap=cap,
        room=guards.allowed_changes(memory, changed_today),
    )
    work.back([verdict.candidate for verdict in verdicts])
    promoted = [verdict for verdict in verdicts if verdict.verdict == "promoted"]
    conflicts = Conflicts([verdict.candidate for verdict in promoted])
    settled = {
        verdict.candidate.key: work.settle(verdict, conflicts)
        for verdict in sorted(promoted, key=_best_first)
    }
    settled = {key: work.told(verdict) for key, verdict in settled.items()}
    return Consolidated(
        content=work.document.render(),
        placed={n: line.sources for n, line in enumerate(work.document.lines, 1) if line.sources},
        carried=work.carried(),
        verdicts=tuple(settled.get(verdict.candidate.key, verdict) for verdict in verdicts),
        superseded=work.superseded(),
        disputed=tuple((clean(old.text), clean(new.text)) for old, new in work.disputed),
    )


class _Work:
    """One night's changes, candidate by candidate, within the limits of the day."""

    def __init__(
        self, document: Document, *, dates: Mapping[int, date], cap: int, room: int | None
    ) -> None:
        self.document = document
        self.disputed: list[tuple[Line, Line]] = []
        self._dates = dates
        self._cap = cap
        self._room = room
        self._length = len(document.render())
        self._said = {clean(line.text): line for line in document.statements()}
        self._lookup = Lookup(self._said)
        self._backing: dict[int, Mention] = {}

    def back(self, candidates: Sequence[Candidate]) -> None:
        """Note which lines the notes still say, and where they said them last."""
        for candidate in candidates:
            for said in self._lookup.covering(candidate.text):
                self._said[said].stands_for.append(candidate.text)
                number, last = self._said[said].number, candidate.mentions[-1]
                if number not in self._backing or is_later(last, self._backing[number]):
                    self._backing[number] = last

    def settle(self, verdict: Verdict, conflicts: Conflicts) -> Verdict:
        candidate = verdict.candidate
        text = as_line(candidate.text)
        if len(text) > LONGEST_LINE:
            return verdict.changed("rejected", TOO_LONG, LONGEST_LINE)
        if conflicts.newer(candidate) or conflicts.correction(candidate):
            return verdict.changed("rejected", CONTRADICTED)
        known = self._known(text)
        if known is not None:
            return self._repeat(verdict, known)
        opposed = self._opposed(candidate, text)
        if any(self._is_newer(line, candidate) for line in opposed):
            return verdict.changed("rejected", OUTDATED)
        outdated = [line for line in opposed if self._is_outdated(line, candidate, text)]
        fuller = [line for line in self._lines(self._lookup.within(text)) if self._may_go(line)]
        fuller = [line for line in fuller if all(says_all_of(text, s) for s in line.stands_for)]
        gone = outdated + [line for line in fuller if line not in outdated]
        kind = self._kind(candidate, text)
        if refusal := self._refusal(kind, text, gone):
            return verdict.changed("kept", *refusal)
        new = self._write(candidate, kind, text, gone, fuller)
        disputed = [line for line in opposed if line not in gone]
        self.disputed += [(line, new) for line in disputed]
        return verdict.changed("promoted", DISPUTED) if disputed else verdict

    def told(self, verdict: Verdict) -> Verdict:
        """With the reason of what stands in MEMORY.md only within another new line."""
        if verdict.verdict != "promoted" or as_line(verdict.candidate.text) in self._said:
            return verdict
        return verdict.changed("promoted", MERGED)

    def carried(self) -> dict[int, tuple[int, ...]]:
        numbered = enumerate(self.document.lines, start=1)
        return {number: tuple(line.carries) for number, line in numbered if line.carries}

    def superseded(self) -> tuple[tuple[str, str], ...]:
        lines = self.document.lines
        return tuple((clean(old), clean(line.text)) for line in lines for old in line.was)

    def _known(self, text: str) -> Line | None:
        covering = self._lines(self._lookup.covering(text))
        return next(chain(covering, self._lines(self._lookup.restating(text))), None)

    def _lines(self, texts: Iterable[str]) -> Iterator[Line]:
        """The lines that still stand, of statements that were found."""
        return (self._said[text] for text in texts if text in self._said)

    def _repeat(self, verdict: Verdict, known: Line) -> Verdict:
        known.stands_for.append(as_line(verdict.candidate.text))
        if not known.is_new:
            return verdict.changed("rejected", KNOWN, known.number)
        known.sources = _merged(known.sources, verdict.candidate.mentions)
        return verdict

    def _opposed(self, candidate: Candidate, text: str) -> list[Line]:
        """Lines that can't be true together with the candidate, or that it takes back."""
        found = [
            line
            for line in self._lines(self._lookup.opposing(text))
            if self._clashes(candidate, text, line)
        ]
        for mention in candidate.mentions:
            for line in self._lines(self._lookup_corrected(mention.text)):
                backing = self._backing.get(line.number)
                is_news = backing is None or is_later(mention, backing)
                if is_news and line not in found and corrects(mention.text, clean(line.text)):
                    found.append(line)
        return found

    def _lookup_corrected(self, text: str) -> list[str]:
        correction = correction_in(text)
        if correction is None:
            return []
        dropped = read(correction.dropped).words
        return self._lookup.with_all(dropped) if dropped else list(self._said)

    def _clashes(self, candidate: Candidate, text: str, line: Line) -> bool:
        held, on = clean(line.text), self._date(line)
        if on is not None and self._is_newer(line, candidate):
            return overtakes(held, text, said=on, older_said=candidate.last_date)
        return overtakes(text, held, said=candidate.last_date, older_said=on)

    def _date(self, line: Line) -> date | None:
        backing, said = self._backing.get(line.number), self._dates.get(line.number)
        known = [said] if said else []
        return max([*known, backing.date] if backing else known, default=None)

    def _is_newer(self, line: Line, candidate: Candidate) -> bool:
        said, backing = self._dates.get(line.number), self._backing.get(line.number)
        if backing is not None and is_later(backing, candidate.mentions[-1]):
            return True
        return said is not None and said > candidate.last_date

    def _is_outdated(self, line: Line, candidate: Candidate, text: str) -> bool:
        backing = self._backing.get(line.number)
        is_older = backing is None or is_later(candidate.mentions[-1], backing)
        is_gone = not line.is_new and not loses(clean(line.text), text)
        return is_older and is_gone and self._may_go(line)

    def _may_go(self, line: Line) -> bool:
        return not line.fixed and self.document.is_single(line)

    def _refusal(
        self, category: Category, text: str, gone: Sequence[Line]
    ) -> tuple[str, int | None] | None:
        """Why there is no room, with the limit, or None; takes the room when there is."""
        title = HEADINGS[category]
        makes_section = not gone and not self.document.has_section(title)
        lines = len([line for line in gone if not line.is_new]) if gone else 1 + makes_section
        longer = len(text) + 4 + (len(title) + 8 if makes_section else 0)
        longer -= sum(len(line.text) + 1 for line in gone)
        if self._room is not None and lines > self._room:
            return WAITS, None
        if longer > 0 and self._length + longer > self._cap:
            return FULL, self._cap
        if self._room is not None:
            self._room -= lines
        self._length += longer
        return None

    def _kind(self, candidate: Candidate, text: str) -> Category:
        """Of what fits nowhere by its words: that of the lines about the same things."""
        if candidate.category is not Category.OTHER:
            return candidate.category
        votes: dict[Category, Fraction] = defaultdict(Fraction)
        for word in sorted(read(text).heavy - _NO_TOPIC - self.document.people()):
            near = list(self._lines(self._lookup.with_all([word])))
            for line in near:
                kind = _TOPICAL.get(self.document.title_of(line))
                if kind:
                    votes[kind] += Fraction(1, len(near))  # a rare word says more
        return max(votes, key=votes.__getitem__, default=Category.OTHER)

    def _write(
        self,
        candidate: Candidate,
        kind: Category,
        text: str,
        gone: Sequence[Line],
        fuller: Sequence[Line],
    ) -> Line:
        new = Line(f"- {text}", sources=candidate.mentions)
        for line in gone:
            new.was += line.was if line.is_new else [line.text]
            if line in fuller:
                new.carries += line.carries if line.is_new else [line.number]
                new.stands_for += [clean(line.text), *line.stands_for]
            new.sources = _merged(new.sources, line.sources)
            del self._said[clean(line.text)]
        if gone:
            self.document.replace(gone[0], new)
            for line in gone[1:]:
                self.document.remove(line)
        else:
            titles = list(HEADINGS.values())
            self.document.add(HEADINGS[kind], new, titles, by_date=kind is Category.EVENT)
        self._said[text] = new
        self._lookup.add(text)
        return new


def _best_first(verdict: Verdict) -> tuple[float, int, str]:
    """By score; of two that score the same, the more specific one first."""
    candidate = verdict.candidate
    return (-round(verdict.scored.total, 6), -specificity(candidate.text), candidate.key)


def _merged(one: tuple[Mention, ...], other: tuple[Mention, ...]) -> tuple[Mention, ...]:
    return tuple(dict.fromkeys([*one, *other]))
