"""Statements as rows: who each is about, since when it holds, what it stands on, and its state.

For what is shown the file is the truth: `memory/statements/projection.py` keeps these rows in step
with the bullets of MEMORY, PROFILE, KNOWLEDGE and `structured/*`, in the transaction that writes
the file. What no longer stands in a file stays here as history.
"""

import uuid
from datetime import date

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memoryweb.agents.models import Reader
from memoryweb.core import tables
from memoryweb.language.extraction_rules import Kind as Kinds
from memoryweb.markdown.marks import Ended
from memoryweb.memory.models.author_kinds import SourceClass
from memoryweb.memory.models.files import Scope


class FactQuerySet(models.QuerySet["Fact"]):
    def visible_to(self, reader: Reader) -> "FactQuerySet":
        """Statements of the reader's agent: the shared ones and those of the reader's owner."""
        return self.filter(reader.sees())

    def of(self, agent_id: uuid.UUID, owner_id: uuid.UUID | None) -> "FactQuerySet":
        """Exactly one workspace: the agent's shared one, or one owner's."""
        reach = Q(owner=None) if owner_id is None else Q(owner_id=owner_id)
        return self.filter(reach, agent_id=agent_id)

    def living(self) -> "FactQuerySet":
        return self.filter(state__in=(Fact.State.ACTIVE, Fact.State.DISPUTED))

    def standing(self) -> "FactQuerySet":
        """Those that stand in a file now."""
        return self.filter(file__isnull=False)


# Their lines have no message and no machine behind them.
BY_HAND = (SourceClass.PERSON, SourceClass.OWNER)


