"""Which candidates may enter MEMORY.md, and a sentence for each reason why or why not.

The sentences name places, never the text of a note: they are stored and shown without it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from memoryweb.dreaming.candidates import Candidate, Mention
from memoryweb.dreaming.conflicts import Rivals
from memoryweb.dreaming.scoring import Scored, age_in_days
from memoryweb.language.statements import Lookup, fingerprint
from memoryweb.review.rejections import Rejections

MERGED = "A fuller line that was promoted says this, too."
NOT_TAKEN = "It passed every gate, and the model left it out."
Outcome = Literal["promoted", "kept", "rejected"]


@dataclass(frozen=True)
class Thresholds:
    min_score: float = 0.4
    max_age_days: int = 30
    min_recalls: int = 3
    min_queries: int = 2
    min_days: int = 2
    window_days: int = 7


@dataclass(frozen=True)
class Gate:
    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Verdict:
    candidate: Candidate
    scored: Scored
    gates: tuple[Gate, ...]
    verdict: Outcome
    reason: str

    def changed(self, verdict: Outcome, reason: str) -> "Verdict":
        return replace(self, verdict=verdict, reason=reason)


def judge(
    candidates: Sequence[Candidate],
    scored: Mapping[str, Scored],
    *,
    memory_lines: Sequence[str],
    now: datetime,
    forgotten: Collection[str] = (),
    rejected_before: Collection[str] = (),
    waiting: Collection[str] = (),
    thresholds: Thresholds | None = None,
) -> list[Verdict]:
    """A verdict for each candidate, the best score first.

    `forgotten` and `waiting` hold fingerprints; `waiting` are statements that passed on an
    earlier night and found no room, so that their score is not asked again. `rejected_before`
    are the statements themselves: nearly the same words are rejected, too.
    """
    known = _Known(memory_lines)
    rivals = Rivals(candidates)
    rejections = Rejections(rejected_before)
    verdicts = []
    for candidate in sorted(candidates, key=lambda c: (-scored[c.key].total, c.key)):
        prints = {candidate.key} | {fingerprint(m.text) for m in candidate.mentions}
        case = _Case(
            candidate,
            scored[candidate.key],
            now,
            thresholds or Thresholds(),
            known,
            rivals,
            rejections,
            is_forgotten=bool(prints & set(forgotten)),
            has_waited=bool(prints & set(waiting)),
        )
        checked = ((row.name, row.check(case)) for row in GATES)
        verdicts.append(
            _verdict(case, tuple(Gate(name, *found) for name, found in checked if found))
        )
    return verdicts


@dataclass(frozen=True)
class _Case:
    """One candidate, with what its gates ask."""

    candidate: Candidate
    scored: Scored
    now: datetime
    thresholds: Thresholds
    known: "_Known"
    rivals: Rivals
    rejections: Rejections
    is_forgotten: bool
    has_waited: bool


_Answer = tuple[bool, str]


def _score(case: _Case) -> _Answer:
    total, least = f"{case.scored.total:.2f}", f"{case.thresholds.min_score:.2f}"
    if case.scored.total >= case.thresholds.min_score:
        return True, f"It scored {total}; {least} is enough."
    if case.has_waited:
        return True, "It scored enough on an earlier night and waits for room."
    exact = total if total != least else f"{case.scored.total:.4f}"
    return False, f"It scored {exact}; {least} is needed."


def _age(case: _Case) -> _Answer:
    last, limit = case.candidate.last_date, case.thresholds.max_age_days
    age = age_in_days(last, case.now)
    if age <= limit:
        return True, f"It was last mentioned on {last.isoformat()}."
    return False, f"It was last mentioned {age} days ago; {limit} is the most."


class _Known:
    """MEMORY.md as it stands, asked whether it already says a thing."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._numbers: dict[str, int] = {}
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.lstrip().startswith(("#", "<!--")):
                self._numbers.setdefault(line, number)
        self._lookup = Lookup(self._numbers)

    def line(self, candidate: Candidate) -> int | None:
        """Where it says so."""
        line = next(self._lookup.covering(candidate.text), None)
        return None if line is None else self._numbers[line]


def _new(case: _Case) -> _Answer:
    line = case.known.line(case.candidate)
    if line is None:
        return True, "MEMORY.md does not say this yet."
    return False, f"MEMORY.md already says this in line {line}."


def _current(case: _Case) -> _Answer:
    newer = case.rivals.newer(case.candidate)
    if newer is None:
        return True, "No newer note says otherwise."
    return False, f"A newer note says otherwise ({_place(newer)})."


def _uncorrected(case: _Case) -> _Answer:
    correction = case.rivals.correction(case.candidate)
    if correction is None:
        return True, "Nobody corrected it later."
    return False, f"It was corrected later ({_place(correction)})."


