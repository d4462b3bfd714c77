from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import Exists, F, Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from memoryweb.core import tables
from memoryweb.memory.models.facts import Contradiction
from memoryweb.memory.models.files import LineOrigin, Revision
from memoryweb.memory.models.forgetting import ForgetRequest, Target


class Proposal(tables.UUIDRow):
    """A machine's change of a file that waits for a person: a broken guard, the policy, or words
    from outside the team. It is of a run, or of a program that wrote by itself or by a tool."""

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting for a decision")
        ACCEPTED = "accepted", _("Accepted")
        REJECTED = "rejected", _("Rejected")
        REPLACED = "replaced", _("Replaced by a newer proposal")

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    file = models.ForeignKey("memory.File", models.CASCADE, related_name="proposals")
    run = models.ForeignKey("runs.Run", models.RESTRICT, null=True, related_name="proposals")
    token = models.ForeignKey("accounts.Token", models.SET_NULL, null=True, related_name="+")
    conversation = models.ForeignKey(
        "memory.Conversation", models.SET_NULL, null=True, related_name="+"
    )
    batch = models.ForeignKey("memory.Import", models.SET_NULL, null=True, related_name="+")
    base_revision = models.IntegerField()
    raw_content = tables.ErasableTextField(db_column="content")
    origins = tables.PlainJSONField(
        default=dict, help_text="line number → sources, applied on acceptance"
    )
    broken = tables.PlainJSONField(
        default=list, help_text="[{guard, detail}] with numbers, no text"
    )
    taken = tables.PlainJSONField(
        default=dict,
        help_text="of an accepted one: revisions {before, after}, and numbers of lines that stayed "
        "out {left_out} and that stayed {kept}",
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    decided_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    erasure = tables.Erasure.DROPPED | tables.Erasure.QUOTING

    class Meta:
        db_table = "workspace_proposal"
        constraints = [
            models.UniqueConstraint(fields=["run", "file"], name="workspace_proposal_run_file")
        ]
        indexes = [
            models.Index(fields=["team", "state", "-created_at"], name="workspace_proposal_state")
        ]


class NoSecret(tables.TeamRow):
    """What looks like a password and is none, as a person said: it passes in that memory."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    fingerprint = tables.KeyedCharField(max_length=64, help_text="keyed hash of the value")
    said_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    said_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["team", "fingerprint"], name="memory_no_secret")]


class CrowdedFile(tables.UUIDRow):
    """What people hold fast leaves little room for anything new: said once a file."""

    class State(models.TextChoices):
        OPEN = "open", _("Waiting to be seen")
        SEEN = "seen", _("Seen")

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    file = models.OneToOneField("memory.File", models.CASCADE, related_name="+")
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    decided_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "review_crowdedfile"


class ReviewItem(tables.TeamRow):
    """One thing that waits for a person, or that one decided: what it is about, and no text of it.

    `models.review_items` makes it follow its cause, which is one of the columns from `proposal` to
    `origin`, in the transaction that changes the cause.
    """

    class Kind(models.TextChoices):
        PROPOSAL = "proposal", _("Proposals")
        FLAG = "flag", _("Flagged lines")
        CONTRADICTION = "contradiction", _("Contradictions")
        CROWDED = "crowded", _("Little room")
        FORGET = "forget", _("Requests to forget")

    class State(models.TextChoices):
        OPEN = "open"
        DECIDED = "decided"
        EXPIRED = "expired"

    kind = models.CharField(max_length=13, choices=Kind.choices)
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    proposal = models.OneToOneField(Proposal, models.CASCADE, null=True, related_name="item")
    contradiction = models.OneToOneField(
        "memory.Contradiction", models.CASCADE, null=True, related_name="item"
    )
    crowded = models.OneToOneField(CrowdedFile, models.CASCADE, null=True, related_name="item")
    request = models.OneToOneField(
        "memory.ForgetRequest", models.CASCADE, null=True, related_name="item"
    )
    # Lines come and go with every write, and whoever takes one away follows its file.
    origin = models.OneToOneField(
        "memory.LineOrigin", models.DO_NOTHING, null=True, related_name="item", db_constraint=False
    )
    file = models.ForeignKey(
        "memory.File", models.CASCADE, null=True, related_name="+", help_text="of a flagged line"
    )
    since = models.DateTimeField()
    state = models.CharField(max_length=7, choices=State.choices, default=State.OPEN)
    decided_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "memory_reviewitem"
        indexes = [
            models.Index(fields=["team", "state", "-since"], name="memory_item_waits"),
            models.Index(fields=["team", "-decided_at"], name="memory_item_decided"),
        ]


Kind, State = ReviewItem.Kind, ReviewItem.State
# What waits for a person follows its causes: whoever changes a cause calls `follow` for it, in the
# same transaction. One way for all, so that checking, repairing and an upgrade compare the same.

Values = dict[str, Any]


@dataclass(frozen=True)
class Cause:
    """Which rows are items of a kind. `column` of the item leads to the row; `holder` leads from
    that to its agent and owner. `waits` is the state of what waits; none where what is decided is
    gone. Whoever follows some names them by `key` of the row, which is `item_key` of the item."""

    model: type[Model]
    column: str
    waits: str = ""
    holder: str = "file__"
    key: str = "pk"
    rows: "Callable[[], QuerySet[Any]] | None" = None  # where not all of them are
    since: Callable[[], Combinable] = lambda: F("created_at")

    @property
    def item_key(self) -> str:
        return self.column if self.key == "pk" else self.key


def flagged_rows() -> "QuerySet[LineOrigin]":
    """One a line."""
    flagged = LineOrigin.objects.exclude(marks="")
    before = flagged.filter(file=OuterRef("file"), line=OuterRef("line"), pk__lt=OuterRef("pk"))
    return flagged.filter(~Exists(before), file__deleted_at=None)


def _brought_at() -> Combinable:
    brought = Revision.objects.filter(file=OuterRef("file"), number=OuterRef("since"))
    return Coalesce(Subquery(brought.values("created_at")[:1]), "file__updated_at")


def offered() -> "QuerySet[Target]":
    """Of a request, what a person can pick."""
    return Target.objects.filter(request=OuterRef("pk"), is_hidden=False)


def _offering() -> "QuerySet[ForgetRequest]":
    """What nobody has to pick from waits for nobody."""
    is_open = Q(state=ForgetRequest.State.OPEN)
    return ForgetRequest.objects.filter(
        is_open & Exists(offered()) | ~is_open & ~Q(decided_at=None)
    )


CAUSES = {
    # One of a simulated night is as old as that night.
    Kind.PROPOSAL: Cause(
        Proposal, "proposal", "pending", since=lambda: Coalesce("run__clock", "created_at")
    ),
    Kind.FLAG: Cause(LineOrigin, "origin", key="file", rows=flagged_rows, since=_brought_at),
    Kind.CONTRADICTION: Cause(Contradiction, "contradiction", "open", holder=""),
    Kind.CROWDED: Cause(CrowdedFile, "crowded", "open"),
    Kind.FORGET: Cause(ForgetRequest, "request", "open", holder="", rows=_offering),
}


@dataclass(frozen=True)
class Difference:
    """`about`: the key of the cause that has no item, or another; of the one that is gone."""

    kind: ReviewItem.Kind
    problem: str  # missing, extra or changed
    about: str


def follow(kind: ReviewItem.Kind, keys: Collection[Any] | None = None) -> list[Difference]:
    """Have the items of these causes say what the causes say, of all in scope without keys; what
    they did not say."""
    column, values, items = CAUSES[kind].column, _values(kind, keys), _items(kind, keys)
    found = list(_differences(kind, values, items))
    by = {
        problem: [one.about for one in found if one.problem == problem]
        for problem in ("extra", "missing", "changed")
    }
    if by["extra"]:
        ReviewItem.objects.filter(pk__in=[items[key].pk for key in by["extra"]]).delete()
    made = (ReviewItem(kind=kind, **{f"{column}_id": key}, **values[key]) for key in by["missing"])
    ReviewItem.objects.bulk_create(made)
    for key in by["changed"]:
        ReviewItem.objects.filter(pk=items[key].pk).update(**values[key])
    return found


def differences(kind: ReviewItem.Kind) -> list[Difference]:
    """The same of all in scope, and changes nothing."""
    return list(_differences(kind, _values(kind, None), _items(kind, None)))


def about(item: ReviewItem) -> Any:
    """The key of its cause."""
    return getattr(item, f"{CAUSES[Kind(item.kind)].column}_id")


def drop_empty() -> None:
    """Requests of which all that they offered is gone with its texts."""
    offering = Target.objects.filter(request=OuterRef("request"), is_hidden=False)
    waiting = ReviewItem.objects.filter(kind=Kind.FORGET, state=State.OPEN)
    waiting.exclude(Exists(offering)).delete()


def _differences(
    kind: ReviewItem.Kind, values: Mapping[Any, Values], items: Mapping[Any, ReviewItem]
) -> Iterator[Difference]:
    for key in items.keys() - values.keys():
        yield Difference(kind, "extra", key)
    for key, said in values.items():
        if key not in items:
            yield Difference(kind, "missing", key)
        elif not _matches(items[key], said):
            yield Difference(kind, "changed", key)


def _matches(item: ReviewItem, said: Values) -> bool:
    """That it was time and nobody who decided, only the item tells of some kinds."""
    states = (item.state, said["state"])
    is_expired = states == (State.EXPIRED, State.DECIDED)
    names = said.keys() - ({"state"} if is_expired else set())
    return all(getattr(item, name) == said[name] for name in names)


def _values(kind: ReviewItem.Kind, keys: Collection[Any] | None) -> dict[Any, Values]:
    """Cause → what its item holds, in the order in which they came."""
    cause = CAUSES[kind]
    rows = cause.rows() if cause.rows else cause.model._default_manager.all()
    rows = rows.annotate(item_since=cause.since())
    if keys is not None:
        rows = rows.filter(**{f"{cause.key}__in": keys})
    names = {
        "team_id": "team",
        "agent_id": f"{cause.holder}agent",
        "owner_id": f"{cause.holder}owner",
        "since": "item_since",
    }
    if cause.key != "pk":
        names[f"{cause.key}_id"] = cause.key
    if cause.waits:
        names |= {"state": "state", "decided_by_id": "decided_by", "decided_at": "decided_at"}
    found = {}
    for key, *columns in rows.order_by("item_since", "pk").values_list("pk", *names.values()):
        values = dict(zip(names, columns, strict=True))
        state = State.OPEN if values.get("state", "") == cause.waits else State.DECIDED
        found[key] = values | {"state": state.value}
    return found


def _items(kind: ReviewItem.Kind, keys: Collection[Any] | None) -> dict[Any, ReviewItem]:
    cause = CAUSES[kind]
    items = ReviewItem.objects.filter(kind=kind)
    if keys is not None:
        items = items.filter(**{f"{cause.item_key}__in": keys})
    return {about(item): item for item in items}
