"""Whom a call of mem0's client is about, and what of it: a `user_id`, `agent_id`, `app_id` or
`run_id`, as it has them, is an end user of the token's integration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any

from django.db.models import Q

from memoryweb.accounts.permissions import Scope
from memoryweb.agents.models import Agent, Owner
from memoryweb.api import acting_owner
from memoryweb.api.auth import Caller, known_id
from memoryweb.api.problems import Forbidden, Invalid, NotFound, Problem
from memoryweb.api.request_bodies import parse
from memoryweb.api.tool_calls import Call
from memoryweb.api.tools import acting_of
from memoryweb.memory import tools
from memoryweb.memory.models import Fact
from memoryweb.memory.tools import Acting

KINDS = ("user_id", "agent_id", "app_id", "run_id")  # the first that is named says whose it is
EVERYONE = "*"
_MOST = 100  # people of one call
_DEEPEST = 5


@dataclass(frozen=True)
class Part:
    """Memories of one end user that have this metadata."""

    named: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def end_user(self) -> str:
        """Two kinds of one name are two end users. Raises Problem."""
        for kind in KINDS:
            if name := self.named.get(kind):
                return name if kind == "user_id" else f"{kind}:{name}"
        raise Problem(400, "owner_required", "Name a user_id, agent_id, app_id or run_id.")


def named_as(owner: Owner | None) -> dict[str, str | None]:
    """As its memories say it."""
    kind, _colon, name = (owner.external_id if owner else "").partition(":")
    if kind not in KINDS[1:]:
        kind, name = "user_id", owner.external_id if owner else ""
    return {one: name if one == kind else None for one in KINDS}


def parts_of(body: Mapping[str, Any]) -> list[Part]:
    """Named at the top, or in `filters`: each as what has to hold together, one of them at least.
    Raises Problem."""
    top = {kind: body[kind] for kind in KINDS if body.get(kind) is not None}
    found = _both(_read(top), _read(body.get("filters") or {}))
    return list({(str(one.named), str(one.metadata)): one for one in found}.values())


def _read(filters: Any, depth: int = 0) -> list[Part]:
    if not isinstance(filters, dict) or depth > _DEEPEST:
        raise Invalid("filters", "Filters are a JSON object, with AND and OR up to five deep.")
    found = [Part()]
    for key, value in filters.items():
        if key in ("AND", "OR") and isinstance(value, list) and value:
            inner = [_read(one, depth + 1) for one in value]
            for one in inner if key == "AND" else [list(chain(*inner))]:
                found = _both(found, one)
        elif key in KINDS:
            found = _both(found, [Part({key: name}) for name in _names(key, value)])
        elif key == "metadata" and isinstance(value, dict):
            found = _both(found, [Part(metadata=value)])
        else:
            raise Invalid(
                "filters", "Filter by user_id, agent_id, app_id, run_id or metadata, and AND or OR."
            )
    return found


def _names(kind: str, value: Any) -> list[str]:
    names = value["in"] if isinstance(value, dict) and list(value) == ["in"] else [value]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Invalid(kind, f"Send {kind} as a JSON string.")
    return names


def _both(some: list[Part], others: list[Part]) -> list[Part]:
    if len(some) * len(others) > _MOST:
        raise Invalid("filters", f"A call is about up to {_MOST} people.")
    found = []
    for one, other in product(some, others):
        for mine, theirs in ((one.named, other.named), (one.metadata, other.metadata)):
            if any(mine[key] != theirs[key] for key in mine.keys() & theirs.keys()):
                raise Invalid("filters", "Two filters in an AND differ. Use OR or in.")
        found.append(Part({**one.named, **other.named}, {**one.metadata, **other.metadata}))
    return found


@dataclass(frozen=True)
class Mem0Call:
    caller: Caller
    agent: Agent
    body: Mapping[str, Any]
    query: Mapping[str, str]
    id: str

    def parts(self) -> list[Part]:
        """Those that the body, or else the query, names."""
        found = parts_of(self.body)
        return found if found != [Part()] else parts_of(self.query)

    def acting(self) -> Acting:
        """For the one end user that is named."""
        part, *more = self.parts()
        if more or EVERYONE in part.named.values():
            raise Invalid("filters", "This call is about one user_id, agent_id, app_id or run_id.")
        return self._acting(part.end_user)

    def reading(self) -> list[tuple[Acting, Q]]:
        """What is read of each end user that is named: of several with `personal:read` alone."""
        parts = [(name, part) for part in self.parts() for name in self._people(part)]
        if len(parts) > _MOST:
            raise Invalid("filters", f"A call is about up to {_MOST} people.")
        if len({name for name, _part in parts}) > 1 or _is_of_everyone(self.parts()):
            if Scope.PERSONAL_READ not in self.caller.scopes:
                raise Forbidden(
                    "owner_forbidden", "Several users in one call take the scope personal:read."
                )
            acting_owner.record_reading(self.caller, None)
        found = [(self._acting(name), part) for name, part in parts]
        return [(acting, tools.having(acting, part.metadata)) for acting, part in found]

    def _people(self, part: Part) -> list[str]:
        if EVERYONE not in part.named.values():
            return [part.end_user]
        kinds = [kind for kind, name in part.named.items() if name == EVERYONE]
        known = (
            tools.counted(self.agent, self.caller.integration) if self.caller.integration else []
        )
        met = [owner for owner, _count in known if any(named_as(owner)[kind] for kind in kinds)]
        return [owner.external_id for owner in met]

    def _acting(self, end_user: str) -> Acting:
        call = parse(Call, {"endUserId": end_user})
        return acting_of(self.caller, self.agent, call)

    def found(self, name: str) -> tuple[Acting, Fact]:
        """A memory by its id alone, or what has taken its place: of an end user of this token."""
        fact = self.agent.facts.filter(pk=known_id(name)).select_related("owner").first()
        if fact is None or fact.owner is None:
            raise NotFound
        try:
            call = parse(Call, {"owner": str(fact.owner.pk)})
            acting = acting_of(self.caller, self.agent, call)
        except Forbidden:
            raise NotFound from None
        now = tools.current(acting, fact)
        if now is None:
            raise NotFound
        return acting, now


def _is_of_everyone(parts: list[Part]) -> bool:
    return any(EVERYONE in part.named.values() for part in parts)
