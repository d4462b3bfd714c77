"""What a person decides about a request to forget: take it back, keep what it offers, or erase."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _
from django_scopes import scope

from memoryweb.accounts.models import Team, User
from memoryweb.agents.models import Owner
from memoryweb.memory.forgetting import erasing, hiding
from memoryweb.memory.models import Conversation, ForgetRequest, Message
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.review import Kind, drop_empty, follow
from memoryweb.memory.models.writer import Transaction, write_transaction
from memoryweb.memory.visible.request_contents import tell


class NothingPicked(MemoryRefused):
    code = "nothing_picked"
    sentence = _("Tick what to forget, or keep it all.")


def erase(
    tx: Transaction,
    request: ForgetRequest,
    by: User | None,
    *,
    picked: Collection[str] = (),
    seconds: int = 0,
) -> ForgetRequest:
    """What it hides, and what is `picked` of its candidates; until `seconds` are over it can be
    undone. Raises NothingToUndo (decided before), NothingPicked, OnHold (by a legal hold)."""
    request = hiding.still_open(request)
    told = tell(request)
    ticked = {pk for content in told.candidates if content.id in picked for pk in content.targets}
    if not ticked and (seconds or not told.hidden):
        raise NothingPicked
    request.targets.filter(pk__in=ticked).update(is_hidden=True)
    hiding.record(tx, "memory.forget_decided", request, picked=len(ticked))
    if not seconds:
        erasing.erase_now(tx, request, by)
        return hiding.locked(request)
    until = request.erase_at or tx.now + timedelta(seconds=seconds)
    hiding.close(tx, request, ForgetRequest.State.HIDDEN, by, erase_at=until)
    return request


def keep(tx: Transaction, request: ForgetRequest, by: User | None) -> ForgetRequest:
    """Nothing is forgotten; what was hidden is there again. Raises NothingToUndo."""
    request = hiding.still_open(request)
    hiding.close(tx, request, ForgetRequest.State.KEPT, by)
    hiding.record(tx, "memory.forget_undone", request)
    return request


def undo(tx: Transaction, request: ForgetRequest, by: User | None) -> ForgetRequest:
    """Raises NothingToUndo."""
    hiding.undo(tx, request, by)
    request.refresh_from_db()
    return request


def reopen(tx: Transaction, request: ForgetRequest) -> None:
    """What a person decided of what was offered is undecided, and nothing is hidden for it.
    Raises NothingToUndo."""
    request = hiding.locked(request)
    if (
        request.state not in {ForgetRequest.State.HIDDEN, ForgetRequest.State.KEPT}
        or request.run_id
    ):
        raise hiding.NothingToUndo
    request.targets.update(is_hidden=False)
    request.state, request.erase_at = ForgetRequest.State.OPEN, None
    request.decided_at, request.decided_by = None, None
    request.save(update_fields=["state", "erase_at", "decided_at", "decided_by"])
    follow(Kind.FORGET, [request.pk])
    hiding.record(tx, "review.undone", request)


MESSAGES_A_TICK, OWNERS_A_TICK = 500, 5  # so that no tick holds up what writes


# How long a team keeps messages, and people who say nothing any more (SPEC §9).


def expire(now: datetime) -> None:
    """Once a minute, some of what is too old; nothing under a legal hold."""
    limited = Team.objects.filter(Q(messages_days__isnull=False) | Q(owners_days__isnull=False))
    for team in limited:
        with scope(team=team):
            _expire_messages(team, now)
            _expire_owners(team, now)


def _expire_messages(team: Team, now: datetime) -> None:
    """Those that were extracted, or never will be."""
    if team.messages_days is None:
        return
    before = now - timedelta(days=team.messages_days)
    read = Q(position__lte=F("conversation__extracted_upto")) | Q(conversation__waiting=False)
    old = Message.objects.filter(read, created_at__lt=before, team=team)
    for agent_id, owner_id in hiding.lasting_holds(team.pk).values_list("agent", "owner"):
        kept = Q() if agent_id is None else Q(conversation__agent=agent_id)
        kept &= Q() if owner_id is None else Q(conversation__owner=owner_id)
        old = old.exclude(kept) if kept else old.none()
    keys = list(old.order_by("pk").values_list("pk", flat=True)[:MESSAGES_A_TICK])
    if keys:
        with write_transaction(team) as tx:
            Message.objects.filter(pk__in=keys).delete()
            drop_empty()
            tx.record("memory.expired", details={"messages": len(keys)})


def _expire_owners(team: Team, now: datetime) -> None:
    """People who have said nothing for so long, with all that is kept about them."""
    if team.owners_days is None:
        return
    before = now - timedelta(days=team.owners_days)
    talks = Conversation.objects.filter(owner=OuterRef("pk"))
    recent = talks.annotate(at=Coalesce("last_message_at", "created_at")).filter(at__gte=before)
    asked = ForgetRequest.objects.filter(owner=OuterRef("pk"), is_everything=True)
    silent = team.owners.filter(created_at__lt=before).exclude(source__in=("system", "user"))
    for owner in silent.filter(~Exists(recent), ~Exists(asked))[:OWNERS_A_TICK]:
        _erase(team, owner)


def _erase(team: Team, owner: Owner) -> None:
    if not hiding.is_held(team.pk, None, owner.pk):
        with write_transaction(team) as tx:
            erasing.erase_owner(tx, owner)
