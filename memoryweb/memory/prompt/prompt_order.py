"""Which files enter the prompt, and in which order."""

from collections.abc import Sequence

from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.record import target
from memoryweb.memory.models import File, FileQuerySet
from memoryweb.memory.models.refusals import FileMissing
from memoryweb.memory.models.writer import Transaction


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
    order = switched(_order(file), file.path, enabled=enabled)
    arrange(tx, file.agent, file.owner, order)


def step(tx: Transaction, file: File, by: int) -> None:
    """Move a file up (negative) or down in the prompt. Raises FileMissing."""
    arrange(tx, file.agent, file.owner, stepped(_order(file), file.path, by))


def put_before(tx: Transaction, file: File, before: str) -> None:
    """Move a file right before another in the prompt; "" is the end. Raises FileMissing."""
    arrange(tx, file.agent, file.owner, placed_before(_order(file), file.path, before))


def _order(file: File) -> list[tuple[str, bool]]:
    """As it is now, and the file in it. Raises FileMissing."""
    order = [(one.path, one.enabled) for one in _ordered(file.agent, file.owner)]
    if file.path not in dict(order):
        raise FileMissing(file.path)
    return order


def _ordered(agent: Agent, owner: Owner | None) -> FileQuerySet:
    reach = File.objects.of(agent.pk, owner.pk if owner else None).present()
    return reach.only("path", "enabled", "sort_order", "team").order_by("sort_order", "folded_path")


Order = list[tuple[str, bool]]  # path, enabled; as `sort_order` has them


def switched(order: Sequence[tuple[str, bool]], path: str, *, enabled: bool) -> Order:
    """A file keeps its place while it is switched off and on again."""
    return [(name, enabled if name == path else was) for name, was in order]


def stepped(order: Sequence[tuple[str, bool]], path: str, step: int) -> Order:
    """An enabled file `step` places up (negative) or down among the enabled ones."""
    names = _enabled(order)
    if path not in names:
        return list(order)
    at = names.index(path)
    names.remove(path)
    names.insert(max(0, at + step), path)
    return _filled(order, names)


def placed_before(order: Sequence[tuple[str, bool]], path: str, before: str) -> Order:
    """An enabled file right before another; at the end where there is no such other."""
    names = _enabled(order)
    if path not in names or path == before:
        return list(order)
    names.remove(path)
    names.insert(names.index(before) if before in names else len(names), path)
    return _filled(order, names)


def _enabled(order: Sequence[tuple[str, bool]]) -> list[str]:
    return [name for name, enabled in order if enabled]


def _filled(order: Sequence[tuple[str, bool]], names: Sequence[str]) -> Order:
    """The enabled names anew in the places that enabled ones had."""
    rest = iter(names)
    return [(next(rest), True) if enabled else (name, False) for name, enabled in order]
