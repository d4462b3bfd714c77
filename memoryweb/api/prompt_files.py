"""Which files enter the prompt, and in which order."""

from typing import Annotated, Any

from django.utils.translation import gettext as _
from ninja import Query
from pydantic import ConfigDict, Field, model_validator

from memoryweb.agents.models import Agent, Owner
from memoryweb.api import acting_owner
from memoryweb.api.auth import Request, Right
from memoryweb.api.exceptions import Invalid
from memoryweb.api.files import files_of
from memoryweb.api.query_parameters import OwnerQuery
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Flag, Items, RequestBody
from memoryweb.memory.models.refusals import FileMissing
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.prompt import arrange
from memoryweb.memory.writing.matrix import check_arranging

router = Router(tags=["Files"])

PATH = "/agents/{agent_id}/workspace/prompt-files"


class PromptFile(Camel):
    filename: str
    enabled: bool
    sort_order: int
    owner: str


def _or_a_name(schema: dict[str, Any]) -> None:
    described = dict(schema)
    schema.clear()
    schema["anyOf"] = [described, {"type": "string", "maxLength": 256}]


class PromptFilePlace(RequestBody):
    """A name alone is a file that is injected."""

    model_config = ConfigDict(json_schema_extra=_or_a_name)

    filename: str = Field(max_length=256)
    enabled: Flag

    @model_validator(mode="before")
    @classmethod
    def _of_a_name(cls, value: object) -> object:
        return {"filename": value, "enabled": True} if isinstance(value, str) else value


class PromptFileOrder(RequestBody):
    """The files in their order. Files that are left out keep their switch and go to the end."""

    files: Annotated[list[PromptFilePlace], Field(max_length=1000)]


@router.operation("GET", PATH, Right.READ)
def list_prompt_files(
    request: Request, agent_id: str, query: Query[OwnerQuery]
) -> Items[PromptFile]:
    """List the files in their order."""
    return _items(*acting_owner.readable(request.auth, agent_id, query.owner))


@router.operation("PUT", PATH, Right.WRITE_OWN)
def arrange_prompt_files(
    request: Request, agent_id: str, query: Query[OwnerQuery], body: PromptFileOrder
) -> Items[PromptFile]:
    """Set which files are in the prompt, and their order."""
    agent, owner = acting_owner.writable(request.auth, agent_id, query.owner)
    check_arranging(request.auth.writer)
    order = [(position.filename, position.enabled) for position in body.files]
    if len(dict(order)) != len(order):
        raise Invalid("files", _("List each file only once."))
    try:
        with write_transaction(request.auth.team, actor=request.auth.actor) as work:
            arrange(work, agent, owner, order)
    except FileMissing as missing:
        raise Invalid("files", str(missing)) from None
    return _items(agent, owner)


def _items(agent: Agent, owner: Owner | None) -> Items[PromptFile]:
    present = files_of(agent, owner).present().order_by("sort_order", "folded_path")
    return Items[PromptFile](
        items=[
            PromptFile.of(file, filename=file.path, owner=acting_owner.shown(owner))
            for file in present
        ]
    )
