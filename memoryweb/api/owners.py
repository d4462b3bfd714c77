"""Owners: whom the team's agents remember. Outcome and counts only, never text."""

from ninja import Query, Router

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.api.auth import Request
from memoryweb.api.cursors import page
from memoryweb.api.operations import Paging, operation
from memoryweb.api.schemas import Camel, Items, Moment

router = Router(tags=["Owners"])

EXAMPLE = {
    "id": "b1a7ce06-2a7f-4a4e-a1c5-3d3a7f5c9e10",
    "owner": "api:helpdesk/42",
    "source": "api",
    "personId": None,
    "paused": False,
    "createdAt": "2026-11-02T10:00:00Z",
}


class OwnerOut(Camel):
    """`owner` is the form that `owner=` takes."""

    id: str
    owner: str
    source: str
    person_id: str | None
    paused: bool
    created_at: Moment


@router.get(
    "/owners",
    **operation(
        Items[OwnerOut],
        summary="List the owners of the team",
        takes=(Permission.SEE_OWNERS, Scope.MEMORY_READ),
        example={"items": [EXAMPLE], "cursor": None},
    ),
)
def list_owners(request: Request, paging: Query[Paging]) -> Items[OwnerOut]:
    request.auth.require(Permission.SEE_OWNERS, Scope.MEMORY_READ)
    rows = request.auth.team.owners.select_related("integration")
    found = page(rows, ["created_at", "id"], paging.cursor, paging.limit)
    return Items[OwnerOut](
        items=[
            OwnerOut(
                id=str(owner.pk),
                owner=owner.shown_as,
                source=owner.source.partition(":")[0],
                person_id=str(owner.person_id) if owner.person_id else None,
                paused=owner.paused,
                created_at=owner.created_at,
            )
            for owner in found.rows
        ],
        cursor=found.cursor,
    )
