"""Which candidates may enter MEMORY.md. A new check is one row of GATES and its function.

A check answers with a code and numbers, which are what is stored; their sentences are made when
they are shown. They name places, never the text of a note: they are shown without it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.dreaming.candidates import Candidate, Score, age_in_days
from memoryweb.dreaming.knowledge import KnownStatements, Later
from memoryweb.dreaming.operations import LEFT_OUT, CitableLine, LivingStatement
from memoryweb.memory.writing.proposing import Rejections

Text = str | Promise
Outcome = Literal["promoted", "kept", "rejected"]

LAST_NIGHT, UNTAKEN = "last_night", "untaken"
DECIDED = "decided"  # the check that comes last: what became of the operation that it led to

# Why something became of a candidate where no check tells, by the code that is stored for it.
REASONS: Mapping[str, Text] = {
    LAST_NIGHT: _("This was the last night of its {n} days."),
    UNTAKEN: _("It passed every check, but the model left it out."),
    **LEFT_OUT,
}


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
    """What one check found: `code` names its sentence, `values` fill it in."""

    name: str
    passed: bool
    code: str
    values: Mapping[str, str | int]

    @property
    def detail(self) -> str:
        return sentence(vars(self))


@dataclass(frozen=True)
class Verdict:
    """`reason` is empty where the checks decided, else a code of REASONS, maybe with a number."""

    candidate: Candidate
    scored: Score
    gates: tuple[Gate, ...]
    verdict: Outcome
    reason: str = ""

    def changed(self, verdict: Outcome, reason: str, number: int | None = None) -> "Verdict":
        said = reason if number is None else f"{reason} {number}"
        gates = self.gates
        if reason in LEFT_OUT:
            gates += (Gate(DECIDED, False, reason, {} if number is None else {"limit": number}),)
        return replace(self, verdict=verdict, reason=said, gates=gates)

    @property
    def why(self) -> str:
        return why(self.reason, [vars(gate) for gate in self.gates])


def sentence(gate: Mapping[str, Any]) -> str:
    """Of a check as it is stored. Rows of earlier versions hold the sentence itself."""
    if "detail" in gate:
        return str(gate["detail"])
    sentences = _OTHERS.get(gate["name"]) or _ROWS[gate["name"]].sentences
    return str(sentences[gate["code"]]).format(**gate["values"])


def why(reason: str, gates: Sequence[Mapping[str, Any]]) -> str:
    """The sentences of a stored verdict. Rows of earlier versions hold them as `reason`."""
    code, _space, number = reason.partition(" ")
    if reason and code not in REASONS:
        return reason
    said = str(REASONS[code]).format(n=number, limit=number) if code else ""
    if code not in {"", LAST_NIGHT}:
        return said
    failed = [gate for gate in gates if not gate["passed"]]
    if not failed:
        return sentence(gates[-1]) if gates else ""
    if not code and any(gate["name"] not in _CAN_CHANGE for gate in failed):
        failed = [decisive(failed)]
    return " ".join([*map(sentence, failed), said]).strip()


def judge(
    candidates: Sequence[Candidate],
    scored: Mapping[str, Score],
    *,
    memory_lines: Sequence[str],
    now: datetime,
    said: Sequence[CitableLine] = (),
    living: Sequence[LivingStatement] = (),
    rejected_before: Collection[str] = (),
    thresholds: Thresholds | None = None,
    has_room: bool = False,
) -> list[Verdict]:
    """A verdict for each candidate, the best score first. `said` are the lines of the notes;
    nearly the same words as those of `rejected_before` are rejected, too. Where there is room,
    whatever the owner said of themselves is worth it."""
    known = KnownStatements(memory_lines, living)
    later = Later(said)
    rejections = Rejections(rejected_before)
    verdicts = []
    for candidate in sorted(candidates, key=lambda c: (-scored[c.key].total, c.key)):
        case = _Case(
            candidate,
            scored[candidate.key],
            now,
            thresholds or Thresholds(),
            has_room,
            known,
            later,
            rejections,
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
    scored: Score
    now: datetime
    thresholds: Thresholds
    has_room: bool
    known: KnownStatements
    later: Later
    rejections: Rejections


_Answer = tuple[bool, str, dict[str, str | int]]  # passed, and a code of the row's sentences


def _passed(code: str = "yes", **values: str | int) -> _Answer:
    return True, code, values


def _failed(code: str = "no", **values: str | int) -> _Answer:
    return False, code, values


def _score(case: _Case) -> _Answer | None:
    """Of what was recalled or repeated; the other grounds need none."""
    if _grounds(case)[1] not in {"days", "recalled"}:
        return None
    total, least = f"{case.scored.total:.2f}", f"{case.thresholds.min_score:.2f}"
    if case.scored.total >= case.thresholds.min_score:
        return _passed(total=total, least=least)
    # 0.3996 must not read like the 0.40 that it misses.
    exact = total if total != least else f"{case.scored.total:.4f}"
    return _failed(total=exact, least=least)


def _age(case: _Case) -> _Answer:
    last, limit = case.candidate.last_date, case.thresholds.max_age_days
    age = age_in_days(last, case.now)
    return _passed(date=last.isoformat()) if age <= limit else _failed(age=age, limit=limit)


def _new(case: _Case) -> _Answer:
    line = case.known.line(case.candidate)
    if line is None:
        return _passed()
    return _failed(line=line) if line else _failed("profile")


def _current(case: _Case) -> _Answer:
    against = next(case.later.against(case.candidate), None)
    return _failed(place=against.ref.replace("#L", ":")) if against else _passed()


def _undecided(case: _Case) -> _Answer:
    texts = {case.candidate.text, *(mention.text for mention in case.candidate.mentions)}
    return _failed() if any(map(case.rejections.has, texts)) else _passed()


def _reviewed(case: _Case) -> _Answer | None:
    """Only for what was flagged: nobody has to look at an ordinary statement."""
    return _failed() if case.candidate.waits else None


def _vouched(case: _Case) -> _Answer | None:
    """Only in what is shared: what comes from outside is proposed, never applied."""
    return _failed() if case.candidate.outside else None


def _grounds(case: _Case) -> _Answer:
    """One of these is enough."""
    candidate, least, recall = case.candidate, case.thresholds, case.candidate.recall
    if candidate.asked:
        return _passed("asked")
    if candidate.durable:
        return _passed("durable")
    if case.has_room and candidate.is_own:
        return _passed("room")
    if candidate.days >= least.min_days:
        return _passed("days", days=candidate.days)
    if recall.count >= least.min_recalls and recall.queries >= least.min_queries:
        return _passed("recalled", times=recall.count, queries=recall.queries)
    if candidate.proposed:
        return _passed("proposed")
    if case.known.has_other(candidate):
        return _passed("otherwise")
    seldom = {0: "never", 1: "once", 2: "twice"}
    return _failed(seldom.get(recall.count, "times"), times=recall.count)


@dataclass(frozen=True)
class Row:
    """A check: its name, what it asks (None: it does not concern the candidate), the sentence of
    each code that it answers with, and how the diary counts those that did not pass.
    `can_change`: another night may decide otherwise."""

    name: str
    check: Callable[[_Case], _Answer | None]
    sentences: Mapping[str, Text]
    counted: Text
    can_change: bool = False


GATES = (
    Row(
        "score",
        _score,
        {
            "yes": _("It scored {total}; {least} is enough."),
            "no": _("It scored {total}; {least} is needed."),
        },
        _("{n} scored too low"),
        can_change=True,
    ),
    Row(
        "age",
        _age,
        {
            "yes": _("It was last mentioned on {date}."),
            "no": _("It was last mentioned {age} days ago; the limit is {limit}."),
        },
        _("{n} too old"),
    ),
    Row(
        "new",
        _new,
        {
            "yes": _("MEMORY.md does not say this yet."),
            "no": _("MEMORY.md already says this in line {line}."),
            "profile": _("PROFILE.md already says this."),
        },
        _("{n} already in MEMORY.md"),
    ),
    Row(
        "current",
        _current,
        {
            "yes": _("No newer note says otherwise."),
            "no": _("A newer note says otherwise ({place})."),
        },
        _("{n} overtaken by newer notes"),
    ),
    Row(
        "undecided",
        _undecided,
        {"yes": _("Nobody rejected it before."), "no": _("A person rejected it before.")},
        _("{n} rejected by a person before"),
    ),
    Row(
        "reviewed",
        _reviewed,
        {"no": _("It's flagged: a person has to look at it first.")},
        _("{n} waiting for a person"),
        can_change=True,
    ),
    Row(
        "vouched",
        _vouched,
        {"no": _("It comes from outside the team, so a person decides.")},
        _("{n} from outside the team"),
        can_change=True,
    ),
    Row(
        "grounds",
        _grounds,
        {
            "asked": _("Somebody asked to remember it."),
            "durable": _("It's the kind of thing that lasts."),
            "room": _("Its owner said it of themselves, and MEMORY.md has room."),
            "days": _("It was mentioned on {days} days."),
            "recalled": _("It was recalled {times} times by {queries} queries."),
            "otherwise": _("MEMORY.md says otherwise, so it can't just stay a note."),
            "proposed": _("The model proposed it and cited its lines."),
            "never": _("It was mentioned on one day only and never recalled."),
            "once": _("It was mentioned on one day only and recalled once."),
            "twice": _("It was mentioned on one day only and recalled twice."),
            "times": _("It was mentioned on one day only and recalled {times} times."),
        },
        _("{n} mentioned on one day only, with no sign of lasting"),
        can_change=True,
    ),
)
_ROWS = {row.name: row for row in GATES}
# What comes after the checks; and those of earlier versions, as reports hold them.
_OTHERS: Mapping[str, Mapping[str, Text]] = {
    DECIDED: LEFT_OUT,
    "uncorrected": {
        "yes": _("Nobody corrected it later."),
        "no": _("It was corrected later ({place})."),
    },
    "allowed": {
        "yes": _("It was not forgotten."),
        "no": _("It was forgotten or marked as not true."),
    },
}
_CAN_CHANGE = frozenset(row.name for row in GATES if row.can_change)


def decisive(failed: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Of the checks (as they are stored) that a candidate failed, the one that tells the most."""
    final = [gate for gate in failed if gate["name"] not in _CAN_CHANGE]
    told = [gate for gate in final if gate["name"] != "new"]  # outdated says more than known
    return (told or final or sorted(failed, key=lambda gate: gate["name"] != "reviewed"))[0]


def _verdict(case: _Case, gates: tuple[Gate, ...]) -> Verdict:
    candidate, days = case.candidate, case.thresholds.window_days
    failed = {gate.name for gate in gates if not gate.passed}
    outcome: Outcome = "kept" if failed else "promoted"
    if failed - _CAN_CHANGE:
        outcome = "rejected"
    found = Verdict(candidate, case.scored, gates, outcome)
    # The next night's window begins a day later: what is older is not seen again. What waits for
    # a person is looked at again, however long they take (`inputs`).
    seen_next = case.now.astimezone(UTC).date() - timedelta(days=days - 2)
    if outcome == "kept" and candidate.last_date < seen_next and not candidate.waits:
        return found.changed("rejected", LAST_NIGHT, days)
    return found
