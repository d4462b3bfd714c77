from datetime import datetime, timedelta
from typing import Any

from django.db import models
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.accounts.models import Token
from memoryweb.core.tables import ErasableTextField, Erasure, Holds, PlainCharField, TeamRow

KEPT = timedelta(hours=24)
CALLS_KEPT = timedelta(days=7)
MOST_CALLS = 200  # rows of a token


class Idempotency(TeamRow):
    """What a POST with an `Idempotency-Key` was answered, so that asking again does nothing."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    token = models.ForeignKey("accounts.Token", models.CASCADE, related_name="idempotency")
    key = PlainCharField(max_length=255, holds=Holds.LABEL)
    fingerprint = PlainCharField(max_length=64, help_text="SHA-256 of address, rights and body")
    status = models.IntegerField(default=0)
    body = ErasableTextField(blank=True, holds=Holds.LABEL)
    created_at = models.DateTimeField(default=timezone.now)

    erasure = Erasure.DROPPED

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["token", "key"], name="api_idempotency_once")
        ]
        indexes = [models.Index(fields=["created_at"], name="api_idempotency_age")]


class Call(TeamRow):
    """Equal calls of a token: the operation by its route, without what it was called with."""

    token = models.ForeignKey(
        "accounts.Token", models.CASCADE, related_name="calls", db_index=False
    )
    at = models.DateTimeField()
    method = PlainCharField(max_length=8)
    route = PlainCharField(max_length=200)
    status = models.IntegerField()
    code = PlainCharField(max_length=40, blank=True, help_text="of an error")
    times = models.IntegerField(default=1)

    class Meta:
        indexes = [
            models.Index(fields=["token", "-at"], name="api_call_token"),
            models.Index(fields=["at"], name="api_call_age"),
            models.Index(fields=["team"], name="api_call_team"),
        ]


def purge(now: datetime) -> None:
    """Delete what is older than the 24 hours that an answer is kept."""
    with scopes_disabled():
        Idempotency.objects.filter(created_at__lt=now - KEPT).delete()


def keep_call(token: Token, **row: Any) -> None:
    Call.objects.create(team_id=token.team_id, token=token, **row)


def purge_calls(now: datetime) -> None:
    """Once a minute: what is old, and of each token all but the last."""
    with scopes_disabled():
        Call.objects.filter(at__lt=now - CALLS_KEPT).delete()
        many = Call.objects.values("token").annotate(n=models.Count("pk")).filter(n__gt=MOST_CALLS)
        for token in list(many.values_list("token", flat=True)):
            rows = Call.objects.filter(token=token).order_by("-at", "-pk")
            Call.objects.filter(token=token, at__lt=rows[MOST_CALLS - 1].at).delete()
