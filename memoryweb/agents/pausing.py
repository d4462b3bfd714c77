"""Pausing an owner's memory: nothing is kept and nothing injected until it is resumed."""

from django.db import transaction

from memoryweb.agents.models import Owner
from memoryweb.audit.record import Actor, Entry, lock, record, target


@transaction.atomic
def set_paused(*, owner: Owner, paused: bool, by: Actor) -> bool:
    """Says whether anything changed."""
    lock(owner.team_id)
    changed = Owner.objects.filter(pk=owner.pk, paused=not paused).update(paused=paused)
    if changed:
        owner.paused = paused
        record(
            owner.team_id,
            Entry(
                action="owner.paused" if paused else "owner.resumed",
                actor=by,
                **target(owner),
                on_behalf_of=owner.pk,
            ),
        )
    return bool(changed)
