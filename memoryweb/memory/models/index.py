from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, cast
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memoryweb.core import tables

if TYPE_CHECKING:
    from memoryweb.memory.models import Conversation, File


class PassageQuerySet(models.QuerySet["Passage"]):
    def saying(self, word: str) -> "PassageQuerySet":
        """SQLite folds the case of ASCII only, so other letters are asked for in each of theirs."""
        found = Q(raw_text__icontains=word)
        if not word.isascii():
            for form in {word.lower(), word.upper(), word.capitalize()}:
                found |= Q(raw_text__contains=form)
        return self.filter(found)

    def of_agent(self, agent_id: UUID) -> "PassageQuerySet":
        return self.filter(Q(file__agent=agent_id) | Q(message__conversation__agent=agent_id))

    def of(self, agent_id: UUID, owner_id: UUID | None) -> "PassageQuerySet":
        """By the file or conversation: there is no index for it."""
        ways = ("file__", "message__conversation__")
        mine = (Q(**{f"{way}agent": agent_id, f"{way}owner": owner_id}) for way in ways)
        return self.filter(reduce(or_, mine))


class Passage(tables.TeamRow):
    """One searchable block of a file, or one message. Kept in step by the write's transaction."""

    class Kind(models.TextChoices):
        FILE = "file"
        MESSAGE = "message"

    kind = models.CharField(max_length=8, choices=Kind.choices)
    file = models.ForeignKey(
        "memory.File", models.CASCADE, null=True, related_name="passages", db_index=False
    )
    message = models.ForeignKey(
        "memory.Message", models.CASCADE, null=True, related_name="passages", db_index=False
    )
    line = models.IntegerField(default=0, help_text="first line of the block; a message's position")
    end_line = models.IntegerField(default=0)
    trail = tables.ErasableCharField(
        max_length=500, blank=True, help_text="headings above, joined by ›"
    )
    raw_text = tables.ErasableTextField(
        blank=True, db_column="text", help_text="of a block; a message has its own"
    )
    raw_tokens = tables.ErasableTextField(
        db_column="tokens", help_text="each with its field in front, by spaces"
    )
    reach = tables.PlainCharField(max_length=12, default="", help_text="scope key: agent and owner")
    whole = models.BigIntegerField(default=0, help_text="key of the file or conversation")
    place = models.BigIntegerField(default=0, help_text="see recall.ranking.packed")
    length = models.IntegerField(help_text="number of tokens of the text")
    source = tables.PlainCharField(max_length=12, blank=True, help_text="source class of the text")
    date = models.DateField(null=True)
    tokenizer_version = models.SmallIntegerField(default=1)
    # What an embedding endpoint made of its words: it goes with the row that holds them.
    vector = models.BinaryField(null=True, help_text="see index.nearness")
    space = models.BigIntegerField(null=True, help_text="of which endpoint, model and dimension")

    erasure = tables.Erasure.BY_DOORS
    objects = tables.TeamManager.from_queryset(PassageQuerySet)()  # type: ignore[misc]

    class Meta:
        db_table = "recall_passage"
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="file", file__isnull=False, message__isnull=True)
                | Q(kind="message", file__isnull=True, message__isnull=False),
                name="recall_passage_one_source",
            )
        ]
        indexes = [
            models.Index(
                fields=["file", "line"],
                condition=Q(file__isnull=False),
                name="recall_passage_of_file",
            ),
            models.Index(
                fields=["message"],
                condition=Q(message__isnull=False),
                name="recall_passage_of_message",
            ),
            models.Index(fields=["id", "whole", "place"], name="recall_passage_place"),
            models.Index(fields=["whole", "line"], name="recall_passage_whole"),
            models.Index(
                fields=["space", "reach"],
                condition=Q(space__isnull=False),
                name="recall_passage_vector",
            ),
        ]

    @property
    def agent_id(self) -> UUID:
        return self._of.agent_id

    @property
    def owner_id(self) -> UUID | None:
        return self._of.owner_id

    @property
    def _of(self) -> "File | Conversation":
        return self.message.conversation if self.message else cast("File", self.file)

    @property
    def said(self) -> str:
        return self.message.raw_content if self.message else self.raw_text


class RecallEvent(tables.TeamRow):
    """A line that was really given to a conversation: once per (conversation, query)."""

    class Via(models.TextChoices):
        TOOL = "tool"
        SEARCH = "search"
        PREFETCH = "prefetch"

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    conversation = models.ForeignKey(
        "memory.Conversation", models.CASCADE, related_name="+", db_index=False
    )
    file = models.ForeignKey("memory.File", models.CASCADE, related_name="recalls")
    line_hash = tables.KeyedCharField(
        max_length=64, help_text="keyed hash of the line's normalised text"
    )
    query_hash = tables.KeyedCharField(max_length=64, help_text="keyed hash of the query's terms")
    via = models.CharField(max_length=8, choices=Via.choices)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "recall_recallevent"
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "query_hash", "file", "line_hash"],
                name="recall_event_once",
            )
        ]
        indexes = [models.Index(fields=["team", "agent", "owner", "at"], name="recall_event_reach")]


class Injection(tables.TeamRow):
    """One prompt that memory was put into: which spans of it entered stand in `spans`."""

    class Via(models.TextChoices):
        CONTEXT = "context"
        TOOL = "tool"
        SEARCH = "search"

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    conversation = models.ForeignKey(
        "memory.Conversation", models.CASCADE, null=True, related_name="+"
    )
    token = models.ForeignKey("accounts.Token", models.SET_NULL, null=True, related_name="+")
    via = models.CharField(max_length=8, choices=Via.choices)
    tokens = models.IntegerField(default=0, help_text="estimated size of the whole prompt")
    hits = models.IntegerField(default=0, help_text="found for its message; 0: memory was silent")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "recall_injection"
        indexes = [models.Index(fields=["team", "agent", "-at"], name="recall_injection_latest")]


class InjectedSpan(tables.TeamRow):
    """Lines of a file's revision, or a message, that entered a prompt."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    injection = models.ForeignKey(Injection, models.CASCADE, related_name="spans")
    file = models.ForeignKey(
        "memory.File", models.CASCADE, null=True, related_name="+", db_index=False
    )
    revision = models.IntegerField(null=True)
    first_line = models.IntegerField(default=0)
    last_line = models.IntegerField(default=0)
    message = models.ForeignKey("memory.Message", models.CASCADE, null=True, related_name="+")

    class Meta:
        db_table = "recall_injectedspan"
        indexes = [models.Index(fields=["file", "revision"], name="recall_span_file")]


class RecallNotice(tables.TeamRow):
    """A conversation that was given a statement is told once that it was wrong; no words: these
    are taken from the statement's row when it is told."""

    fact = models.ForeignKey(
        "memory.Fact", models.CASCADE, related_name="recall_notices", db_index=False
    )
    conversation = models.ForeignKey("memory.Conversation", models.CASCADE, related_name="+")
    sent_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    sent_at = models.DateTimeField(default=timezone.now)
    told_at = models.DateTimeField(null=True, help_text="when a prompt had it")

    class Meta:
        db_table = "recall_notice"
        constraints = [
            models.UniqueConstraint(fields=["fact", "conversation"], name="recall_notice_once"),
        ]
