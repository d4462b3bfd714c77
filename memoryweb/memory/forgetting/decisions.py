"""What a person decides about a request to forget: take it back, keep what it offers, or erase."""

from collections.abc import Collection
from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.models import User
from memoryweb.memory.forgetting import erasing, hiding
from memoryweb.memory.models import ForgetRequest
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.review import Kind, follow
from memoryweb.memory.models.writer import Transaction
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
