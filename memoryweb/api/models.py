from datetime import datetime, timedelta

from django.db import models
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.fields import ErasableTextField, PlainCharField
from memoryweb.tenancy import TeamManager

KEPT = timedelta(hours=24)


class Idempotency(models.Model):
    """What a POST with an `Idempotency-Key` was answered, so that asking again does nothing.

    `status` is 0 while the first request is still being worked on.
    """

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    token = models.ForeignKey("accounts.Token", models.CASCADE, related_name="idempotency")
    key = PlainCharField(max_length=255)
    fingerprint = PlainCharField(max_length=64, help_text="SHA-256 of address, rights and body")
    status = models.IntegerField(default=0)
    body = ErasableTextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = TeamManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["token", "key"], name="api_idempotency_once")
        ]
        indexes = [models.Index(fields=["created_at"], name="api_idempotency_age")]

    def __str__(self) -> str:
        return f"{self.key} → {self.status}"


def purge(now: datetime) -> None:
    """Delete what is older than the 24 hours that an answer is kept."""
    with scopes_disabled():
        Idempotency.objects.filter(created_at__lt=now - KEPT).delete()
