"""Which files enter the prompt, and in which order."""

from collections.abc import Sequence

from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.record import target
from memoryweb.memory.models import File, FileQuerySet
from memoryweb.memory.models.refusals import FileMissing
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.prompt import positions


def arrange(
    tx: Transaction, agent: Agent, owner: Owner | None, order: Sequence[tuple[str, bool]]
) -> None:
    """Set the switch and the place of these files; the others follow as they were.

    Raises FileMissing.
    """
    files = {file.path: file for file in _ordered(agent, owner)}
    wanted = dict(order)
    for path in wanted:
        if path not in files:
            raise FileMissing(path)
    changed = []
    for position, path in enumerate([*wanted, *(path for path in files if path not in wanted)]):
        file = files[path]
        enabled = wanted.get(path, file.enabled)
        if (file.sort_order, file.enabled) != (position, enabled):
            file.sort_order, file.enabled = position, enabled
            changed.append(file)
    if not changed:
        return
    File.objects.bulk_update(changed, ["enabled", "sort_order"], batch_size=200)
    tx.record("prompt.changed", **target(agent))


def switch(tx: Transaction, file: File, *, enabled: bool) -> None:
    """Put a file into the prompt, or take it out. Raises FileMissing."""
    order = positions.switched(_order(file), file.path, enabled=enabled)
    arrange(tx, file.agent, file.owner, order)


def step(tx: Transaction, file: File, by: int) -> None:
    """Move a file up (negative) or down in the prompt. Raises FileMissing."""
    arrange(tx, file.agent, file.owner, positions.stepped(_order(file), file.path, by))


def put_before(tx: Transaction, file: File, before: str) -> None:
    """Move a file right before another in the prompt; "" is the end. Raises FileMissing."""
    arrange(tx, file.agent, file.owner, positions.put_before(_order(file), file.path, before))


def _order(file: File) -> list[tuple[str, bool]]:
    """As it is now, and the file in it. Raises FileMissing."""
    order = [(one.path, one.enabled) for one in _ordered(file.agent, file.owner)]
    if file.path not in dict(order):
        raise FileMissing(file.path)
    return order


def _ordered(agent: Agent, owner: Owner | None) -> FileQuerySet:
    reach = File.objects.of(agent.pk, owner.pk if owner else None).present()
    return reach.only("path", "enabled", "sort_order", "team").order_by("sort_order", "folded_path")