class Fact(tables.UUIDRow):
    """One statement. `file` is where it stands; None: for want of room, pending, or history."""

    class State(models.TextChoices):
        PENDING = "pending", _("Waits for a person")
        ACTIVE = "active", _("Current")
        DISPUTED = "disputed", _("Contradicted")
        SUPERSEDED = "superseded", _("Replaced")
        EXPIRED = "expired", _("Over")
        RETIRED = "retired", _("Ended")

    class Why(models.TextChoices):
        """Why it is no longer current."""

        SUPERSEDED = "superseded", _("A newer value replaced it.")
        EXPIRED = "expired", _("Its time is over.")
        CANCELLED = "cancelled", _("It was said to be over or cancelled.")
        DUPLICATE = "duplicate", _("Another statement says the same.")
        ASKED = "asked", _("The person it is about said otherwise.")
        UNPROVED = (
            "unproved",
            _("Something newer was said about it. That it no longer holds isn't proved."),
        )
        NOT_TRUE = "not_true", _("A person marked it as not true.")
        DELETED = "deleted", _("A person deleted its line.")
        REWORDED = "reworded", _("A person put it in other words.")
        REVERTED = "reverted", _("Its source was reverted.")
        REMOVED = "removed", _("A program removed its line.")

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="facts")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="facts")
    scope = models.CharField(max_length=8, choices=Scope.choices)
    file = models.ForeignKey(
        "memory.File", models.SET_NULL, null=True, related_name="facts", db_index=False
    )
    path = tables.ErasableCharField(
        max_length=256,
        help_text="of the file it stands in, or stood in last",
        holds=tables.Holds.NAME,
    )
    subject = tables.ErasableCharField(
        max_length=200, blank=True, help_text="normalised; '': the owner"
    )
    attribute = tables.ErasableCharField(max_length=200, blank=True, help_text="'': it has no key")
    raw_value = tables.ErasableTextField(blank=True, db_column="value")
    raw_text = tables.ErasableTextField(
        db_column="text", help_text="the statement as it stands, without its bullet"
    )
    raw_ended = tables.ErasableJSONField(
        null=True, db_column="ended", help_text="[[first day, words]] of what holds no longer"
    )
    metadata = tables.ErasableJSONField(
        null=True, help_text="what a program sent with it; given to no prompt"
    )
    heading = tables.ErasableCharField(max_length=200, blank=True)
    fingerprint = tables.PlainCharField(max_length=64, help_text="of the normalised text")
    kind = models.CharField(max_length=12, choices=[(kind.value, kind.value) for kind in Kinds])
    source = models.CharField(
        max_length=12, choices=SourceClass.choices, default=SourceClass.SYSTEM
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    why = models.CharField(max_length=10, choices=Why.choices, blank=True)
    superseded_by = models.ForeignKey(
        "self", models.SET_NULL, null=True, related_name="supersedes", db_index=False
    )
    contradiction = models.ForeignKey(
        "Contradiction", models.SET_NULL, null=True, related_name="facts"
    )
    said_at = models.DateTimeField(null=True, help_text="unknown for imports without times")
    valid_from = models.DateField(null=True)
    valid_to = models.DateField(null=True, help_text="the last day, in the agent's time zone")
    remembered_until = models.DateField(
        null=True, help_text="what a person chose as `valid_to`, whatever the text says"
    )
    confirmed_at = models.DateTimeField(null=True)
    confirmed_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    corrected_at = models.DateTimeField(
        null=True, help_text="a person took it back: nothing said before this brings it back"
    )
    corrected_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    hidden_at = models.DateTimeField(
        null=True, help_text="the owner said otherwise: given to nobody until a dream writes it"
    )
    hidden_by = models.ForeignKey("memory.Message", models.SET_NULL, null=True, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now, help_text="of state or text")

    objects = tables.TeamManager.from_queryset(FactQuerySet)()  # type: ignore[misc]

    OVER = frozenset({State.SUPERSEDED, State.EXPIRED, State.RETIRED})

    class Meta:
        db_table = "facts_fact"
        constraints = [
            models.CheckConstraint(
                condition=(Q(scope="PERSONAL") & Q(owner__isnull=False))
                | (~Q(scope="PERSONAL") & Q(owner__isnull=True)),
                name="facts_fact_scope_owner",
            ),
        ]
        indexes = [
            models.Index(fields=["file"], name="facts_fact_file"),
            models.Index(
                fields=["team", "agent", "owner", "state", "-changed_at"], name="facts_fact_state"
            ),
            models.Index(fields=["agent", "owner", "fingerprint"], name="facts_fact_said"),
            models.Index(
                fields=["superseded_by"],
                condition=Q(superseded_by__isnull=False),
                name="facts_fact_successor",
            ),
        ]

    @property
    def ended(self) -> tuple[Ended, ...]:
        return tuple(Ended(date.fromisoformat(on), words) for on, words in self.raw_ended or ())

    @property
    def is_written(self) -> bool:
        """By a person's own hand."""
        return self.source in BY_HAND

    @property
    def is_persons_word(self) -> bool:
        """No machine changes it on another's word, and it does not fade."""
        return self.confirmed_at is not None or self.is_written


class Evidence(tables.TeamRow):
    """What a statement stands on: a message, or the revision that first wrote it down."""

    fact = models.ForeignKey(Fact, models.CASCADE, related_name="evidence")
    message = models.ForeignKey("memory.Message", models.CASCADE, null=True, related_name="facts")
    root = models.ForeignKey("memory.Revision", models.SET_NULL, null=True, related_name="+")
    said_at = models.DateTimeField(null=True)
    first = models.IntegerField(null=True, help_text="of the characters of the message it cites")
    last = models.IntegerField(null=True)

    class Meta:
        db_table = "facts_evidence"

    @property
    def raw_quote(self) -> str:
        """What it cites of its message."""
        return self.message.raw_content[self.first or 0 : self.last] if self.message else ""


class Vote(tables.TeamRow):
    """Whether one person found a statement helpful; they may change their mind."""

    fact = models.ForeignKey(Fact, models.CASCADE, related_name="votes", db_index=False)
    user = models.ForeignKey("accounts.User", models.CASCADE, related_name="+")
    helpful = models.BooleanField()

    class Meta:
        db_table = "facts_vote"
        constraints = [
            models.UniqueConstraint(fields=["fact", "user"], name="facts_vote_person"),
        ]


class Contradiction(tables.UUIDRow):
    """Statements of one key that can't all be true, or the question whether one still holds, beside
    a newer one or by itself; its sides are the facts that name it."""

    REPLACES = (
        "replaces "  # begins the key of a question, and the id of the older statement ends it
    )

    class State(models.TextChoices):
        OPEN = "open", _("Waits for a decision")
        RESOLVED = "resolved", _("Resolved")
        IGNORED = "ignored", _("Ignored")

    class Resolution(models.TextChoices):
        KEEP_A = "KEEP_A", _("Keep the current one")
        KEEP_B = "KEEP_B", _("Use the other one")
        MERGE = "MERGE", _("Replace both with one line")
        IGNORE = "IGNORE", _("Keep both")

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="contradictions")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    key = tables.PlainCharField(max_length=64, help_text="hash of subject and attribute")
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    resolution = models.CharField(max_length=8, choices=Resolution.choices, blank=True)
    decided_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    before = tables.PlainJSONField(
        default=dict, help_text="states of its facts, so that it can be undone"
    )
    told_at = models.DateTimeField(null=True, help_text="when an agent was given it to ask")

    class Meta:
        db_table = "facts_contradiction"
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "key"],
                condition=Q(state="open", owner=None),
                name="facts_contradiction_shared_key",
            ),
            models.UniqueConstraint(
                fields=["agent", "owner", "key"],
                condition=Q(state="open", owner__isnull=False),
                name="facts_contradiction_owner_key",
            ),
        ]
        indexes = [
            models.Index(fields=["team", "state", "-created_at"], name="facts_contradiction_state")
        ]

    @property
    def is_question(self) -> bool:
        return self.key.startswith(self.REPLACES)

    def is_about(self, fact: Fact) -> bool:
        """Of a question: whether that statement still holds."""
        return self.key == f"{self.REPLACES}{fact.pk.hex}"


class MemoryTest(tables.UUIDRow):
    """A question, and what an answer from this memory must and must not hold; `as_of`: on which
    day, where it isn't now."""

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="memory_tests")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    question = tables.ErasableTextField()
    must = tables.ErasableTextField(blank=True)
    must_not = tables.ErasableTextField(blank=True)
    as_of = models.DateField(null=True)
    made_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    retired_by = models.ForeignKey(
        "runs.Run",
        models.CASCADE,
        null=True,
        related_name="+",
        help_text="the dream that read a later word of its owner, or found that its time is over",
    )

    erasure = tables.Erasure.DROPPED

    class Meta:
        db_table = "facts_memorytest"

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.question, self.must, self.must_not)))
