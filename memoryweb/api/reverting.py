"""Taking back all that one conversation, token, import or run wrote. People decide it."""

from typing import Any, Literal

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from ninja import Query
from pydantic import Field

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.exceptions import OwnerUnknown
from memoryweb.agents.models import Agent
from memoryweb.agents.owners import find
from memoryweb.api import acting_owner, visibility
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.conversations import the_only
from memoryweb.api.exceptions import Invalid, NotFound
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, RequestBody
from memoryweb.markdown.diff import unified
from memoryweb.memory import reverting
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import Conversation
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.reverting import Change, Plan
from memoryweb.memory.visible.readable import Look, To

router = Router(tags=["Files"])

PATH = "/agents/{agent_id}/workspace/revert"


class SourceFields(RequestBody):
    conversation: str | None = Field(None, max_length=255, description="The conversation's id.")
    token: str | None = Field(None, max_length=36, description="A token's id, never its secret.")
    import_: str | None = Field(None, max_length=36, alias="import", description="An import's id.")
    run: str | None = Field(None, max_length=36, description="A run's id.")
    owner: str | None = Field(
        None, description="The conversation's owner, if several owners have one with that id."
    )


class RevertBody(SourceFields):
    plan: str | None = Field(
        None,
        max_length=64,
        description="The preview's `plan`. If anything changed since, the answer is 409 `stale`.",
    )


class RevertedFile(Camel):
    filename: str
    owner: str
    action: Literal["change", "delete", "restore"]
    added: int
    removed: int
    stay: int
    diff: str


class RevertPlan(Camel):
    plan: str
    files: list[RevertedFile]
    conversations: int
    proposals: int
    messages: int
    stay: int
    others: int


class Reverted(Camel):
    files: int
    removed: int
    restored: int
    conversations: int
    proposals: int
    messages: int


@router.operation("GET", PATH, Right.WRITE)
def preview_revert(request: Request, agent_id: str, which: Query[SourceFields]) -> RevertPlan:
    """Preview a revert of a conversation, token, import or run."""
    caller = request.auth
    agent = caller.agent(agent_id)
    _require(caller)
    return _described(reverting.plan(_source(caller, agent, which), *_reach(caller)))


@router.operation("POST", PATH, Right.WRITE, errors=(409,))
def revert(request: Request, agent_id: str, body: RevertBody) -> Reverted:
    """Revert everything a conversation, token, import or run wrote."""
    caller = request.auth
    agent = caller.agent(agent_id)
    _require(caller)
    source = _source(caller, agent, body)
    files, talks = _reach(caller)
    with write_transaction(caller.team, actor=caller.actor) as work:
        done = reverting.revert(
            work, source, files, talks, writer=caller.writer, expected=body.plan
        )
    return Reverted.of(done, removed=done.lines)


def _require(caller: Caller) -> None:
    caller.require_person(_("Only a person can revert a source."))


def _reach(caller: Caller) -> tuple[Q, Q]:
    """Files that the person may write, and conversations whose extraction they may stop."""
    mine = Q(owner__in=list(caller.team.owners.filter(person=caller.user)))
    return mine | Q(owner=None), mine | Q(owner__source="system")


def _source(caller: Caller, agent: Agent, which: SourceFields) -> Source:
    given = {
        Kind.CONVERSATION: which.conversation,
        Kind.TOKEN: which.token,
        Kind.IMPORT: which.import_,
        Kind.RUN: which.run,
    }
    named = [(kind, text) for kind, text in given.items() if text is not None]
    if len(named) != 1:
        raise Invalid(
            "conversation", _("Name one source: a conversation, a token, an import or a run.")
        )
    kind, text = named[0]
    if kind is Kind.CONVERSATION:
        row = the_only(_conversations(caller, agent, which.owner), text)
    else:
        row = _rows(caller, agent, kind, text).first()
    if row is None:
        raise NotFound
    return Source(agent, kind, row.pk)


def _rows(caller: Caller, agent: Agent, kind: Kind, text: str) -> Any:
    if kind is Kind.TOKEN:
        tokens = caller.team.tokens.filter(pk=known_id(text))
        return tokens if caller.may(Permission.SEE_TOKENS) else tokens.filter(user=caller.user)
    rows = agent.imports if kind is Kind.IMPORT else agent.runs
    return rows.filter(visibility.seen_by(caller, None).rows(), pk=known_id(text))


def _conversations(caller: Caller, agent: Agent, owner: str | None) -> QuerySet[Conversation]:
    rows = agent.conversations.filter(visibility.seen_by(caller, None).rows())
    if owner is None:
        return rows
    try:
        found = find(caller.team, owner, caller.user)
    except OwnerUnknown:
        raise NotFound from None
    return rows.filter(visibility.of_owner(found).rows())


def _described(plan: Plan) -> RevertPlan:
    look = Look(To.PAGE, files=[change.file for change in plan.changes])
    return RevertPlan.of(
        plan,
        plan=plan.fingerprint,
        files=[_file(change, look) for change in plan.changes],
        conversations=len(plan.conversations),
        proposals=len(plan.proposals),
    )


def _file(change: Change, look: Look) -> RevertedFile:
    added, removed = change.counts
    is_back = change.file.deleted_at is not None
    return RevertedFile(
        filename=change.file.path,
        owner=acting_owner.shown(change.file.owner),
        action="delete" if change.deletes else "restore" if is_back else "change",
        added=added,
        removed=removed,
        stay=change.stay,
        diff=unified(*(look.then(change.file, one) for one in change.texts)),
    )
