"""How tests ask for pages of a team."""

import re
from typing import Any

from django.test import Client
from django.urls import reverse

from memoryweb.accounts.models import Team
from memoryweb.audit.models import Event


def url(team: Team, name: str, *args: Any, query: str = "") -> str:
    return reverse(f"web:{name}", args=[team.slug, *args]) + query


def text(response: Any) -> str:
    content: bytes = response.content
    return content.decode()


def tight(response: Any) -> str:
    """The page without the white space that only lays out its source."""
    spaced = re.sub(r"\s+", " ", text(response)).strip()
    return re.sub(r" ?(</?[a-z][^>]*?) ?> ?", r"\1>", spaced)


def fragment(client: Client, address: str, target: str, data: dict[str, Any] | None = None) -> Any:
    """As htmx asks: a GET, or a POST where there are data."""
    headers = {"HX-Request": "true", "HX-Target": target}
    if data is None:
        return client.get(address, headers=headers)
    return client.post(address, data, headers=headers)


def actions(team: Team) -> list[str]:
    events = Event.objects.filter(team_id=team.pk).order_by("seq")
    return list(events.values_list("action", flat=True))
