import uuid
from datetime import UTC, datetime

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memoryweb.core.fields import (
    ErasableCharField,
    ErasableJSONField,
    ErasableTextField,
    Erasure,
    Holds,
    PlainCharField,
)
from memoryweb.core.tenancy import TeamManager

NEVER = datetime(1970, 1, 1, tzinfo=UTC)
ACTIVE = Q(status__in=["queued", "running"]) | Q(status="failed", due_at__isnull=False)


class RunQuerySet(models.QuerySet["Run"]):
    def active(self) -> "RunQuerySet":
        """Queued, running, or failed with another try to come."""
        return self.filter(ACTIVE)


class Run(models.Model):
    """One piece of background work: leased, fenced, resumable. The row is the truth (SPEC §5.2)."""

    class Kind(models.TextChoices):
        EXTRACTION = "extraction", _("Extraction")
        DREAM = "dream", _("Dream")
        SECRET_SCAN = "secret_scan", _("Look for secrets")
        ERASURE = "erasure", _("Erase what is forgotten")
        PREVIEW = "preview", _("Preview of a dream")
        IMPORT = "import", _("Import of conversations")
        STATEMENTS = "statements", _("Statements that a program sent")

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

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="runs", db_index=False)
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="runs", db_index=False)
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="runs")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED)
    reason = PlainCharField(max_length=64, blank=True, help_text="a code of the outcome")
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
    topic = ErasableCharField(max_length=200, blank=True)
    inputs = ErasableJSONField(default=dict, blank=True)
    answer = ErasableJSONField(null=True, blank=True)
    checked = ErasableJSONField(null=True, blank=True)
    result = ErasableJSONField(default=dict, blank=True)
    error = ErasableTextField(blank=True, holds=Holds.LABEL)
    consolidator = PlainCharField(max_length=8, blank=True)
    model = PlainCharField(max_length=120, blank=True)
    tokens_in = models.BigIntegerField(default=0)
    tokens_out = models.BigIntegerField(default=0)
    cost_micros = models.BigIntegerField(default=0, help_text="millionths of a currency unit")
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    reverted_at = models.DateTimeField(null=True, help_text="a person took back what it wrote")
    reverted_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")

    erasure = Erasure.QUOTING
    objects = TeamManager.from_queryset(RunQuerySet)()

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
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

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

    name = PlainCharField(primary_key=True, max_length=32)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S}"
