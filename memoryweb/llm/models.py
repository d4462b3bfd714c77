from django.db import models

from memoryweb.fields import PlainCharField


class Usage(models.Model):
    """Tokens of one team on one UTC day: reserved before a call, settled after it."""

    team_id = models.UUIDField()
    day = models.DateField()
    reserved = models.BigIntegerField(default=0)
    used_in = models.BigIntegerField(default=0)
    used_out = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team_id", "day"], name="llm_usage_day")]

    def __str__(self) -> str:
        return f"{self.team_id} on {self.day}"


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
