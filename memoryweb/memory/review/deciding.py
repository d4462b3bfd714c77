"""Who decides about what waits, and what is forgotten: asked of one memory, or as a filter."""

from collections.abc import Collection, Iterable
from uuid import UUID

from django.db.models import Q

from memoryweb.accounts.permissions import Permission, Role, can

_NOBODY = UUID(int=0)


def may_decide(
    role: Role | str | None,
    takes: Permission = Permission.DECIDE,
    *,
    is_shared: bool,
    is_theirs: bool = False,
    is_opened: bool = False,
) -> bool:
    """Of shared memory whose role has the right; of personal memory whose it is, and for whom it
    is opened, who neither writes nor forgets for another."""
    if is_shared:
        return can(role, takes)
    return is_theirs or (is_opened and takes == Permission.DECIDE)


def reach_of(
    rights: Collection[Permission],
    own: Iterable[UUID],
    opened: Iterable[UUID],
    owner: str,
    takes: Permission,
) -> Q:
    """The same as a filter for rows with that field."""
    owners = (*own, *opened) if takes == Permission.DECIDE else tuple(own)
    # With none Django leaves the filter out, and what is prepared misses its values.
    reach = Q(**{f"{owner}__in": owners or (_NOBODY,)})
    if takes in rights:
        reach |= Q(**{owner: None}) | Q(**{f"{owner}__source": "system"})
    return reach
