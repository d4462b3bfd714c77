"""Statements as lists: weighed, narrowed and in their order, on both databases alike."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import (
    Case,
    Count,
    DateField,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    When,
)
from django.db.models.functions import Cast, Coalesce, Concat, Greatest, Least, TruncDate

from memoryweb.accounts.models import Team
from memoryweb.agents.models import GLOBAL_AGENT_ID
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.markdown.marks import Ended
from memoryweb.markdown.paths import kind_of
from memoryweb.memory.lines.origins import protected_lines
from memoryweb.memory.lines.revisions import Past, with_texts
from memoryweb.memory.models import Contradiction, Evidence, Fact, File, Vote
from memoryweb.memory.models.facts import BY_HAND
from memoryweb.memory.statements.bullets import (
    Statement,
    all_bullets_of,
    pinned_in,
    statements_of,
)
from memoryweb.memory.statements.trust import FROM, HALF_LIFE, STEADY, Band, band, trust
from memoryweb.memory.statements.validity import in_states, today

_PERSONS_WORD = Q(confirmed_at__isnull=False) | Q(source__in=BY_HAND)
_STEADY = Q(kind__in=STEADY) | _PERSONS_WORD


@dataclass(frozen=True)
class Weight:
    """What a statement's trust is made of, in whole days."""

    helpful: int
    unhelpful: int
    confirmed: bool
    days_since: int
    fades: bool

    @property
    def value(self) -> float:
        return trust(**vars(self))

    @property
    def band(self) -> Band:
        return band(self.value)


def weighed(facts: "QuerySet[Fact]") -> "QuerySet[Any]":
    """With all that `weight_of` asks of them."""
    said = Evidence.objects.filter(fact=OuterRef("pk"), said_at__isnull=False)
    return facts.annotate(
        helpful=_votes(helpful=True),
        unhelpful=_votes(helpful=False),
        mentioned_at=Coalesce(
            Subquery(said.order_by("-said_at").values("said_at")[:1]), "said_at", "created_at"
        ),
    )


def counted(facts: "QuerySet[Any]") -> "QuerySet[Any]":
    """`times`: in how many messages each was said; `people`: by how many persons."""
    said = Evidence.objects.filter(fact=OuterRef("pk"), message__isnull=False)
    who = Concat(Cast("message__conversation__owner", TextField()), "message__name")
    found: QuerySet[Any] = facts.annotate(
        times=_number(said, Count("message", distinct=True)),
        people=_number(said.filter(message__role="user"), Count(who, distinct=True)),
    )
    return found


def weight_of(fact: Any, now: datetime) -> Weight:
    return Weight(
        fact.helpful,
        fact.unhelpful,
        confirmed=fact.is_persons_word,
        days_since=max(0, (now - fact.mentioned_at).days),
        fades=fact.kind not in STEADY and not fact.is_persons_word,
    )


def narrowed(
    facts: "QuerySet[Any]",
    now: datetime,
    zone: ZoneInfo,
    *,
    states: Collection[str] = (),
    scope: str = "",
    kind: str = "",
    subject: str | None = None,
    heading: str = "",
    source: str = "",
    words: str = "",
    trusted: str = "",
    at_least: float = 0,
) -> "QuerySet[Any]":
    """States are those of the day in that zone; `trusted` is a band, `at_least` a trust: of weighed
    ones."""
    found = facts.filter(in_states(states, today(now, zone))) if states else facts
    columns = {"scope": scope, "kind": kind, "heading": heading, "source": source}
    found = found.filter(**{name: value for name, value in columns.items() if value})
    found = found.filter(saying(words)) if words else found
    if subject is not None:
        found = found.filter(subject=subject)
    if trusted:
        above = min((least for least in FROM.values() if least > FROM[Band(trusted)]), default=2)
        at_least = max(at_least, FROM[Band(trusted)])
        found = _summed(found).exclude(_reaches(above, now))
    return _summed(found).filter(_reaches(at_least, now)) if at_least else found


def trust_counts(facts: "QuerySet[Any]", now: datetime, zone: ZoneInfo) -> dict[str, int]:
    """How many active statements each band has, and how many are disputed: of weighed ones."""
    day = today(now, zone)
    active = in_states([Fact.State.ACTIVE], day)
    least = {name: active & _reaches(FROM[Band(name)], now) for name in ("high", "medium")}
    disputed = in_states([Fact.State.DISPUTED], day)
    wanted = {**least, "low": active, "disputed": disputed}
    n = _summed(facts).aggregate(**{k: Count("pk", filter=which) for k, which in wanted.items()})
    above = {"medium": n["high"], "low": n["medium"]}
    return {name: count - above.get(name, 0) for name, count in n.items()}


