"""Who wrote which line of a file, now or at any revision."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from memoryweb.conversations.models import Conversation
from memoryweb.web.access import TeamRequest, find_file, find_shelf, team_view
from memoryweb.web.authors import Author, author_of
from memoryweb.web.htmx import show
from memoryweb.web.paging import page
from memoryweb.web.parameters import number_of
from memoryweb.workspace.models import File
from memoryweb.workspace.revisions import blame_of, content_of, history_of, messages_behind


@dataclass(frozen=True)
class Line:
    number: int
    text: str
    revision: int
    talk: Conversation | None


@dataclass(frozen=True)
class Stretch:
    """Lines one below the other that one revision brought."""

    revision: int
    author: Author | None
    lines: Sequence[Line]


@require_GET
@team_view()
def blame(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    shelf = find_shelf(request, agent_id)
    file = find_file(request, shelf, path, deleted=True)
    at = number_of(request, "at", file.revision)
    revision = get_object_or_404(history_of(file), number=at)
    shown = page(request, _lines(file, at), size=500)
    context = {
        "agent": shelf.agent,
        "tab": "files",
        "shelf": shelf,
        "file": file,
        "revision": revision,
        "author": author_of(request, revision),
        "is_current": at == file.revision,
        "page": shown,
        "stretches": _stretches(request, file, shown.items),
    }
    return show(request, "files/blame.html", context)


def _lines(file: File, at: int) -> list[Line]:
    """A blank line goes with the one above it."""
    texts = content_of(file, at).split("\n")
    if texts[-1] == "":
        texts.pop()
    talks = _talks(file) if at == file.revision else {}
    lines: list[Line] = []
    for number, (text, brought) in enumerate(zip(texts, blame_of(file, at), strict=False), 1):
        if not text.strip() and lines:
            brought = lines[-1].revision
            talk = lines[-1].talk
        else:
            talk = talks.get(number)
        lines.append(Line(number, text, brought, talk))
    return lines


def _talks(file: File) -> dict[int, Conversation]:
    origins = messages_behind(file).items()
    return {line: origin.message.conversation for line, origin in origins if origin.message}


def _stretches(request: TeamRequest, file: File, lines: Sequence[Line]) -> list[Stretch]:
    numbers = {line.revision for line in lines}
    revisions = {one.number: one for one in history_of(file).filter(number__in=numbers)}
    found = []
    for (number, talk), group in groupby(lines, key=lambda line: (line.revision, line.talk)):
        revision = revisions.get(number)
        author = author_of(request, revision, talk) if revision else None
        found.append(Stretch(number, author, list(group)))
    return found
