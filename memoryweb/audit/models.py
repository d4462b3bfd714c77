import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db import models
from django.db.models import BigIntegerField, Count, Max, Q, QuerySet, Value

from memoryweb.audit.packing import PackedField
from memoryweb.core.tables import ErasableTextField, Holds, PlainCharField, PlainTextField


class ChainHead(models.Model):
    """The end of a team's chain. Locked first by every writing transaction."""

    team_id = models.UUIDField(primary_key=True)
    seq = models.BigIntegerField(default=0)
    hash = models.BinaryField(max_length=32, default=bytes(32))
    checkpoints = models.IntegerField(default=0, help_text="how many were signed")
    seal = models.BinaryField(max_length=32, default=bytes, help_text="keyed hash of all of it")

    def __str__(self) -> str:
        return f"{self.team_id} at {self.seq}"


class Event(models.Model):
    """One thing that happened. `canonical` is what the hash covers; the columns only index it."""

    team_id = models.UUIDField()
    seq = models.BigIntegerField()
    at_us = models.BigIntegerField(help_text="UTC, microseconds since 1970")
    action = PlainCharField(max_length=64)
    actor_kind = PlainCharField(max_length=16)
    actor_id = PlainCharField(max_length=64, blank=True)
    actor_role = PlainCharField(max_length=16, blank=True)
    token_id = models.UUIDField(null=True)
    on_behalf_of = models.UUIDField(null=True, help_text="the owner's id, a pseudonym")
    target_kind = PlainCharField(max_length=32, blank=True)
    target_id = PlainCharField(max_length=64, blank=True)
    target_revision = models.IntegerField(null=True)
    before_revision = models.IntegerField(null=True)
    outcome = PlainCharField(max_length=16, default="ok")
    reason_code = PlainCharField(max_length=64, blank=True)
    run_id = models.UUIDField(null=True)
    agent_id = models.UUIDField(null=True, help_text="whose memory it was about, if one agent's")
    model = PlainCharField(max_length=120, blank=True)
    ip = PlainCharField(max_length=45, blank=True)
    user_agent = PlainCharField(max_length=200, blank=True)
    request_id = PlainCharField(max_length=64, blank=True)
    details = PlainTextField(blank=True, help_text="JSON of counts and commitments, no text")
    canonical = PackedField()
    previous = models.BinaryField(max_length=32)
    hash = models.BinaryField(max_length=32)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team_id", "seq"], name="audit_event_team_seq")
        ]
        indexes = [
            models.Index(fields=["team_id", "action", "-seq"], name="audit_event_action"),
            models.Index(fields=["team_id", "target_id", "-seq"], name="audit_event_target"),
            models.Index(
                fields=["team_id", "run_id"],
                condition=Q(run_id__isnull=False),
                name="audit_event_of_run",
            ),
            models.Index(fields=["team_id", "actor_id", "-seq"], name="audit_event_actor"),
            models.Index(fields=["team_id", "agent_id", "-seq"], name="audit_event_agent"),
        ]

    def __str__(self) -> str:
        return f"#{self.seq} {self.action}"

    @property
    def at(self) -> datetime:
        return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=self.at_us)

    @property
    def said(self) -> dict[str, str]:
        """What its commitments stand for, where that was not erased."""
        return {label.name: label.text for label in self.labels.all() if label.text}


class Label(models.Model):
    """What a commitment in an event stands for. Emptied by erasure; the chain still verifies."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="labels")
    team_id = models.UUIDField()
    name = PlainCharField(max_length=32)
    salt = models.BinaryField(max_length=32, null=True)
    text = ErasableTextField(blank=True, holds=Holds.LABEL)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["event", "name"], name="audit_label_event_name")
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.event_id}"


class Keys(models.Model):
    """One row: the keys that this database was written with (`audit.keys`)."""

    sealed = models.BinaryField(help_text="the keys before, under the secret key of now")
    lost_at = models.DateTimeField(null=True, help_text="the key before was lost: people are told")
    folder = PlainCharField(
        max_length=80, blank=True, default="", help_text="the print of the checkpoints' folder"
    )

    def __str__(self) -> str:
        return "the keys of this installation"


class Maintenance(models.Model):
    """One row. While `allowed`, the triggers that keep events append-only let go."""

    allowed = models.BooleanField(default=False)

    class Meta:
        db_table = "audit_maintenance"

    def __str__(self) -> str:
        return "open" if self.allowed else "closed"


_CHUNK = 1000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LOOKS = ("personal.read", "personal.exported")


def events_of(team_id: UUID) -> "QuerySet[Event]":
    """Newest first."""
    return Event.objects.filter(team_id=team_id).order_by("-seq")


def oldest_first(events: "QuerySet[Event]") -> Iterator[Event]:
    """With their labels; a few at a time, however many there are."""
    return events.order_by("seq").prefetch_related("labels").iterator(chunk_size=_CHUNK)


def newest_head() -> datetime | None:
    """When anything happened last, in any team."""
    head = {name: models.OuterRef(name) for name in ("team_id", "seq")}
    last = models.Subquery(Event.objects.filter(**head).values("at_us")[:1])
    newest = ChainHead.objects.aggregate(at_us=Max(last))["at_us"]
    return None if newest is None else _EPOCH + timedelta(microseconds=newest)


def micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def count_since(team_id: UUID, action: str, actor_id: str | None, since: datetime) -> int:
    """How often somebody, or anybody, did (or was refused) a thing since that moment."""
    events = Event.objects.filter(team_id=team_id, action=action, at_us__gte=micros(since))
    return (events.filter(actor_id=actor_id) if actor_id is not None else events).count()


@dataclass(frozen=True)
class Look:
    """A time that memory was read or exported, or (`reads` > 0) all reads with the same details."""

    details: str
    reads: int
    seq: int
    at_us: int
    action: str
    target_kind: str
    actor_id: str

    @property
    def at(self) -> datetime:
        return _EPOCH + timedelta(microseconds=self.at_us)

    @property
    def grant(self) -> str:
        """What opened the memory: a break-glass grant, or a program."""
        return str(json.loads(self.details or "{}").get("grant", ""))


def looks_at(
    team_id: UUID, owner_ids: Iterable[UUID], *, but: Q, most: int
) -> tuple[list[Look], dict[str, int]]:
    """The latest times that memory of these owners, or of all, was read or exported, and how often
    in all under each grant. `but`: those that are no look."""
    owners = list(owner_ids)
    about = Q(on_behalf_of__in=owners) | Q(on_behalf_of=None, target_kind="team")
    looks = Event.objects.filter(about, team_id=team_id, action__in=LOOKS, outcome="ok")
    latest = looks.exclude(but).order_by("-seq").values("pk")[:most]
    reads = Event.objects.filter(team_id=team_id, on_behalf_of__in=owners, action="personal.read")
    numbers, texts = ("seq", "at_us"), ("action", "target_kind", "actor_id")
    single = Event.objects.filter(pk__in=latest).values_list("details", Value(0), *numbers, *texts)
    none = (*(Value(0, BigIntegerField()) for _one in numbers), *(Value("") for _one in texts))
    counted = reads.order_by().values("details").annotate(reads=Count("pk"))
    rows = single.union(counted.values_list("details", "reads", *none), all=True)
    found = [Look(*row) for row in rows]
    times: dict[str, int] = Counter()
    for one in found:
        times[one.grant] += one.reads
    last = sorted((one for one in found if not one.reads), key=lambda one: -one.seq)
    return last, times
