from datetime import UTC, datetime, timedelta

from django.db import models

from memoryweb.core.fields import ErasableTextField, Holds, PlainCharField, PlainTextField


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
    canonical = models.BinaryField()
    previous = models.BinaryField(max_length=32)
    hash = models.BinaryField(max_length=32)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team_id", "seq"], name="audit_event_team_seq")
        ]
        indexes = [
            models.Index(fields=["team_id", "action", "-seq"], name="audit_event_action"),
            models.Index(fields=["team_id", "target_id", "-seq"], name="audit_event_target"),
            models.Index(fields=["team_id", "run_id"], name="audit_event_run"),
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

    def __str__(self) -> str:
        return "the keys of this installation"


class Maintenance(models.Model):
    """One row. While `allowed`, the triggers that keep events append-only let go."""

    allowed = models.BooleanField(default=False)

    class Meta:
        db_table = "audit_maintenance"

    def __str__(self) -> str:
        return "open" if self.allowed else "closed"
