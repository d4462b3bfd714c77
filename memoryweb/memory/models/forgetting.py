"""What was asked to be forgotten, what that hides, and what is left of it once it is erased."""

import uuid
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memoryweb.core import tables
from memoryweb.memory.models.conversations import Message
from memoryweb.memory.models.facts import Fact
from memoryweb.memory.models.files import File


class ForgetRequestQuerySet(models.QuerySet["ForgetRequest"]):
    def of(self, agent_id: uuid.UUID, owner_id: uuid.UUID | None) -> "ForgetRequestQuerySet":
        """Exactly one memory: the agent's shared one, or one owner's."""
        return self.filter(agent=agent_id, owner=owner_id)

    def hiding(self) -> "ForgetRequestQuerySet":
        return self.filter(state__in=ForgetRequest.HIDING)

    def ask(self, about: str, **columns: Any) -> "ForgetRequest":
        return self.create(raw_about=about, **columns)

    def with_words(self) -> "ForgetRequestQuerySet":
        return self.exclude(raw_about="")

    def empty_words(self) -> int:
        return self.update(raw_about="")


class ForgetRequest(tables.UUIDRow):
    """Somebody asked to forget something. Undoing it is a change of state alone: what it hides are
    the targets of the requests that hide."""

    class Via(models.TextChoices):
        MESSAGE = "message", _("Said in a conversation")
        TOOL = "tool", _("Asked by the agent")
        API = "api", _("API")
        PAGE = "page", _("Page")

    class State(models.TextChoices):
        OPEN = "open", _("Waits for a decision")
        HIDDEN = "hidden", _("Hidden until it is erased")
        HELD = "held", _("Hidden; a legal hold keeps it from being erased")
        UNDONE = "undone", _("Undone")
        KEPT = "kept", _("Kept")
        ERASED = "erased", _("Erased")

    class Why(models.TextChoices):
        """It is offered and hides nothing by itself."""

        PASTED = "pasted", _("It stands in what may be somebody else's text")
        MANY = "many", _("More than five statements are meant")
        DAILY = "daily", _("More than five statements in a day")
        ALL = "all", _("Everything is meant")
        NONE = "none", _("Nothing is clearly meant")

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    conversation = models.ForeignKey(
        "memory.Conversation", models.SET_NULL, null=True, related_name="+"
    )
    message = models.ForeignKey("memory.Message", models.SET_NULL, null=True, related_name="+")
    via = models.CharField(max_length=8, choices=Via.choices)
    raw_about = tables.ErasableTextField(
        blank=True, db_column="about", help_text="what was asked; emptied when it is erased"
    )
    why = models.CharField(max_length=8, choices=Why.choices, blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    is_everything = models.BooleanField(default=False, help_text="all of the owner's memory goes")
    erase_at = models.DateTimeField(null=True, help_text="null: nothing is erased by itself")
    asked_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    decided_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    run = models.ForeignKey("runs.Run", models.SET_NULL, null=True, related_name="+")

    erasure = tables.Erasure.QUOTING
    objects = tables.TeamManager.from_queryset(ForgetRequestQuerySet)()  # type: ignore[misc]

    HIDING = (State.OPEN, State.HIDDEN, State.HELD)

    class Meta:
        db_table = "forgetting_request"
        indexes = [
            models.Index(
                fields=["team", "agent", "owner", "-created_at"], name="forgetting_request_latest"
            ),
            models.Index(
                fields=["erase_at"],
                condition=Q(state="hidden", erase_at__isnull=False),
                name="forgetting_request_due",
            ),
        ]


class Target(tables.TeamRow):
    """One place that a request means: a statement, a line (by its text's fingerprint, wherever it
    stands in its file), or characters of a message (null: all of them)."""

    class Kind(models.TextChoices):
        FACT = "fact", _("Statement")
        LINE = "line", _("Line")
        MESSAGE = "message", _("Message")

    request = models.ForeignKey(ForgetRequest, models.CASCADE, related_name="targets")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    fact = models.ForeignKey("memory.Fact", models.CASCADE, null=True, related_name="+")
    file = models.ForeignKey("memory.File", models.CASCADE, null=True, related_name="+")
    fingerprint = tables.PlainCharField(
        max_length=64, blank=True, help_text="of the normalised text"
    )
    message = models.ForeignKey("memory.Message", models.CASCADE, null=True, related_name="+")
    first = models.IntegerField(null=True)
    last = models.IntegerField(null=True)
    is_hidden = models.BooleanField(help_text="otherwise it is offered, for a person to tick")

    class Meta:
        db_table = "forgetting_target"


class Tombstone(tables.TeamRow):
    """Keeps a sentence that was erased out of one memory, without keeping the sentence."""

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="+", db_index=False)
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    fingerprint = tables.KeyedCharField(
        max_length=64, help_text="keyed hash of the normalised sentence"
    )
    created_at = models.DateTimeField(default=timezone.now)
    lifted_at = models.DateTimeField(null=True, help_text="its person wrote it again")

    class Meta:
        db_table = "forgetting_tombstone"
        indexes = [
            models.Index(fields=["agent", "owner", "fingerprint"], name="forgetting_tombstone_said")
        ]


class Receipt(tables.UUIDRow):
    """What an erasure took away and that nothing was found of it afterwards; figures alone."""

    agent = models.ForeignKey("agents.Agent", models.SET_NULL, null=True, related_name="receipts")
    owner_label = tables.PlainCharField(
        max_length=64, blank=True, help_text="the owner's id; '': shared"
    )
    counts = tables.PlainJSONField(default=dict)
    scanned = tables.PlainJSONField(default=dict)
    remaining = models.IntegerField(default=0)
    in_ledger = models.BooleanField(
        default=False, help_text="told outside the database: no backup brings it back"
    )
    hash = tables.PlainCharField(max_length=64, help_text="SHA-256 of all the other figures")
    by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    request = models.ForeignKey(ForgetRequest, models.SET_NULL, null=True, related_name="receipts")

    class Meta:
        db_table = "forgetting_receipt"
        indexes = [
            models.Index(fields=["team", "-created_at"], name="forgetting_receipt_latest"),
        ]


class LegalHold(tables.UUIDRow):
    """While it lasts nothing is erased of a team's memory, of one agent's, or of one owner's."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    agent = models.ForeignKey("agents.Agent", models.CASCADE, null=True, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    reason = tables.PlainTextField(_("reason"), max_length=500)
    created_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "forgetting_legalhold"


@dataclass(frozen=True)
class Mention:
    """One place that a request means, with what it says; see `Target`. Of a message: the
    characters from `first` to `last`, or all of it."""

    kind: Target.Kind
    text: str
    where: str = ""
    fact: Fact | None = None
    file: File | None = None
    fingerprint: str = ""
    message: Message | None = None
    first: int | None = None
    last: int | None = None

    @property
    def key(self) -> tuple[str, UUID | int | None, str | int | None]:
        """Two with the same one are the same place."""
        if self.fact:
            return "fact", self.fact.pk, None
        if self.file:
            return "line", self.file.pk, self.fingerprint
        return "message", self.message.pk if self.message else None, self.first


def columns_of(place: Mention | Target) -> dict[str, Any]:
    """What both have."""
    names = ("kind", "fact", "file", "fingerprint", "message", "first", "last")
    return {name: getattr(place, name) for name in names}
