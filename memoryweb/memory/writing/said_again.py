"""What a person says once more after they asked to forget it is theirs to have remembered."""

from collections.abc import Mapping
from datetime import datetime

from memoryweb.memory.models import Request
from memoryweb.memory.models.review_items import Kind, follow
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.visible.text_matching import says
from memoryweb.memory.writing.new_copies import hidden_texts
from memoryweb.memory.writing.tombstones import Buried


def lifted(tx: Transaction, buried: Buried, anew: Mapping[str, datetime]) -> Buried:
    """Their own words and when they said them: what was erased before it is kept out no longer,
    and what is hidden since before it is offered instead."""
    if buried.is_hiding and anew:
        _offer(tx, buried, anew)
    return buried.lifted(anew.items(), tx.now)


def _offer(tx: Transaction, buried: Buried, anew: Mapping[str, datetime]) -> None:
    for request, texts in hidden_texts(buried.agent_id, buried.owner_id).items():
        later = (said for said, at in anew.items() if at > request.created_at)
        again = [said for said in later if any(_states(said, one) for one in texts)]
        keys = {pk for one in texts if any(says(one, said) for said in again) for pk in texts[one]}
        if not keys or request.run_id or request.is_everything:
            continue
        request.targets.filter(pk__in=keys).update(is_hidden=False)
        if keys == {pk for found in texts.values() for pk in found}:
            request.state, request.erase_at, request.decided_at = Request.State.OPEN, None, tx.now
            request.save(update_fields=["state", "erase_at", "decided_at"])
        follow(Kind.FORGET, [request.pk])
        tx.record(
            "memory.forget_undone",
            target_kind="forget_request",
            target_id=str(request.pk),
            agent_id=request.agent_id,
            on_behalf_of=request.owner_id,
            details={"via": str(request.via), "said_again": len(keys)},
        )


def _states(said: str, hidden: str) -> bool:
    """A question that has its words, or a complaint, is no such statement."""
    is_asked = said.rstrip().endswith(("?", "？"))
    return not is_asked and says(said, hidden) and says(hidden, said)
