"""What a conversation's last prompt carried, and what of it is not true (SPEC §6.1)."""

from ninja import Query
from pydantic import Field

from memoryweb.agents.models import Agent
from memoryweb.api import facts, visibility
from memoryweb.api.auth import Request, Right, known_id
from memoryweb.api.conversations import BASE, conversation_of
from memoryweb.api.exceptions import NotFound
from memoryweb.api.facts import FactOut, FactText
from memoryweb.api.query_parameters import OwnerQuery
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Id, Moment, RequestBody
from memoryweb.memory.models import Conversation
from memoryweb.memory.prompt import carried, last_prompt

router = Router(tags=["Conversations"])
ONE = BASE + "/{path:conversation}"


class LastPrompt(Camel):
    """`at` is null if no prompt was asked for. If there are no facts, memory did not hold what
    was answered."""

    conversation_id: str
    at: Moment | None
    facts: list[FactOut]


class NotTrue(RequestBody):
    fact: Id = Field(description="One of the `facts` of the last prompt.")


@router.operation("GET", ONE + "/last-prompt", Right.READ)
def read_last_prompt(
    request: Request, agent_id: str, conversation: str, query: Query[OwnerQuery]
) -> LastPrompt:
    """List the facts that a conversation's last prompt carried."""
    agent, talk = _found(request, agent_id, conversation, query)
    visible = visibility.seen_by(request.auth, query.owner)
    prompt = last_prompt(talk)
    return LastPrompt(
        conversation_id=talk.external_id,
        at=prompt.at if prompt else None,
        facts=facts.told(request.auth, agent, visible, carried(prompt)),
    )


@router.operation("POST", ONE + "/not-true", Right.FACTS_OWN, errors=(409,))
def retire_carried_fact(
    request: Request, agent_id: str, conversation: str, body: NotTrue, query: Query[OwnerQuery]
) -> FactText:
    """Mark a fact of a conversation's last prompt as not true."""
    _agent, talk = _found(request, agent_id, conversation, query)
    if not carried(last_prompt(talk)).filter(pk=known_id(body.fact)).exists():
        raise NotFound
    return facts.retire_fact(request, agent_id, body.fact)


def _found(
    request: Request, agent_id: str, conversation: str, query: OwnerQuery
) -> tuple[Agent, Conversation]:
    agent = request.auth.agent(agent_id)
    visible = visibility.seen_by(request.auth, query.owner)
    return agent, conversation_of(agent, conversation, visible)
