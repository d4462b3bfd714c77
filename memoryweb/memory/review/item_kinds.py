"""The kinds of what waits for a person. A new one is a value of `Kind` and a row of `SOURCES`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import (
    Count,
    Exists,
    F,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextChoices,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.models import Team
from memoryweb.accounts.permissions import Permission
from memoryweb.core.prepared_queries import Prepared
from memoryweb.memory.lines.flags import print_of
from memoryweb.memory.models import (
    Contradiction,
    CrowdedFile,
    Fact,
    HeldSecret,
    LineOrigin,
    Proposal,
    Request,
    Revision,
    Target,
)
from memoryweb.memory.models.review_items import flagged_rows
from memoryweb.memory.statements.listing import weighed
from memoryweb.memory.visible.hidden import is_hidden


class Kind(TextChoices):
    PROPOSAL = "proposal", _("Proposals")
    FLAG = "flag", _("Flagged lines")
    SECRET = "secret", _("Likely secrets")
    CONTRADICTION = "contradiction", _("Contradictions")
    CROWDED = "crowded", _("Little room")
    FORGET = "forget", _("Requests to forget")


@dataclass(frozen=True)
class Source:
    """Where the items of a kind come from. `rows` are bare, for every page counts them; an item is
    since `since`, and shown with what is `related`; `add_beside` brings what there is many of.
    `holder` leads from a row to its agent and owner, `key` is the field that an item's id begins
    with."""

    model: type[Model]
    rows: "Callable[[Team], QuerySet[Any]]"
    since: Callable[[], Combinable]
    related: str
    reasons: Callable[[Any], Sequence[str]]
    target: str  # what a read of it is recorded as, by the first part of its id
    waits: str = ""  # the state of what waits; none where a decided row is gone
    holder: str = "file__"
    takes: Permission = Permission.DECIDE  # of shared memory
    key: str = "pk"
    id: Callable[[Any], str] = lambda row: str(row.pk)
    add_beside: Callable[[Sequence[Any]], None] = lambda _rows: None


def line_text(flagged: LineOrigin) -> str:
    lines = flagged.file.content.split("\n")
    return lines[flagged.line - 1] if flagged.line <= len(lines) else ""


def _brought_at() -> Combinable:
    brought = Revision.objects.filter(file=OuterRef("file"), number=OuterRef("since"))
    return Coalesce(Subquery(brought.values("created_at")[:1]), "file__updated_at")


@Prepared
def _sides(keys: Sequence[UUID]) -> "QuerySet[Any]":
    sides = weighed(Fact.objects.filter(contradiction__in=keys))
    found: QuerySet[Any] = sides.annotate(is_hidden=is_hidden())
    return found.select_related("agent", "file__owner", "confirmed_by")


def _with_sides(rows: Sequence[Any]) -> None:
    """As `prefetch_related` does it, by SQL that is made once."""
    sides: dict[UUID, list[Any]] = {row.pk: [] for row in rows}
    for one in _sides(tuple(sides)) if rows else ():
        sides[one.contradiction_id].append(one)
    for row in rows:
        facts = row.facts.all()
        facts._result_cache, facts._prefetch_done = sides[row.pk], True
        row._prefetched_objects_cache = {"facts": facts}


def _offering(team: Team) -> "QuerySet[Any]":
    """What nobody has to pick from waits for nobody."""
    offered = Target.objects.filter(request=OuterRef("pk"), is_hidden=False)
    waiting = Q(state=Request.State.OPEN) & Exists(offered)
    said = offered.filter(fact__isnull=False).order_by()
    counted = said.values("request").annotate(n=Count("pk")).values("n")
    found = Request.objects.filter(waiting | Q(decided_at__isnull=False), team=team)
    return found.annotate(
        offered=Subquery(said.order_by("pk").values("fact__text")[:1]), offers=Subquery(counted)
    )


SOURCES = {
    # One of a simulated night is as old as that night.
    Kind.PROPOSAL: Source(
        Proposal,
        lambda team: Proposal.objects.filter(team=team),
        since=lambda: Coalesce("run__clock", "created_at"),
        related="file__agent file__owner__integration file__owner__person run__report"
        " token__integration decided_by",
        reasons=lambda row: [one["detail"] for one in row.broken],
        target="proposal",
        waits=Proposal.State.PENDING,
    ),
    # A flagged line is known by what it says, wherever in its file it stands by now.
    Kind.FLAG: Source(
        LineOrigin,
        lambda team: flagged_rows().filter(team=team),
        since=_brought_at,
        related="file__agent file__owner__integration file__owner__person run user"
        " message__conversation__owner",
        reasons=lambda row: row.marks.split(","),
        target="file",
        key="file",
        id=lambda row: f"{row.file_id}.{print_of(line_text(row))}",
    ),
    Kind.SECRET: Source(
        HeldSecret,
        lambda team: HeldSecret.objects.filter(team=team),
        since=lambda: F("created_at"),
        related="agent file__agent file__owner message__conversation__owner decided_by"
        " owner__integration owner__person",
        reasons=lambda row: [row.kind],
        target="held_secret",
        waits=HeldSecret.State.WAITING,
        holder="",
    ),
    Kind.CONTRADICTION: Source(
        Contradiction,
        lambda team: Contradiction.objects.filter(team=team),
        since=lambda: F("created_at"),
        related="agent owner__integration decided_by",
        reasons=lambda _row: (),
        target="contradiction",
        waits=Contradiction.State.OPEN,
        holder="",
        add_beside=_with_sides,
    ),
    Kind.CROWDED: Source(
        CrowdedFile,
        lambda team: CrowdedFile.objects.filter(team=team),
        since=lambda: F("created_at"),
        related="file__agent file__owner__integration file__owner__person decided_by",
        reasons=lambda _row: (),
        target="file",
        waits=CrowdedFile.State.OPEN,
    ),
    Kind.FORGET: Source(
        Request,
        _offering,
        since=lambda: F("created_at"),
        related="agent owner__integration owner__person conversation asked_by decided_by",
        reasons=lambda row: [row.via],
        target="forget_request",
        waits=Request.State.OPEN,
        holder="",
        takes=Permission.FORGET,
    ),
}