def _place(mention: Mention) -> str:
    return f"{mention.path}:{mention.line}"


def _allowed(case: _Case) -> _Answer:
    if case.is_forgotten:
        return False, "It was forgotten or marked as not true."
    return True, "It was not forgotten."


def _undecided(case: _Case) -> _Answer:
    candidate = case.candidate
    if any(case.rejections.has(text) for text in {candidate.text, *_texts(candidate)}):
        return False, "A person rejected it before."
    return True, "Nobody rejected it before."


def _texts(candidate: Candidate) -> list[str]:
    return [mention.text for mention in candidate.mentions]


def _reviewed(case: _Case) -> _Answer | None:
    """Only for what was marked: nobody has to look at an ordinary statement."""
    if not case.candidate.waits:
        return None
    return False, "It waits for a person, who has to look at it first."


def _vouched(case: _Case) -> _Answer | None:
    """Only in what is shared: what comes from outside is proposed, never applied."""
    if not case.candidate.outside:
        return None
    return False, "It comes from outside the team, so a person decides."


def _grounds(case: _Case) -> _Answer:
    """One of these is enough."""
    candidate, least = case.candidate, case.thresholds
    recall = candidate.recall
    often = recall.count >= least.min_recalls and recall.queries >= least.min_queries
    grounds: tuple[tuple[bool, str], ...] = (
        (candidate.asked, "Somebody asked for it to be remembered."),
        (candidate.durable, "It is of the lasting kind."),
        (candidate.days >= least.min_days, f"It was mentioned on {candidate.days} days."),
        (often, f"It was recalled {_times(recall.count)} by {recall.queries} queries."),
        (candidate.proposed, "The model proposed it and cited its lines."),
    )
    for holds, detail in grounds:
        if holds:
            return True, detail
    recalled = "never recalled" if not recall.count else f"recalled {_times(recall.count)}"
    return False, f"It was mentioned on one day only and {recalled}."


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


@dataclass(frozen=True)
class Row:
    """A gate: its name, what it checks (None: it does not concern the candidate), and how the
    diary tells that one, or several, did not pass. `can_change`: another night may decide
    otherwise."""

    name: str
    check: Callable[[_Case], _Answer | None]
    one: str
    several: str
    can_change: bool = False


GATES = (
    Row("score", _score, "scored too low", "scored too low", can_change=True),
    Row("age", _age, "is too old", "are too old"),
    Row("new", _new, "already stands in MEMORY.md", "already stand in MEMORY.md"),
    Row("current", _current, "was overtaken by a newer note", "were overtaken by newer notes"),
    Row("uncorrected", _uncorrected, "was corrected later", "were corrected later"),
    Row("allowed", _allowed, "was forgotten or is not true", "were forgotten or are not true"),
    Row(
        "undecided",
        _undecided,
        "was rejected by a person before",
        "were rejected by a person before",
    ),
    Row("reviewed", _reviewed, "waits for a person", "wait for a person", can_change=True),
    Row(
        "vouched",
        _vouched,
        "comes from outside the team",
        "come from outside the team",
        can_change=True,
    ),
    Row(
        "grounds",
        _grounds,
        "came up on one day only, without a sign that it lasts",
        "came up on one day only, without a sign that they last",
        can_change=True,
    ),
)
_CAN_CHANGE = frozenset(row.name for row in GATES if row.can_change)


def decisive(failed: Sequence[Gate]) -> Gate:
    """Of the gates that a candidate failed, the one that tells the most."""
    final = [gate for gate in failed if gate.name not in _CAN_CHANGE]
    told = [gate for gate in final if gate.name != "new"]  # outdated says more than known
    return (told or final or sorted(failed, key=lambda gate: gate.name != "reviewed"))[0]


def _verdict(case: _Case, gates: tuple[Gate, ...]) -> Verdict:
    candidate, scored = case.candidate, case.scored
    failed = [gate for gate in gates if not gate.passed]
    if not failed:
        return Verdict(candidate, scored, gates, "promoted", gates[-1].detail)
    final = [gate for gate in failed if gate.name not in _CAN_CHANGE]
    if final:
        return Verdict(candidate, scored, gates, "rejected", decisive(failed).detail)
    reason = " ".join(gate.detail for gate in failed)
    oldest_seen_next = case.now.astimezone(UTC).date() - timedelta(
        days=case.thresholds.window_days - 2
    )
    # What waits for a person is looked at again, however long they take (`inputs`).
    if candidate.last_date < oldest_seen_next and not candidate.waits:
        last = f"This was the last night of its {case.thresholds.window_days} days."
        return Verdict(candidate, scored, gates, "rejected", f"{reason} {last}")
    return Verdict(candidate, scored, gates, "kept", reason)
