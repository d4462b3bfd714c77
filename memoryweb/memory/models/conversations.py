from datetime import datetime

from django.db import models
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memoryweb.core import tables


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def uncovered(self) -> "ConversationQuerySet":
        """Whose last messages no extraction has covered, and one may: who talked without being
        remembered, and what a schedule or a dream said, waits for none."""
        mine = [Conversation.Source.CRON, Conversation.Source.DREAM]
        behind = self.filter(message_count__gt=F("extracted_upto"), agent__auto_summarize=True)
        return behind.filter(ephemeral=False, owner__keeping=True).exclude(source__in=mine)


class Conversation(tables.UUIDRow):
    class Source(models.TextChoices):
        CHAT = "chat", _("Chat")
        API = "api", _("API")
        IMPORT = "import", _("Import")
        CRON = "cron", _("Scheduled")
        DREAM = "dream", _("Dream")
        MEM0 = "mem0", "mem0"

    agent = models.ForeignKey(
        "agents.Agent", models.CASCADE, related_name="conversations", db_index=False
    )
    owner = models.ForeignKey("agents.Owner", models.CASCADE, related_name="conversations")
    external_id = tables.ErasableCharField(
        max_length=255, help_text="the id that the client gave", holds=tables.Holds.NAME
    )
    source = models.CharField(max_length=8, choices=Source.choices, default=Source.API)
    group = models.BooleanField(default=False)
    several_from = models.IntegerField(
        default=0, help_text="position since which users have several names; 0: one person speaks"
    )
    ephemeral = models.BooleanField(default=False)
    message_count = models.IntegerField(default=0)
    extracted_upto = models.IntegerField(
        default=0, help_text="position of the last covered message"
    )
    waiting = models.BooleanField(default=False, help_text="messages wait for an extraction")
    skipped = tables.PlainCharField(
        max_length=32, blank=True, help_text="why extraction was not run"
    )
    notices_until = models.DateTimeField(
        null=True, help_text="until then a recall notice waits for its next prompt"
    )
    started_at = models.DateTimeField(null=True)
    last_message_at = models.DateTimeField(null=True)

    objects = tables.TeamManager.from_queryset(ConversationQuerySet)()  # type: ignore[misc]

    class Meta:
        db_table = "conversations_conversation"
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "external_id", "owner"], name="conversations_conversation_named"
            )
        ]
        indexes = [
            models.Index(
                fields=["team", "agent", "owner"],
                condition=models.Q(waiting=True),
                name="conversations_that_wait",
            ),
            models.Index(fields=["team", "agent", "-last_message_at"], name="conversations_latest"),
        ]

    def __str__(self) -> str:
        return self.external_id

    def is_room_at(self, position: int) -> bool:
        """Several people speak as users there, under whatever names."""
        return self.group or 0 < self.several_from <= position

    @property
    def is_automatic(self) -> bool:
        """Of a schedule or a dream: nobody asked, so that nothing counts as recalled."""
        return self.source in {self.Source.CRON, self.Source.DREAM}


class Message(tables.TeamRow):
    class Role(models.TextChoices):
        USER = "user", _("User")
        ASSISTANT = "assistant", _("Assistant")
        SYSTEM = "system", _("System")
        TOOL = "tool", _("Tool")

    conversation = models.ForeignKey(
        Conversation, models.CASCADE, related_name="messages", db_index=False
    )
    position = models.IntegerField(help_text="1-based, in order of arrival")
    external_id = tables.ErasableCharField(max_length=255, holds=tables.Holds.NAME)
    role = models.CharField(max_length=9, choices=Role.choices)
    name = tables.ErasableCharField(max_length=120, blank=True)
    raw_content = tables.ErasableTextField(blank=True, db_column="content")
    timestamp = models.DateTimeField()
    tools_used = tables.PlainJSONField(default=list, blank=True, holds=tables.Holds.LABEL)
    token = models.ForeignKey(
        "accounts.Token", models.SET_NULL, null=True, related_name="+", db_index=False
    )
    batch = models.ForeignKey(
        "memory.Import", models.SET_NULL, null=True, related_name="messages", db_index=False
    )
    masked = models.IntegerField(default=0, help_text="secrets that were masked")
    reverted_at = models.DateTimeField(null=True, help_text="since then kept, and no longer used")
    unnoted = tables.PlainJSONField(
        null=True, help_text="[[first, last]] of its characters that no extraction reads"
    )
    created_at = models.DateTimeField(default=timezone.now)

    erasure = tables.Erasure.BY_DOORS

    class Meta:
        db_table = "conversations_message"
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "external_id"], name="conversations_message_external"
            ),
            models.UniqueConstraint(
                fields=["conversation", "position"], name="conversations_message_position"
            ),
        ]
        indexes = [
            models.Index(
                fields=["batch"],
                condition=models.Q(batch__isnull=False),
                name="conversations_message_batch",
            ),
            models.Index(
                fields=["token"],
                condition=models.Q(token__isnull=False),
                name="conversations_message_token",
            ),
        ]

    @property
    def said_at(self) -> datetime | None:
        """None where nobody knows: an import without times. What is yet to come was said when it
        was sent."""
        is_import = self.conversation.source == Conversation.Source.IMPORT
        if is_import and self.timestamp == self.created_at:
            return None
        return min(self.timestamp, self.created_at)


class Marker(tables.TeamRow):
    """Up to where a conversation is archived: what is said after it is read on from there. A
    conversation that follows another one begins with one, `recap_of` that."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    conversation = models.ForeignKey(
        Conversation, models.CASCADE, related_name="markers", db_index=False
    )
    upto = models.IntegerField(help_text="position of the last archived message")
    count = models.IntegerField(default=0, help_text="messages that were archived")
    archive_name = tables.PlainCharField(max_length=200, blank=True, holds=tables.Holds.LABEL)
    archived_at = models.DateTimeField(default=timezone.now)
    recap_of = models.ForeignKey(Conversation, models.SET_NULL, null=True, related_name="+")

    class Meta:
        db_table = "conversations_marker"
        constraints = [
            models.UniqueConstraint(fields=["conversation", "upto"], name="conversations_marker_at")
        ]
