"""Texts of files as an API caller may read them: a person's token sees what a browser shows, an
integration's what a tool gives. What is written with a person's token is that person's word."""

from memoryweb.agents.models import Agent, Owner
from memoryweb.api.auth import Caller
from memoryweb.markdown.paths import fold
from memoryweb.memory.models import File
from memoryweb.memory.snapshots import Item
from memoryweb.memory.visible import placeholders

SHOWN_LINES = 400  # of one file's diff


def now(caller: Caller, file: File) -> str:
    return placeholders.shown(file) if caller.is_program else placeholders.for_people(file)


def then(caller: Caller, file: File, content: str) -> str:
    """An earlier text of the file, or one that was proposed for it."""
    if caller.is_program:
        return placeholders.shown_then(file, content)
    return placeholders.for_people(file, content)


def diff(caller: Caller, agent: Agent, owner: Owner | None, item: Item) -> str:
    """What an import would change in a file."""
    text = item.diff(SHOWN_LINES)
    files = agent.files.of(agent.pk, owner.pk if owner else None).present()
    file = files.filter(folded_path=fold(item.path)).first()
    is_program = caller.is_program
    return placeholders.shown_in_diff(file, text, is_program=is_program) if file else text
