import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import models
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.models import Team
from memoryweb.core import tables
from memoryweb.llm.models import ChatUsage

NEVER = datetime(1970, 1, 1, tzinfo=UTC)
ACTIVE = Q(status__in=["queued", "running"]) | Q(status="failed", due_at__isnull=False)


class RunQuerySet(models.QuerySet["Run"]):
    def active(self) -> "RunQuerySet":
        """Queued, running, or failed with another try to come."""
        return self.filter(ACTIVE)


class Run(tables.UUIDRow):
    """One piece of background work: leased, fenced, resumable. The row is the truth (SPEC §5.2)."""

    class Kind(models.TextChoices):
        EXTRACTION = "extraction", _("Reading conversations")
        DREAM = "dream", _("Dream")
        SECRET_SCAN = "secret_scan", _("Look for secrets")
        ERASURE = "erasure", _("Erase what is forgotten")
        PREVIEW = "preview", _("Preview of a dream")
        IMPORT = "import", _("Import of conversations")
        STATEMENTS = "statements", _("Statements that a program sent")
        VECTORS = "vectors", _("Vectors for search by meaning")
        JOURNAL = "journal", _("Journal after a turn")

    class Status(models.TextChoices):
        QUEUED = "queued", _("Queued")
        RUNNING = "running", _("Running")
        SUCCEEDED = "succeeded", _("Succeeded")
        NO_CHANGE = "no_change", _("No change")
        SKIPPED = "skipped", _("Skipped")
        FAILED = "failed", _("Failed")
        NEEDS_REVIEW = "needs_review", _("Needs review")

    class Phase(models.TextChoices):
        NONE = "", _("Not started")
        CLAIMED = "claimed", _("Picked up")
        INPUTS = "inputs", _("Input read")
        ANSWER = "answer", _("Answered")
        CHECKED = "checked", _("Checked")
        APPLIED = "applied", _("Saved")
        REPORTED = "reported", _("Reported")

    class Trigger(models.TextChoices):
        CRON = "cron", _("Schedule")
        PERSON = "person", _("Person")
        API = "api", _("API")
        COMMAND = "command", _("Command")
        CONVERSATION = "conversation", _("Conversation")
        BACKFILL = "backfill", _("Backfill")

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="runs", db_index=False)
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="runs", db_index=False)
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="runs")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED)
    reason = tables.PlainCharField(max_length=64, blank=True, help_text="a code of the outcome")
    phase = models.CharField(max_length=8, choices=Phase.choices, default=Phase.NONE, blank=True)
    attempts = models.IntegerField(default=0)
    fence = models.BigIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True, help_text="not before; null once finished")
    turn_at = models.DateTimeField(
        default=NEVER, help_text="when its agent, owner and kind last had their turn"
    )
    trigger = models.CharField(max_length=12, choices=Trigger.choices)
    user = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    integration = models.ForeignKey(
        "accounts.Integration", models.SET_NULL, null=True, related_name="+"
    )
    night = models.DateField(null=True, help_text="local date of a nightly dream")
    clock = models.DateTimeField(null=True, help_text="the moment a simulated run takes for now")
    topic = tables.ErasableCharField(max_length=200, blank=True)
    inputs = tables.ErasableJSONField(default=dict, blank=True)
    answer = tables.ErasableJSONField(null=True, blank=True)
    checked = tables.ErasableJSONField(null=True, blank=True)
    result = tables.ErasableJSONField(default=dict, blank=True)
    error = tables.ErasableTextField(blank=True, holds=tables.Holds.LABEL)
    consolidator = tables.PlainCharField(max_length=8, blank=True)
    model = tables.PlainCharField(max_length=120, blank=True)
    tokens_in = models.BigIntegerField(default=0)
    tokens_out = models.BigIntegerField(default=0)
    cost_micros = models.BigIntegerField(default=0, help_text="millionths of a currency unit")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    reverted_at = models.DateTimeField(null=True, help_text="a person took back what it wrote")
    reverted_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")

    waits_for: tuple[uuid.UUID, ...] = ()  # runs before it, as its last task found them

    erasure = tables.Erasure.QUOTING
    objects = tables.TeamManager.from_queryset(RunQuerySet)()  # type: ignore[misc]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "kind", "night"],
                condition=Q(owner=None, night__isnull=False),
                name="runs_night_shared",
            ),
            models.UniqueConstraint(
                fields=["agent", "owner", "kind", "night"],
                condition=Q(owner__isnull=False, night__isnull=False),
                name="runs_night_owner",
            ),
            models.UniqueConstraint(
                fields=["agent", "kind"],
                condition=ACTIVE & Q(owner=None, night=None),
                name="runs_one_active_shared",
            ),
            models.UniqueConstraint(
                fields=["agent", "owner", "kind"],
                condition=ACTIVE & Q(owner__isnull=False, night=None),
                name="runs_one_active_owner",
            ),
        ]
        indexes = [
            models.Index(fields=["status", "due_at"], name="runs_claimable"),
            models.Index(
                fields=["team", "turn_at", "due_at", "id"],
                condition=Q(due_at__isnull=False),
                name="runs_turns",
            ),
            models.Index(fields=["team", "status"], name="runs_team_status"),
            models.Index(fields=["team", "agent", "kind", "-created_at"], name="runs_agent_latest"),
            models.Index(fields=["agent", "owner", "kind", "finished_at"], name="runs_finished"),
            models.Index(
                fields=["finished_at"], condition=Q(finished_at__isnull=False), name="runs_ended"
            ),
        ]

    @property
    def now(self) -> datetime:
        return self.clock or timezone.now()

    @property
    def is_active(self) -> bool:
        return self.status in {"queued", "running"} or (
            self.status == "failed" and self.due_at is not None
        )


