import uuid

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memoryweb.core.fields import (
    ErasableTextField,
    Erasure,
    KeyedCharField,
    PlainJSONField,
)
from memoryweb.core.tenancy import TeamManager


class Proposal(models.Model):
    """A machine's change of a file that waits for a person: a broken guard, the policy, or words
    from outside the team. It is of a run, or of a program that wrote by itself or by a tool."""

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting for a decision")
        ACCEPTED = "accepted", _("Accepted")
        REJECTED = "rejected", _("Rejected")
        REPLACED = "replaced", _("Replaced by a newer proposal")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    file = models.ForeignKey("memory.File", models.CASCADE, related_name="proposals")
    run = models.ForeignKey("runs.Run", models.RESTRICT, null=True, related_name="proposals")
    token = models.ForeignKey("accounts.Token", models.SET_NULL, null=True, related_name="+")
    conversation = models.ForeignKey(
        "memory.Conversation", models.SET_NULL, null=True, related_name="+"
    )
    batch = models.ForeignKey("memory.Import", models.SET_NULL, null=True, related_name="+")
    base_revision = models.IntegerField()
    raw_content = ErasableTextField(db_column="content")
    origins = PlainJSONField(default=dict, help_text="line number → sources, applied on acceptance")
    broken = PlainJSONField(default=list, help_text="[{guard, detail}] with numbers, no text")
    taken = PlainJSONField(
        default=dict,
        help_text="of an accepted one: revisions {before, after}, and numbers of lines that stayed "
        "out {left_out} and that stayed {kept}",
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    decided_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    erasure = Erasure.DROPPED | Erasure.QUOTING
    objects = TeamManager()

    class Meta:
        db_table = "workspace_proposal"
        constraints = [
            models.UniqueConstraint(fields=["run", "file"], name="workspace_proposal_run_file")
        ]
        indexes = [
            models.Index(fields=["team", "state", "-created_at"], name="workspace_proposal_state")
        ]

    def __str__(self) -> str:
        return f"{self.file_id} ({self.state})"


class NoSecret(models.Model):
    """What looks like a password and is none, as a person said: it passes in that memory."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    fingerprint = KeyedCharField(max_length=64, help_text="keyed hash of the value")
    said_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    said_at = models.DateTimeField()

    objects = TeamManager()

    class Meta:
        indexes = [models.Index(fields=["team", "fingerprint"], name="memory_no_secret")]

    def __str__(self) -> str:
        return f"{self.fingerprint[:8]} ({self.said_at:%Y-%m-%d})"


class CrowdedFile(models.Model):
    """What people hold fast leaves little room for anything new: said once a file."""

    class State(models.TextChoices):
        OPEN = "open", _("Waiting to be seen")
        SEEN = "seen", _("Seen")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    file = models.OneToOneField("memory.File", models.CASCADE, related_name="+")
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    decided_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = TeamManager()

    class Meta:
        db_table = "review_crowdedfile"

    def __str__(self) -> str:
        return f"{self.file_id} ({self.state})"


class ReviewItem(models.Model):
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

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+", db_index=False)
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

    objects = TeamManager()

    class Meta:
        db_table = "memory_reviewitem"
        indexes = [
            models.Index(fields=["team", "state", "-since"], name="memory_item_waits"),
            models.Index(fields=["team", "-decided_at"], name="memory_item_decided"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} ({self.state})"
