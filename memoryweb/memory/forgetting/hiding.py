"""Hiding what somebody asked to forget, and bringing it back: no text is touched by either."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext as _

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent, Owner
from memoryweb.memory.models import Conversation, ForgetRequest, Message, Target
from memoryweb.memory.models.forgetting import Mention, columns_of
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.review_items import Kind, follow
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.writing import screening


class NothingToUndo(MemoryRefused):
    """It was decided before, or is erased."""

    code = "already_decided"

    def __init__(self) -> None:
        super().__init__(_("This was decided before; there is nothing to undo."))


@dataclass(frozen=True)
class Wish:
    """Who asked to forget, where, and in which words; `why` it can only be offered."""

    agent: Agent
    owner: Owner | None
    via: ForgetRequest.Via
    about: str = ""
    message: Message | None = None
    by: User | None = None
    conversation: Conversation | None = None
    why: str = ""


def open_request(tx: Transaction, asked: Wish) -> ForgetRequest:
    """An open request that hides nothing yet; its words are kept without what may be a secret."""
    return ForgetRequest.objects.ask(
        screening.mask_wish(asked.about),
        team_id=asked.agent.team_id,
        agent=asked.agent,
        owner=asked.owner,
        conversation=asked.message.conversation if asked.message else asked.conversation,
        message=asked.message,
        via=asked.via,
        why=asked.why,
        asked_by=asked.by,
        created_at=tx.now,
    )


def hide(
    tx: Transaction,
    request: ForgetRequest,
    meant: Iterable[Mention],
    *,
    seconds: int | None = None,
    candidates: Iterable[Mention] = (),
) -> None:
    """Nothing of what is `meant` is given to anybody from now on; it is erased after `seconds`, or
    a request's usual time. `candidates` are offered, and hide nothing."""
    shown, offered = list(meant), list(candidates)
    Target.objects.bulk_create(
        [_target(request, mention, is_hidden=True) for mention in shown]
        + [_target(request, mention, is_hidden=False) for mention in offered]
    )
    if shown:
        request.state = ForgetRequest.State.HIDDEN
        wait = settings.FORGET_REQUEST_SECONDS if seconds is None else seconds
        request.erase_at = tx.now + timedelta(seconds=wait)
        request.save(update_fields=["state", "erase_at"])
    follow(Kind.FORGET, [request.pk])
    record(tx, "memory.forget_requested", request, hidden=len(shown), candidates=len(offered))


def add(request: ForgetRequest, meant: Iterable[Mention]) -> None:
    """What the request hides besides, as far as it does not yet."""
    known = set(map(_key, request.targets.filter(is_hidden=True)))
    rows = [_target(request, mention, is_hidden=True) for mention in meant]
    Target.objects.bulk_create(row for row in rows if _key(row) not in known)


def _key(row: Target) -> tuple[object, ...]:
    return row.kind, row.fact_id, row.file_id, row.fingerprint, row.message_id, row.first


def undo(tx: Transaction, request: ForgetRequest, by: User | None = None) -> None:
    """All that it hid is there again. Raises NothingToUndo."""
    request = still_open(request)
    close(tx, request, ForgetRequest.State.UNDONE, by)
    record(tx, "memory.forget_undone", request)


def close(
    tx: Transaction,
    request: ForgetRequest,
    state: ForgetRequest.State,
    by: User | None,
    erase_at: datetime | None = None,
) -> None:
    request.state, request.erase_at = state, erase_at
    request.decided_at, request.decided_by = tx.now, by
    request.save(update_fields=["state", "erase_at", "decided_at", "decided_by"])
    follow(Kind.FORGET, [request.pk])


def locked(request: ForgetRequest) -> ForgetRequest:
    return ForgetRequest.objects.select_for_update(of=("self",)).get(pk=request.pk)


def still_open(request: ForgetRequest) -> ForgetRequest:
    """Locked. Raises NothingToUndo: it was decided, or a run has begun to take its text out."""
    request = locked(request)
    if request.state not in ForgetRequest.HIDING or request.run_id:
        raise NothingToUndo
    return request


def _target(request: ForgetRequest, mention: Mention, *, is_hidden: bool) -> Target:
    team_id, columns = request.team_id, columns_of(mention)
    return Target(team_id=team_id, request=request, is_hidden=is_hidden, **columns)


def record(tx: Transaction, action: str, request: ForgetRequest, **details: int) -> None:
    tx.record(
        action,
        target_kind="forget_request",
        target_id=str(request.pk),
        agent_id=request.agent_id,
        on_behalf_of=request.owner_id,
        details={"via": str(request.via), **details},
    )