@PreparedQuery
def headings(agent: Any, owner: UUID | None) -> "QuerySet[Fact, str]":
    """Under which statements of a memory stand, a hundred of them."""
    found = Fact.objects.filter(agent=agent, owner=owner).exclude(heading="")
    return found.values_list("heading", flat=True).order_by("heading").distinct()[:100]


def saying(text: str) -> Q:
    """Statements with that in them, in capitals or not."""
    return Q(raw_text__icontains=text)


def for_all_teams() -> Q:
    """Found within `reading` alone, and only read there."""
    holds = Q(file__isnull=False, state__in=(Fact.State.ACTIVE, Fact.State.DISPUTED))
    return holds & Q(agent=GLOBAL_AGENT_ID, owner=None)


def with_global(agent_id: UUID, reach: Q) -> "QuerySet[Fact]":
    """An agent's within that reach, and those for all teams."""
    return Fact.objects.filter(Q(agent=agent_id) & reach | for_all_teams())


def values_of(fact: Fact) -> "QuerySet[Fact]":
    """What was ever said of the same thing in its workspace, the latest first."""
    near = Q(pk=fact.pk) | Q(superseded_by=fact.pk) | Q(pk=fact.superseded_by_id)
    if fact.attribute:
        near |= Q(subject=fact.subject, attribute=fact.attribute)
    found: QuerySet[Fact] = Fact.objects.of(fact.agent_id, fact.owner_id).filter(near)
    return found.order_by(Coalesce("said_at", "created_at").desc(), "-created_at", "pk")


@dataclass(frozen=True)
class Held:
    """A statement where it stood at a moment."""

    fact: Fact
    past: Past
    at: Statement


def held_in(files: Iterable[Past], fact: Fact) -> list[Held]:
    """What its workspace's files of a moment held of the same thing."""
    values = {one.fingerprint: one for one in values_of(fact)}
    pasts = with_texts([past for past in files if kind_of(past.path).holds_facts])
    return [
        Held(values[one.print], past, one)
        for past in pasts
        for one in statements_of(past.content, past.path)
        if one.print in values
    ]


@PreparedQuery
def evidence_of(facts: Sequence[Any]) -> "QuerySet[Evidence]":
    """What was said, the latest last."""
    said = Evidence.objects.filter(fact__in=facts, message__isnull=False)
    said = said.select_related("message__conversation").defer("message__raw_content")
    return said.order_by(F("said_at").asc(nulls_first=True), "pk")


def said_of(facts: Iterable[Fact | UUID]) -> "QuerySet[Evidence]":
    """All that statements stand on, ready to be shown."""
    shown = ("message__conversation__owner", "root__file__owner", "root__file__agent")
    found = Evidence.objects.filter(fact__in=list(facts))
    found = found.exclude(message=None, root=None).select_related(*shown)
    found = found.select_related("root__user", "root__run", "root__integration", "root__token")
    return found.order_by(F("said_at").desc(nulls_last=True), "-pk")


def sides_of(found: Contradiction, facts: Iterable[Any]) -> list[Any]:
    """What stands first, the oldest before the others: what still waits for a decision, or was
    decided on. What a question is about comes before what was said since."""
    if found.state == Contradiction.State.OPEN:
        sides = [one for one in facts if one.state not in Fact.OVER]
    else:
        sides = [one for one in facts if not found.before or str(one.pk) in found.before]
    is_behind = {one.pk: found.is_question and not found.is_about(one) for one in sides}
    return sorted(
        sides,
        key=lambda one: (
            *(is_behind[one.pk], one.state == Fact.State.PENDING),
            *(one.created_at, one.pk),
        ),
    )


def lines_of(file: File) -> dict[str, int]:
    """On which line of a file each of its statements begins, by the statement's print."""
    return {one.print: one.line for one in statements_of(file.raw_content, file.path)}


def marks_of(fact: Fact) -> tuple[Ended, ...]:
    """Those that stand in its line; one that is pinned has none."""
    there = all_bullets_of(fact.file.raw_content, fact.path) if fact.file else ()
    return next((one.ended for one in there if one.print == fact.fingerprint), ())


def is_pinned(fact: Fact) -> bool:
    """Where it stands."""
    file = fact.file
    return file is not None and fact.fingerprint in pinned_in(file.raw_content, file.path)


def fact_at(file: File, line: int) -> Fact | None:
    """The statement that stands on a line."""
    there = statements_of(file.raw_content, file.path)
    print_ = next((one.print for one in there if one.line <= line <= one.end), None)
    return Fact.objects.filter(file=file, fingerprint=print_).first() if print_ else None


