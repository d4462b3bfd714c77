"""The tool `write_memory`, for workflows: one text, four ways of bringing it into a file."""

from ninja import Router, Status
from pydantic import Field

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.api.auth import Request
from memoryweb.api.operations import operation
from memoryweb.api.schemas import Screened
from memoryweb.api.tools import AGENT_ID, BASE, HASH, FileCall, answered, writer_of, writing
from memoryweb.memory import section_writing as door
from memoryweb.memory.section_writing import Step, Strategy
from memoryweb.memory.transaction import unit

router = Router(tags=["Tools"])


class WriteMemory(FileCall):
    """`append` and `overwrite` take `content`; `replace_section` takes `heading` and `content`;
    `upsert_kv` takes `key`, `value` and, if it shall stand under one, `heading`."""

    strategy: Strategy
    content: str | None = Field(None, description="Markdown.")
    heading: str = Field(
        "",
        max_length=door.HEADING,
        description="`Plans`, or `## Plans` to name the level. A new one comes at the end; of two "
        "with one name, neither is taken.",
        examples=["Plans"],
    )
    key: str = Field("", max_length=door.KEY, examples=["Check-in"])
    value: str | None = Field(None, max_length=8000, examples=["from 15:00"])


class WroteMemory(Screened):
    agent_id: str
    filename: str
    strategy: Strategy
    sha256: str
    changed: bool


@router.post(
    BASE + "/write_memory",
    **operation(
        WroteMemory,
        also={202: WroteMemory},
        leaves_out_unset=True,
        summary="Append, replace a section, set a value, or overwrite",
        takes=(Permission.WRITE, Scope.MEMORY_WRITE),
        example={
            "agentId": AGENT_ID,
            "filename": "MEMORY.md",
            "strategy": "upsert_kv",
            "sha256": HASH,
            "changed": True,
        },
        body={
            "endUserId": "42",
            "filename": "MEMORY.md",
            "strategy": "upsert_kv",
            "heading": "House rules",
            "key": "Check-in",
            "value": "from 15:00",
        },
        errors=(409,),
    ),
)
def write_memory(request: Request, agent_id: str, body: WriteMemory) -> Status[WroteMemory]:
    acting = writing(request, agent_id, body)
    step = Step(body.strategy, body.content, body.heading, body.key, body.value)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        writer = writer_of(request.auth, acting)
        answer = door.write_memory(work, acting, body.filename, step, writer=writer)
    return answered(WroteMemory(**answer))