class Beat(models.Model):
    """When something that has to happen again and again last happened (`tick`)."""

    name = tables.PlainCharField(primary_key=True, max_length=32)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S}"


class Metric(models.Model):
    """What processes have counted, such as requests of one kind and the seconds that they took."""

    name = tables.PlainCharField(max_length=32)
    label = tables.PlainCharField(max_length=240, blank=True)
    count = models.BigIntegerField(default=0)
    sum = models.FloatField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "label"], name="runs_metric_label")]

    def __str__(self) -> str:
        return f"{self.name} {self.label}: {self.count}"


def last_runs_of_owners(team_id: UUID, owner_ids: Collection[UUID]) -> dict[UUID, Run]:
    """The newest run of each owner, in one statement."""
    newest = Run.objects.filter(owner=OuterRef("owner")).order_by("-created_at").values("pk")[:1]
    rows = Run.objects.filter(team=team_id, owner__in=owner_ids, pk=Subquery(newest))
    return {run.owner_id: run for run in rows.select_related("report") if run.owner_id}


def runs_of_owner(team_id: UUID, owner_id: UUID) -> "QuerySet[Run]":
    """The latest first, with what their outcome needs."""
    rows = Run.objects.filter(team=team_id, owner=owner_id).order_by("-created_at")
    return rows.select_related("agent", "report")


# What models were asked and what it cost: by the runs that asked, and in chats.


@dataclass(frozen=True)
class TokenUse:
    times: int = 0  # runs, or answers in a chat
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def __add__(self, other: "TokenUse") -> "TokenUse":
        return TokenUse(
            self.times + other.times,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cost_micros + other.cost_micros,
        )

    @property
    def cost(self) -> float:
        return self.cost_micros / 1_000_000


def asking(team: Team, since: datetime) -> "QuerySet[Run]":
    """Runs that asked a model, by when they did so in truth: a simulated night costs today."""
    asked = Q(tokens_in__gt=0) | Q(tokens_out__gt=0)
    return Run.objects.filter(asked, team=team, created_at__gte=since)


def uses(team: Team, since: datetime, zone: ZoneInfo) -> list[tuple[date, str, str, TokenUse]]:
    """By day, agent and kind of work; answering in chats by its UTC day."""
    where = ("day", "agent__name", "kind")
    day = TruncDate(Coalesce("started_at", "created_at"), tzinfo=zone)
    rows = asking(team, since).annotate(day=day).order_by().values_list(*where)
    sums = (Sum("tokens_in"), Sum("tokens_out"), Sum("cost_micros"))
    runs = [
        (day, name, str(Run.Kind(kind).label), TokenUse(*use))
        for day, name, kind, *use in rows.annotate(Count("pk"), *sums).order_by(*where)
    ]
    return [*runs, *_chats(team, since)]


def _chats(team: Team, since: datetime) -> list[tuple[date, str, str, TokenUse]]:
    rows = ChatUsage.objects.filter(team_id=team.pk, day__gte=since.astimezone(UTC).date())
    asked = {row.agent_id for row in rows}
    names = dict(team.agents.filter(pk__in=asked).values_list("pk", "name"))
    return [
        (
            row.day,
            names.get(row.agent_id, str(_("A deleted agent"))),
            str(_("Chat")),
            TokenUse(row.asked, row.used_in, row.used_out, row.cost_micros),
        )
        for row in rows
    ]