def trusts_of(places: Iterable[tuple[UUID, str]], now: datetime) -> dict[tuple[UUID, str], float]:
    """Of the statements that stand in some files, by file and print."""
    wanted = set(places)
    files, prints = {file for file, _print in wanted}, {print_ for _file, print_ in wanted}
    rows = _standing(tuple(files), tuple(prints)) if wanted else ()
    return {(row.file_id, row.fingerprint): weight_of(row, now).value for row in rows}


@PreparedQuery
def _standing(files: Sequence[UUID], prints: Sequence[str]) -> "QuerySet[Any]":
    return weighed(Fact.objects.filter(file__in=files, fingerprint__in=prints))


def held_from(fact: Fact) -> date:
    """Since when a value holds, as far as it is known."""
    return fact.valid_from or (fact.said_at or fact.created_at).date()


def _votes(*, helpful: bool) -> Coalesce:
    return _number(Vote.objects.filter(fact=OuterRef("pk"), helpful=helpful), Count("pk"))


def _number(rows: "QuerySet[Any]", count: Count) -> Coalesce:
    """Of the rows of each fact."""
    return Coalesce(Subquery(rows.order_by().values("fact").annotate(n=count).values("n")), 0)


def _summed(facts: "QuerySet[Any]") -> "QuerySet[Any]":
    """`tenths`: the trust before it fades."""
    confirmed = Case(When(_PERSONS_WORD, then=2), default=0)
    said = 5 + F("helpful") - 2 * F("unhelpful") + confirmed
    found: QuerySet[Any] = facts.annotate(
        tenths=Least(10, Greatest(0, said), output_field=IntegerField())
    )
    return found


def _reaches(least: float, now: datetime) -> Q:
    """There are eleven sums to fade from, and each takes its time to fall below `least`: so that
    the database needs no powers of two."""
    first = math.ceil(round(least * 10, 6))
    found = _STEADY & Q(tenths__gte=first)
    for tenths in range(max(1, first), 11):
        lasts = timedelta(days=math.floor(HALF_LIFE * math.log2(tenths / 10 / least)) + 1)
        found |= ~_STEADY & Q(tenths=tenths, mentioned_at__gt=now - lasts)
    return found


# How many statements stood, came and left, day by day.

_CHANGED = Q(state=Fact.State.SUPERSEDED)
_GONE = Q(state__in=(Fact.State.EXPIRED, Fact.State.RETIRED))


@dataclass(frozen=True)
class Growth:
    """Statements by the day on which they came, were changed, or left; `before`: how many stood
    already."""

    before: int
    came: Counter[date]
    changed: Counter[date]
    left: Counter[date]

    def added(self, day: date) -> int:
        """Without those that took the place of another."""
        return max(0, self.came[day] - self.changed[day])


def growth(team: Team, which: Q, since: datetime, zone: ZoneInfo) -> Growth:
    """Of the memories that `which` lets through, in two statements."""
    over = _CHANGED | _GONE
    facts = Fact.objects.filter(which, team=team).exclude(state=Fact.State.PENDING)
    facts = facts.exclude(over, changed_at__lt=since)
    came: Counter[date] = Counter()
    changed: Counter[date] = Counter()
    left: Counter[date] = Counter()
    fresh = When(created_at__gte=since, then=TruncDate("created_at", tzinfo=zone))
    born = facts.annotate(day=Case(fresh, default=None, output_field=DateField()))
    before = 0
    for day, count in born.values_list("day").annotate(Count("pk")).order_by():
        if day:
            came[day] = count
        else:
            before = count
    ended = facts.filter(over, changed_at__gte=since)
    days = ended.annotate(day=TruncDate("changed_at", tzinfo=zone)).values_list("day").order_by()
    for day, replaced, gone in days.annotate(
        replaced=Count("pk", filter=_CHANGED), gone=Count("pk", filter=_GONE)
    ):
        changed[day], left[day] = replaced, gone
    return Growth(before, came, changed, left)


def corrected(team: Team, which: Q, since: datetime) -> dict[UUID, int]:
    """Agent → how many statements people took back or put in other words."""
    facts = Fact.objects.filter(which, team=team, corrected_at__gte=since)
    return dict(facts.values_list("agent").annotate(Count("pk")).order_by())


def protected_size(file: File, least: float) -> int:
    """How many characters no machine may take out: lines that people wrote, confirmed or pinned,
    or that wait for one. A file that has no more than `least` is not looked through."""
    if len(file.raw_content) <= least:
        return 0
    facts = Fact.objects.filter(file=file, confirmed_at__isnull=False)
    confirmed = set(facts.values_list("fingerprint", flat=True))
    protected = protected_lines(file)
    for one in statements_of(file.raw_content, file.path):
        if one.print in confirmed:
            protected.update(range(one.line, one.end + 1))
    lines = enumerate(file.raw_content.split("\n"), start=1)
    return sum(len(line) + 1 for number, line in lines if number in protected)
