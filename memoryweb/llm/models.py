from uuid import UUID

from django.db import models
from django.utils.translation import gettext_lazy as _

from memoryweb.core.tables import PlainCharField


class Usage(models.Model):
    """Tokens of one team on one UTC day, and what they cost in millionths of the currency of the
    prices: reserved before a call, settled after it. And how often its programs called."""

    team_id = models.UUIDField()
    day = models.DateField()
    reserved = models.BigIntegerField(default=0)
    used_in = models.BigIntegerField(default=0)
    used_out = models.BigIntegerField(default=0)
    reserved_micros = models.BigIntegerField(default=0)
    cost_micros = models.BigIntegerField(default=0)
    requests = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team_id", "day"], name="llm_usage_day")]

    def __str__(self) -> str:
        return f"{self.team_id} on {self.day}"


class ChatUsage(models.Model):
    """What chats with one agent took on one UTC day, of the team's usage: chats have no runs.
    Where an endpoint did not count its tokens they are estimated."""

    team_id = models.UUIDField()
    agent_id = models.UUIDField()
    day = models.DateField()
    asked = models.IntegerField(default=0)
    used_in = models.BigIntegerField(default=0)
    used_out = models.BigIntegerField(default=0)
    cost_micros = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team_id", "agent_id", "day"], name="llm_chat_usage_day"
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} on {self.day}"


class Breaker(models.Model):
    """Failures in a row of one endpoint for one team, and until when it is left alone."""

    team_id = models.UUIDField()
    endpoint = PlainCharField(max_length=255)
    failures = models.IntegerField(default=0)
    open_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team_id", "endpoint"], name="llm_breaker_endpoint")
        ]

    def __str__(self) -> str:
        return f"{self.endpoint}: {self.failures}"


INSTALLATION = UUID(int=0)  # in place of a team: what a superuser has set up for all


class OwnEndpoint(models.Model):
    """Which of the installation's or its own a team has chosen, and its own if it has one."""

    class Choice(models.TextChoices):
        NONE = "none", _("No model: rules do the work")
        INSTALLATION = "installation", _("The installation's model")
        OWN = "own", _("The team's own model")

    team_id = models.UUIDField(unique=True)
    choice = models.CharField(max_length=12, choices=Choice.choices, default=Choice.INSTALLATION)
    base_url = PlainCharField(max_length=255, blank=True, help_text="empty: no model of its own")
    model = PlainCharField(max_length=120, blank=True)
    sealed_key = models.BinaryField(default=bytes, help_text="encrypted; empty: none")

    role = "default"  # which of the installation's it may use
    noun = "model"  # in the names of events

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.team_id}: {self.choice}"

    @property
    def bound_to(self) -> str:
        """What a key is sealed for."""
        return f"{self.team_id} {self.base_url}"

    @property
    def has_key(self) -> bool:
        return bool(self.sealed_key)


class TeamModel(OwnEndpoint):
    """Which model a team asks, its own endpoint if it has one, and what all models may cost it a
    day. No row: the installation's."""

    class Provider(models.TextChoices):
        OPENAI = "openai", _("OpenAI, or any server that speaks its format")
        ANTHROPIC = "anthropic", _("Anthropic")

    provider = models.CharField(max_length=12, choices=Provider.choices, default=Provider.OPENAI)
    price_in = models.FloatField(default=0, help_text="currency units a million tokens")
    price_out = models.FloatField(default=0)
    daily_micros = models.BigIntegerField(null=True, help_text="of its currency; null: no limit")

    @property
    def daily_cost(self) -> float | None:
        return None if self.daily_micros is None else self.daily_micros / 1_000_000


class TeamEmbedding(OwnEndpoint):
    """Which embedding endpoint a team's texts and queries go to. No row: none, until an admin has
    read where they go."""

    made_for = PlainCharField(max_length=64, blank=True, help_text="hash of address and model")
    dimension = models.IntegerField(null=True, help_text="of all its vectors; null: none yet")
    looked_at = models.BigIntegerField(default=0, help_text="passages up to here have their runs")

    role = noun = provider = "embedding"
    price_in: float = 0
    price_out: float = 0
