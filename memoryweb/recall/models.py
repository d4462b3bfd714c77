from django.db import models
from django.db.models import Q
from django.utils import timezone

from memoryweb.fields import ErasableCharField, ErasableTextField, PlainCharField
from memoryweb.tenancy import TeamManager


class Passage(models.Model):
    """One searchable block of a file, or one message. Kept in step by the write's transaction."""

    class Kind(models.TextChoices):
        FILE = "file"
        MESSAGE = "message"

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    file = models.ForeignKey("workspace.File", models.CASCADE, null=True, related_name="passages")
    message = models.ForeignKey(
        "conversations.Message", models.CASCADE, null=True, related_name="passages"
    )
    conversation = models.ForeignKey(
        "conversations.Conversation", models.CASCADE, null=True, related_name="+"
    )
    line = models.IntegerField(default=0, help_text="first line of the block; a message's position")
    end_line = models.IntegerField(default=0)
    trail = ErasableCharField(max_length=500, blank=True, help_text="headings above, joined by ›")
    text = ErasableTextField()
    tokens = ErasableTextField(help_text="each with the scope key in front, joined by spaces")
    length = models.IntegerField(help_text="number of tokens")
    weight = models.FloatField(default=1.0)
    date = models.DateField(null=True)
    tokenizer_version = models.SmallIntegerField(default=1)

    objects = TeamManager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="file", file__isnull=False, message__isnull=True)
                | Q(kind="message", file__isnull=True, message__isnull=False),
                name="recall_passage_one_source",
            )
        ]
        indexes = [
            models.Index(fields=["team", "agent", "owner", "kind"], name="recall_passage_reach"),
            models.Index(fields=["file", "line"], name="recall_passage_file"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.file_id or self.message_id}:{self.line}"


class RecallEvent(models.Model):
    """A line that was really given to a conversation: once per (conversation, query)."""

    class Via(models.TextChoices):
        TOOL = "tool"
        SEARCH = "search"
        PREFETCH = "prefetch"

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    conversation = models.ForeignKey("conversations.Conversation", models.CASCADE, related_name="+")
    file = models.ForeignKey("workspace.File", models.CASCADE, related_name="recalls")
    line_hash = PlainCharField(max_length=64, help_text="keyed hash of the line's normalised text")
    query_hash = PlainCharField(max_length=64, help_text="keyed hash of the query's terms")
    via = models.CharField(max_length=8, choices=Via.choices)
    at = models.DateTimeField(default=timezone.now)

    objects = TeamManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "query_hash", "file", "line_hash"],
                name="recall_event_once",
            )
        ]
        indexes = [models.Index(fields=["team", "agent", "owner", "at"], name="recall_event_reach")]

    def __str__(self) -> str:
        return f"{self.via} {self.file_id}"
