"""What a model says of the conversation in `talking`, and files to say it about."""

from typing import Any

from memoryweb.agents.models import Owner
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.world import World

NOTE = "memory/2026-03-01.md"
CARLA = "Ann's sister Carla plays the cello."


def answer(**fields: Any) -> dict[str, Any]:
    return {
        "should_update": True,
        "reason": "Carla was named.",
        "lines": [{"text": CARLA, "messageIds": ["t4"], "durable": True}],
    } | fields


def put(world: World, path: str, content: str, *, by: AuthorKind = AuthorKind.SYSTEM) -> File:
    user = world.alice if by is AuthorKind.PERSON else None
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, path)
        return write(tx, place, content, writer=Writer(by, user=user)).file


def workspace(owner: Owner) -> dict[str, str]:
    return dict(File.objects.filter(owner=owner).values_list("path", "raw_content"))
