"""Agents and their settings."""

import unicodedata
from datetime import time
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from ninja import Query, Router, Status
from pydantic import AfterValidator, Field

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.agents.models import Agent
from memoryweb.api.auth import Request
from memoryweb.api.cursors import page
from memoryweb.api.operations import Paging, operation
from memoryweb.api.schemas import Camel, Flag, Items, Moment, RequestBody, one_of
from memoryweb.memory.agents import (
    archive_agent,
    change_agent,
    create_agent,
    restore_agent,
)
from memoryweb.memory.transaction import unit

router = Router(tags=["Agents"])


def _name(text: str) -> str:
    text = unicodedata.normalize("NFC", text).strip()
    if not text or any(unicodedata.category(c) in {"Cc", "Cf", "Cs"} for c in text):
        raise ValueError("A name has 1 to 64 characters and no control characters.")
    return text


def _zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (ValueError, OSError, LookupError):
        raise ValueError("This is no IANA time zone, such as “Europe/Berlin”.") from None
    return text


Name = Annotated[str, Field(max_length=64), AfterValidator(_name)]
Zone = Annotated[str, Field(max_length=64), AfterValidator(_zone)]
Clock = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Policy = Literal["apply", "review"]
Consolidator = Literal["auto", "rules", "model"]


class AgentOut(Camel):
    id: str
    name: str
    description: str
    time_zone: str
    dream_at: str
    dreaming: bool
    next_dream_at: Moment | None
    auto_summarize: bool
    owner_isolation: bool
    policy: Annotated[str, one_of(Agent.Policy)]
    consolidator: Annotated[str, one_of(Agent.Consolidator)]
    created_at: Moment


class AgentSettings(RequestBody):
    """Any of an agent's settings; what is left out stays as it is."""

    name: Name | None = None
    description: Annotated[str, Field(max_length=500)] | None = None
    time_zone: Zone | None = None
    dream_at: Clock | None = None
    dreaming: Flag | None = None
    auto_summarize: Flag | None = None
    owner_isolation: Flag | None = None
    policy: Policy | None = None
    consolidator: Consolidator | None = None


class NewAgent(AgentSettings):
    name: Name


EXAMPLE = {
    "id": "0a9c4c1e-7f0e-4a53-9c5e-6f6c7f6f1b11",
    "name": "Front desk",
    "description": "Answers guests before and during their stay.",
    "timeZone": "Europe/Lisbon",
    "dreamAt": "02:00",
    "dreaming": True,
    "nextDreamAt": "2026-11-22T02:00:00Z",
    "autoSummarize": True,
    "ownerIsolation": True,
    "policy": "apply",
    "consolidator": "auto",
    "createdAt": "2026-11-01T09:30:00Z",
}


@router.get(
    "/agents",
    **operation(
        Items[AgentOut],
        summary="List the agents that the token may use",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={"items": [EXAMPLE], "cursor": None},
    ),
)
def list_agents(request: Request, paging: Query[Paging]) -> Items[AgentOut]:
    request.auth.require(Permission.READ, Scope.MEMORY_READ)
    found = page(request.auth.agents(), ["folded_name", "id"], paging.cursor, paging.limit)
    return Items[AgentOut](items=[_out(agent) for agent in found.rows], cursor=found.cursor)


@router.post(
    "/agents",
    **operation(
        AgentOut,
        status=201,
        summary="Create an agent with its seed files",
        takes=(Permission.MANAGE_AGENTS, Scope.MEMORY_WRITE),
        example=EXAMPLE,
        body={"name": "Front desk", "timeZone": "Europe/Lisbon"},
        errors=(409,),
    ),
)
def create(request: Request, body: NewAgent) -> Status[AgentOut]:
    request.auth.require(Permission.MANAGE_AGENTS, Scope.MEMORY_WRITE)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        agent = create_agent(work, **_fields(body))
    return Status(201, _out(agent))


@router.get(
    "/agents/{agent_id}",
    **operation(
        AgentOut,
        summary="Read an agent's settings",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example=EXAMPLE,
    ),
)
def read_agent(request: Request, agent_id: str) -> AgentOut:
    agent = request.auth.agent(agent_id)
    request.auth.require(Permission.READ, Scope.MEMORY_READ)
    return _out(agent)


@router.patch(
    "/agents/{agent_id}",
    **operation(
        AgentOut,
        summary="Change an agent's settings",
        takes=(Permission.MANAGE_AGENTS, Scope.MEMORY_WRITE),
        example=EXAMPLE,
        body={"dreamAt": "03:30", "policy": "review"},
        errors=(409,),
    ),
)
def change(request: Request, agent_id: str, body: AgentSettings) -> AgentOut:
    agent = request.auth.agent(agent_id)
    request.auth.require(Permission.MANAGE_AGENTS, Scope.MEMORY_WRITE)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        change_agent(work, agent, **_fields(body))
    return _out(agent)


@router.delete(
    "/agents/{agent_id}",
    **operation(
        None,
        status=204,
        summary="Archive an agent; it can be brought back for 30 days",
        takes=(Permission.MANAGE_AGENTS, Scope.MEMORY_WRITE),
    ),
)
def archive(request: Request, agent_id: str) -> Status[None]:
    agent = request.auth.agent(agent_id)
    request.auth.require(Permission.MANAGE_AGENTS, Scope.MEMORY_WRITE)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        archive_agent(work, agent)
    return Status(204, None)


@router.post(
    "/agents/{agent_id}/restore",
    **operation(
        AgentOut,
        summary="Bring an archived agent back",
        takes=(Permission.MANAGE_AGENTS, Scope.MEMORY_WRITE),
        example=EXAMPLE,
        errors=(409,),
    ),
)
def restore(request: Request, agent_id: str) -> AgentOut:
    agent = request.auth.archived_agent(agent_id)
    request.auth.require(Permission.MANAGE_AGENTS, Scope.MEMORY_WRITE)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        restore_agent(work, agent)
    return _out(agent)


def _fields(body: AgentSettings) -> dict[str, Any]:
    fields = body.model_dump(exclude_unset=True, exclude_none=True)
    if "dream_at" in fields:
        fields["dream_at"] = time.fromisoformat(fields["dream_at"])
    return fields


def _out(agent: Agent) -> AgentOut:
    return AgentOut(
        id=str(agent.pk),
        name=agent.name,
        description=agent.description,
        time_zone=agent.time_zone,
        dream_at=f"{agent.dream_at:%H:%M}",
        dreaming=agent.dreaming,
        next_dream_at=agent.next_dream_at,
        auto_summarize=agent.auto_summarize,
        owner_isolation=agent.owner_isolation,
        policy=agent.policy,
        consolidator=agent.consolidator,
        created_at=agent.created_at,
    )
