"""Named reads of the chain."""

from uuid import UUID

from django.db.models import QuerySet

from memoryweb.audit.models import Event


def events_of(team_id: UUID) -> "QuerySet[Event]":
    return Event.objects.filter(team_id=team_id)
