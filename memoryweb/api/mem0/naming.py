"""Whom a call of mem0's client is about: a `user_id`, `agent_id`, `app_id` or `run_id`, as it has
them, is an end user of the token's integration."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from memoryweb.agents.models import Owner
from memoryweb.api.exceptions import Invalid, Problem

KINDS = ("user_id", "agent_id", "app_id", "run_id")  # the first that is named says whose it is


def end_user(named: Mapping[str, str]) -> str:
    """Two kinds of one name are two end users. Raises Problem."""
    for kind in KINDS:
        if name := named.get(kind):
            return name if kind == "user_id" else f"{kind}:{name}"
    raise Problem(400, "owner_required", _("Name a user_id, agent_id, app_id or run_id."))


def named_as(owner: Owner | None) -> dict[str, str | None]:
    """As its memories say it."""
    kind, _colon, name = (owner.external_id if owner else "").partition(":")
    if kind not in KINDS[1:]:
        kind, name = "user_id", owner.external_id if owner else ""
    return {one: name if one == kind else None for one in KINDS}


def in_body(body: Mapping[str, Any]) -> dict[str, str]:
    """Named at the top, or in `filters`."""
    found = {kind: body[kind] for kind in KINDS if body.get(kind) is not None}
    for kind, name in _in_filters(body.get("filters") or {}):
        if found.setdefault(kind, name) != name:
            raise Invalid("filters", _("A call is about one {kind} alone.").format(kind=kind))
    for kind, name in found.items():
        if not isinstance(name, str):
            raise Invalid(kind, _("Send {kind} as a JSON string.").format(kind=kind))
    return found


def _in_filters(filters: Any) -> Iterator[tuple[str, Any]]:
    """`{"user_id": …}`, alone or in an AND or OR. What else narrows a list isn't kept here."""
    if not isinstance(filters, dict):
        raise Invalid("filters", _("Filters are a JSON object."))
    for key, value in filters.items():
        if key in ("AND", "OR") and isinstance(value, list):
            for one in value:
                yield from _in_filters(one)
        elif key in KINDS:
            yield key, value
        else:
            raise Invalid("filters", _("Filter by user_id, agent_id, app_id or run_id alone."))
