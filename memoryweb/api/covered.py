"""Texts of files as an API caller may read them: a person's token sees what a browser shows, an
integration's what a tool gives. What is written with a person's token is that person's word."""

from memoryweb.api.auth import Caller
from memoryweb.memory.marking import covering
from memoryweb.workspace.models import File


def now(caller: Caller, file: File) -> str:
    return covering.shown(file) if caller.integration else file.content


def then(caller: Caller, file: File, content: str) -> str:
    """An earlier text of the file, or one that was proposed for it."""
    return covering.shown_then(file, content) if caller.integration else content
