"""Which files enter the prompt, in order: moving one of them. Pure."""

from collections.abc import Sequence

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


def put_before(order: Sequence[tuple[str, bool]], path: str, before: str) -> Order:
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
