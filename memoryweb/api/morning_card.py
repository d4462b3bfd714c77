"""The morning card: what an agent's last dream did, for whoever it is about (SPEC §6.2)."""

from datetime import date
from typing import Annotated

from django.db.models import Q
from django.utils import timezone
from ninja import Query
from pydantic import Field

from memoryweb.agents.models import Owner
from memoryweb.agents.readers import Reader
from memoryweb.api import acting_owner
from memoryweb.api.auth import Request, Right
from memoryweb.api.query_parameters import OwnerQuery
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Flag, IdOrNull, Moment, OwnerFields, one_of
from memoryweb.dreaming import last_seen
from memoryweb.dreaming.night_results import AgentNight, Learned, Reach
from memoryweb.dreaming.reasons import OUTCOMES
from memoryweb.memory.statements.listing import weight_of
from memoryweb.memory.statements.trust import Band

router = Router(tags=["Dreaming"])

CARD = "/memory/{agent_id}/dream/morning-card"


class MorningItem(Camel):
    """One thing that the dream did. Confirm, reword or retire it as the fact that it is."""

    fact_id: IdOrNull = Field(description="Null where the statement is gone.")
    owner: str
    outcome: Annotated[str, one_of(OUTCOMES)]
    text: str = Field(description="What stands now, or what left.")
    before: list[str]
    reason: str
    said_by: str = Field(description="Who said it last; empty if it is not known.")
    said_at: Moment | None
    band: Annotated[str, one_of(("", *Band))]
    new: Flag


class MorningCard(Camel):
    """`night` is null where no dream has told anything yet."""

    night: date | None
    items: list[MorningItem]


class MorningCardSeen(Camel):
    seen_at: Moment


@router.operation("GET", CARD, Right.READ)
def read_morning_card(request: Request, agent_id: str, query: Query[OwnerQuery]) -> MorningCard:
    """Read what the last dream did to shared memory and to an owner's."""
    agent, owner = acting_owner.readable(request.auth, agent_id, query.owner)
    reader = Reader(agent, owner if owner and not owner._state.adding else None)
    return _card(reader, _night(reader, owner))


@router.operation("POST", CARD + "/seen", Right.READ)
def mark_morning_card_seen(request: Request, agent_id: str, body: OwnerFields) -> MorningCardSeen:
    """Say that the card was told: it is offered no more, here or on the first page."""
    agent = request.auth.agent(agent_id)
    owner = acting_owner.acting(request.auth, body)
    now = timezone.now()
    last_seen.mark([agent], last_seen.who(None, owner), now)
    return MorningCardSeen(seen_at=now)


def offered(reader: Reader) -> MorningCard | None:
    """What this reader has not been told; None where there is nothing."""
    night = _night(reader, reader.owner)
    if night is None or reader.owner is None:
        return None
    night.learned = [one for one in night.learned if one.is_new and one.holds]
    return _card(reader, night) if night.learned else None


def _night(reader: Reader, owner: Owner | None) -> AgentNight | None:
    return last_seen.last_night(reader.agent, _reach(reader), last_seen.who(None, owner))


def _reach(reader: Reader) -> Reach:
    """Shared memory, and the reader's own."""
    own = [reader.owner.pk] if reader.owner else []
    return lambda owner: (
        Q(**{owner: None}) | Q(**{f"{owner}__source": "system"}) | Q(**{f"{owner}__in": own})
    )


def _card(reader: Reader, night: AgentNight | None) -> MorningCard:
    if night is None:
        return MorningCard(night=None, items=[])
    held = (one for one in night.learned if one.holds)
    shown = (one for one in held if not (one.fact and one.fact.is_hidden))
    return MorningCard(night=night.day, items=[_item(reader, one) for one in shown])


def _item(reader: Reader, one: Learned) -> MorningItem:
    operation, fact, said = one.operation, one.fact, one.said
    message, root = (said.message, said.root) if said else (None, None)
    who = message.name if message else str(root.user or "") if root else ""
    own = reader.owner if reader.owner and one.report.owner_id == reader.owner.pk else None
    return MorningItem(
        fact_id=fact.pk if fact else None,
        owner=acting_owner.shown(own),
        outcome=operation.outcome,
        text=fact.text if one.was and fact else operation.after or " ".join(operation.before),
        before=operation.before,
        reason=operation.reason,
        said_by=who,
        said_at=said.said_at if said else None,
        band=weight_of(fact, timezone.now()).band if fact else "",
        new=one.is_new,
    )
