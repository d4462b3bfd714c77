"""Which rows with an owner a caller may list, and whose texts it may read."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.agents.models import Owner
from memoryweb.api import acting_owner
from memoryweb.api.auth import Caller


@dataclass(frozen=True)
class Visibility:
    """`owners` whose rows may be listed, and `texts` whose text is shown; None: everyone's."""

    owners: frozenset[UUID] | None
    texts: frozenset[UUID] | None
    shared: bool = True

    def rows(self, owner: str = "owner") -> Q:
        """The filter for rows that have that field."""
        if self.owners is None:
            return Q()
        listed = Q(**{f"{owner}__in": self.owners})
        if self.shared:
            listed |= Q(**{owner: None}) | Q(**{f"{owner}__source": "system"})
        return listed

    def readable(self) -> Q:
        """The filter for rows whose text is shown."""
        return Visibility(self.texts, self.texts, self.shared).rows()

    def shows(self, owner: Owner | None) -> bool:
        if owner is None or owner.is_system:
            return True
        return self.texts is None or owner.pk in self.texts


def seen_by(caller: Caller, owner: str | None) -> Visibility:
    """What `owner=` narrows to; without it a person sees what the role allows (SPEC §1).

    An integration has to name an owner, unless an admin let it read across owners.
    """
    across = caller.integration is not None and Scope.PERSONAL_READ in caller.scopes
    if owner is None and across:
        acting_owner.record_reading(caller, None)
        return Visibility(None, None)
    if owner is not None or caller.integration:
        return of_owner(acting_owner.asked(caller, owner))
    mine = frozenset(caller.team.owners.filter(person=caller.user).values_list("pk", flat=True))
    if caller.may(Permission.SEE_OWNERS):
        return Visibility(None, mine)
    return Visibility(mine, mine)


def of_one(caller: Caller, owner: str | None, named: QuerySet[Any]) -> Visibility:
    """For a row that an id names: an integration need not say whose it is."""
    if owner or caller.integration is None or Scope.PERSONAL_READ in caller.scopes:
        return seen_by(caller, owner)
    row = named.select_related("owner").first()
    its = row.owner if row else None
    return of_owner(its if its and acting_owner.within_reach(caller, its.source) else None)


def of_owner(owner: Owner | None) -> Visibility:
    if owner is None:
        return Visibility(frozenset(), frozenset())
    return Visibility(frozenset({owner.pk}), frozenset({owner.pk}), shared=False)
