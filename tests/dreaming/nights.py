"""Notes of a night, the dream over them, and what a model would say."""

from datetime import date
from typing import Any

from memoryweb.agents.models import Owner
from memoryweb.dreaming import schedule
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.world import World

NIGHT = date(2026, 11, 20)
MACHINE = Writer(AuthorKind.EXTRACTION, is_vouched=True)
TOOL = Writer(AuthorKind.AGENT)  # of a member: what it notes for all comes from inside the team


def note(
    world: World,
    owner: Owner | None,
    day: date,
    *texts: str,
    durable: bool = True,
    writer: Writer | None = None,
) -> File:
    lines = [NewLine(f"- 09:00 {t}", Origin(durable=durable)) for t in texts]
    with write_transaction(world.team) as tx:
        place = Place(world.agent, owner, f"memory/{day.isoformat()}.md")
        by = writer or (MACHINE if owner else TOOL)
        return write.append(tx, place, lines, writer=by).file


def memory(world: World, owner: Owner | None, text: str, writer: Writer = MACHINE) -> File:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, owner, "MEMORY.md")
        return write.write(tx, place, text, writer=writer).file


def dream(world: World, owner: Owner | None, night: date = NIGHT) -> Run:
    with write_transaction(world.team) as tx:
        run = schedule.request_night(tx, Memory(world.agent, owner), night, trigger="command").run
    engine.work(run.pk)
    return Run.objects.get(pk=run.pk)


def text_of(world: World, owner: Owner | None, *paths: str) -> str:
    """What stands in these files, else in those that dreams write statements into."""
    files = File.objects.of(world.agent.pk, owner.pk if owner else None).present()
    wanted = paths or (("PROFILE.md", "MEMORY.md") if owner else ("MEMORY.md",))
    found = {one.path: one.raw_content for one in files.filter(path__in=wanted)}
    return "".join(found[path] for path in wanted if path in found)


def answer(*operations: dict[str, Any], diary: str = "I read the notes.") -> dict[str, Any]:
    return {"operations": list(operations), "reason": "There is something new.", "diary": diary}


def add(text: str, *sources: str) -> dict[str, Any]:
    return {"op": "add", "text": text, "sources": list(sources or ["n1"])}
