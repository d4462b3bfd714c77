"""Owners: whom the team's agents remember. Outcome and counts only, never text."""

from ninja import Query

from memoryweb.api.auth import Request, Right
from memoryweb.api.pagination import page
from memoryweb.api.query_parameters import Paging
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Id, IdOrNull, Items, Moment

router = Router(tags=["Owners"])


class OwnerOut(Camel):
    """`owner` is the form that `owner=` takes."""

    id: Id
    owner: str
    source: str
    person_id: IdOrNull
    paused: bool
    created_at: Moment


@router.operation(
    "GET", "/owners", Items[OwnerOut], "List the owners of the team", takes=Right.SEE_OWNERS
)
def list_owners(request: Request, paging: Query[Paging]) -> Items[OwnerOut]:
    rows = request.auth.team.owners.select_related("integration")
    found = page(rows, ["created_at", "id"], paging.cursor, paging.limit)
    return Items[OwnerOut](
        items=[
            OwnerOut.of(row, owner=row.shown_as, source=row.source.partition(":")[0])
            for row in found.rows
        ],
        cursor=found.cursor,
    )
