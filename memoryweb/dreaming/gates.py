"""Which candidates may enter MEMORY.md, and a sentence for each reason why or why not.

The sentences name places, never the text of a note: they are stored and shown without it.
"""

from collections.abc import Collection, Mapping, Sequence
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
    used = thresholds or Thresholds()
    known = _Known(memory_lines)
    rivals = Rivals(candidates)
    rejections = Rejections(rejected_before)
    verdicts = []
    for candidate in sorted(candidates, key=lambda c: (-scored[c.key].total, c.key)):
        prints = {candidate.key} | {fingerprint(m.text) for m in candidate.mentions}
        gates = (
            _score_gate(scored[candidate.key], used, waits=bool(prints & set(waiting))),
            _age_gate(candidate, now, used),
            known.gate(candidate),
            _newer_gate(candidate, rivals),
            _corrected_gate(candidate, rivals),
            _forgotten_gate(prints, forgotten),
            _rejected_gate(candidate, rejections),
            *_reviewed_gate(candidate),
            _grounds_gate(candidate, used),
        )
        verdicts.append(_verdict(candidate, scored[candidate.key], gates, now, used))
    return verdicts


def _score_gate(scored: Scored, thresholds: Thresholds, *, waits: bool) -> Gate:
    total, least = f"{scored.total:.2f}", f"{thresholds.min_score:.2f}"
    if scored.total >= thresholds.min_score:
        return Gate("score", True, f"It scored {total}; {least} is enough.")
    if waits:
        return Gate("score", True, "It scored enough on an earlier night and waits for room.")
    exact = total if total != least else f"{scored.total:.4f}"
    return Gate("score", False, f"It scored {exact}; {least} is needed.")


def _age_gate(candidate: Candidate, now: datetime, thresholds: Thresholds) -> Gate:
    age = age_in_days(candidate.last_date, now)
    limit = thresholds.max_age_days
    if age <= limit:
        return Gate("age", True, f"It was last mentioned on {candidate.last_date.isoformat()}.")
    return Gate("age", False, f"It was last mentioned {age} days ago; {limit} is the most.")


class _Known:
    """MEMORY.md as it stands, asked whether it already says a thing."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._numbers: dict[str, int] = {}
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.lstrip().startswith(("#", "<!--")):
                self._numbers.setdefault(line, number)
        self._lookup = Lookup(self._numbers)

    def gate(self, candidate: Candidate) -> Gate:
        line = next(self._lookup.covering(candidate.text), None)
        if line is None:
            return Gate("new", True, "MEMORY.md does not say this yet.")
        return Gate("new", False, f"MEMORY.md already says this in line {self._numbers[line]}.")


def _newer_gate(candidate: Candidate, rivals: Rivals) -> Gate:
    newer = rivals.newer(candidate)
    if newer is None:
        return Gate("current", True, "No newer note says otherwise.")
    return Gate("current", False, f"A newer note says otherwise ({_place(newer)}).")


def _corrected_gate(candidate: Candidate, rivals: Rivals) -> Gate:
    correction = rivals.correction(candidate)
    if correction is None:
        return Gate("uncorrected", True, "Nobody corrected it later.")
    return Gate("uncorrected", False, f"It was corrected later ({_place(correction)}).")


def _place(mention: Mention) -> str:
    return f"{mention.path}:{mention.line}"


def _forgotten_gate(prints: set[str], forgotten: Collection[str]) -> Gate:
    if prints & set(forgotten):
        return Gate("allowed", False, "It was forgotten or marked as not true.")
    return Gate("allowed", True, "It was not forgotten.")


def _rejected_gate(candidate: Candidate, rejections: Rejections) -> Gate:
    if any(
        rejections.has(text) for text in {candidate.text, *(m.text for m in candidate.mentions)}
    ):
        return Gate("undecided", False, "A person rejected it before.")
    return Gate("undecided", True, "Nobody rejected it before.")


def _reviewed_gate(candidate: Candidate) -> tuple[Gate, ...]:
    """Only for what was marked: nobody has to look at an ordinary statement."""
    if not candidate.waits:
        return ()
    return (Gate("reviewed", False, "It waits for a person, who has to look at it first."),)


def _grounds_gate(candidate: Candidate, thresholds: Thresholds) -> Gate:
    """One of these is enough."""
    recall = candidate.recall
    often = recall.count >= thresholds.min_recalls and recall.queries >= thresholds.min_queries
    grounds: tuple[tuple[bool, str], ...] = (
        (candidate.asked, "Somebody asked for it to be remembered."),
        (candidate.durable, "It is of the lasting kind."),
        (candidate.days >= thresholds.min_days, f"It was mentioned on {candidate.days} days."),
        (often, f"It was recalled {_times(recall.count)} by {recall.queries} queries."),
        (candidate.proposed, "The model proposed it and cited its lines."),
    )
    for holds, detail in grounds:
        if holds:
            return Gate("grounds", True, detail)
    recalled = "never recalled" if not recall.count else f"recalled {_times(recall.count)}"
    return Gate("grounds", False, f"It was mentioned on one day only and {recalled}.")


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


_CAN_CHANGE = frozenset({"score", "grounds", "reviewed"})


def decisive(failed: Sequence[Gate]) -> Gate:
    """Of the gates that a candidate failed, the one that tells the most."""
    final = [gate for gate in failed if gate.name not in _CAN_CHANGE]
    told = [gate for gate in final if gate.name != "new"]  # outdated says more than known
    return (told or final or sorted(failed, key=lambda gate: gate.name != "reviewed"))[0]


def _verdict(
    candidate: Candidate,
    scored: Scored,
    gates: tuple[Gate, ...],
    now: datetime,
    thresholds: Thresholds,
) -> Verdict:
    failed = [gate for gate in gates if not gate.passed]
    if not failed:
        return Verdict(candidate, scored, gates, "promoted", gates[-1].detail)
    final = [gate for gate in failed if gate.name not in _CAN_CHANGE]
    if final:
        return Verdict(candidate, scored, gates, "rejected", decisive(failed).detail)
    reason = " ".join(gate.detail for gate in failed)
    oldest_seen_next = now.astimezone(UTC).date() - timedelta(days=thresholds.window_days - 2)
    if candidate.last_date < oldest_seen_next:
        last = f"This was the last night of its {thresholds.window_days} days."
        return Verdict(candidate, scored, gates, "rejected", f"{reason} {last}")
    return Verdict(candidate, scored, gates, "kept", reason)
