"""Agents and their settings."""

import unicodedata
from datetime import time
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from django.conf import settings
from ninja import Query, Status
from pydantic import AfterValidator, Field

from memoryweb.agents.models import MOST_TOKENS, Agent
from memoryweb.api.auth import Request, Right
from memoryweb.api.routing import Router
from memoryweb.api.schemas import (
    Camel,
    Flag,
    Id,
    Items,
    Moment,
    Paging,
    RequestBody,
    Whole,
    one_of,
    page,
)
from memoryweb.memory import agents

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
Injection = Literal["files", "summary"]
ModelName = Annotated[str, Field(max_length=120, pattern=r"^[\x21-\x7e]*$")]
Language = Literal["en", "de", "ja"]


class AgentOut(Camel):
    id: Id
    name: str
    description: str
    time_zone: str
    language: Annotated[str, one_of(dict(settings.LANGUAGES))] = Field(
        description="Of its diary and of the headings in its memory."
    )
    dream_at: str
    dreaming: bool
    next_dream_at: Moment | None
    auto_summarize: bool
    owner_isolation: bool
    policy: Annotated[str, one_of(Agent.Policy)]
    extractor: Annotated[str, one_of(Agent.Consolidator)] = Field(
        description="What takes notes of conversations."
    )
    consolidator: Annotated[str, one_of(Agent.Consolidator)] = Field(
        description="What writes the dreams."
    )
    injection: Annotated[str, one_of(Agent.Injection)] = Field(
        description="What its prompt begins with: the enabled files, or `memory_summary.md` in "
        "place of MEMORY.md."
    )
    shadow_journal: bool = Field(description="A model looks at each turn right after it.")
    journal_model: str = Field(description="Its name; empty: the team's model for notes.")
    journal_tokens: int = Field(description="Tokens a day that it may use.")
    local_models_only: bool = Field(
        description="Its text goes only to models on hosts that the operator lists as local."
    )
    created_at: Moment


class AgentSettings(RequestBody):
    """Any of an agent's settings; what is left out stays as it is."""

    name: Name | None = None
    description: Annotated[str, Field(max_length=500)] | None = None
    time_zone: Zone | None = None
    language: Language | None = None
    dream_at: Clock | None = None
    dreaming: Flag | None = None
    auto_summarize: Flag | None = None
    owner_isolation: Flag | None = None
    policy: Policy | None = None
    extractor: Consolidator | None = None
    consolidator: Consolidator | None = None
    injection: Injection | None = None
    shadow_journal: Flag | None = None
    journal_model: ModelName | None = None
    journal_tokens: Annotated[Whole, Field(ge=0, le=MOST_TOKENS)] | None = None
    local_models_only: Flag | None = None


class NewAgent(AgentSettings):
    name: Name


@router.operation("GET", "/agents", Right.READ)
def list_agents(request: Request, paging: Query[Paging]) -> Items[AgentOut]:
    """List the agents this token can use."""
    return page(request.auth.agents(), ["folded_name", "id"], paging, _out)


@router.operation("POST", "/agents", Right.MANAGE_AGENTS, status=201, errors=(409,))
def create(request: Request, body: NewAgent) -> Status[AgentOut]:
    """Create an agent with its seed files."""
    with request.auth.write() as tx:
        agent = agents.create_agent(tx, **_fields(body))
    return Status(201, _out(agent))


@router.operation("GET", "/agents/{agent_id}", Right.READ)
def read_agent(request: Request, agent_id: str) -> AgentOut:
    """Read an agent's settings."""
    agent = request.auth.agent(agent_id)
    return _out(agent)


@router.operation("PATCH", "/agents/{agent_id}", Right.MANAGE_AGENTS, errors=(409,))
def change(request: Request, agent_id: str, body: AgentSettings) -> AgentOut:
    """Change an agent's settings."""
    agent = request.auth.agent(agent_id)
    with request.auth.write() as tx:
        agents.change_agent(tx, agent, **_fields(body))
    return _out(agent)


@router.operation("DELETE", "/agents/{agent_id}", Right.MANAGE_AGENTS, status=204)
def archive(request: Request, agent_id: str) -> Status[None]:
    """Archive an agent (you can restore it for 30 days)."""
    agent = request.auth.agent(agent_id)
    with request.auth.write() as tx:
        agents.archive_agent(tx, agent)
    return Status(204, None)


@router.operation("POST", "/agents/{agent_id}/restore", Right.MANAGE_AGENTS, errors=(409,))
def restore(request: Request, agent_id: str) -> AgentOut:
    """Restore an archived agent."""
    agent = request.auth.archived_agent(agent_id)
    with request.auth.write() as tx:
        agents.restore_agent(tx, agent)
    return _out(agent)


def _fields(body: AgentSettings) -> dict[str, Any]:
    fields = body.model_dump(exclude_unset=True, exclude_none=True)
    if "dream_at" in fields:
        fields["dream_at"] = time.fromisoformat(fields["dream_at"])
    return fields


def _out(agent: Agent) -> AgentOut:
    return AgentOut.of(agent, dream_at=f"{agent.dream_at:%H:%M}")
