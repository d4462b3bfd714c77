"""Where a line came from, step by step: the line, the note lines behind it, the messages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memoryweb.agents.models import Agent
from memoryweb.memory.lines.origins import origins_at
from memoryweb.memory.lines.revisions import line_now
from memoryweb.memory.models import File, LineOrigin, Message
from memoryweb.memory.visible.readable import Look, ReadableMessage, To, readable_messages
from memoryweb.runs.models import Run
from memoryweb.web.access import TeamRequest, note_read
from memoryweb.web.htmx import to
from memoryweb.web.wording import author_name, owner_query, talk_url

_DEPTH = 4


@dataclass(frozen=True)
class Step:
    """A line of a file, or a message. Without `text` it is not for this reader."""

    kind: str  # line | message | hidden | gone
    title: str = ""
    text: str = ""
    url: str = ""
    author: str = ""
    run: Run | None = None
    run_url: str = ""
    message: Message | None = None


def trace(request: TeamRequest, file: File, line: int) -> list[Step]:
    """From the line back to the messages; every step only if its text may be read. None where
    the file has no such line."""
    steps: list[Step] = []
    messages: dict[int, Message] = {}
    seen: set[tuple[str, int]] = set()
    places = [(file, line, file.revision)] if file.has_line(line) else []
    for _depth in range(_DEPTH):
        fresh = [p for p in places if (str(p[0].pk), p[1]) not in seen]
        if not fresh:
            break
        seen |= {(str(f.pk), at) for f, at, _rev in fresh}
        places = []
        look = Look(To.PAGE, files=[file for file, _at, _rev in fresh])
        for file, number, revision in fresh:
            text, at = line_now(file, number, revision)
            origins = origins_at(file, at) if at else []
            steps.append(_line(request, file, number, look.then(file, text), origins))
            messages |= {o.message.pk: o.message for o in origins if o.message}
            places += _sources(origins)
    said = readable_messages([*messages.values()], To.PAGE)
    both = zip(messages.values(), said, strict=True)
    return steps + [_message(request, message, readable) for message, readable in both]


def file_url(
    request: TeamRequest, file: File, line: int | None = None, *, agent: Agent | None = None
) -> str:
    """Global files are read beside an agent; without one, in their own team."""
    anchor = f"#L{line}" if line else ""
    if agent and file.agent_id != agent.pk:
        return to(request, "agents_global", agent.pk, file.path, query=anchor)
    query = owner_query(request.visit, file.owner_id)
    return to(request, "agents_file", file.agent_id, file.path, query=query + anchor)


def _sources(origins: Iterable[LineOrigin]) -> list[tuple[File, int, int]]:
    return [
        (o.source_file, o.source_line, o.source_revision or o.source_file.revision)
        for o in origins
        if o.source_file and o.source_line
    ]


def _line(
    request: TeamRequest, file: File, line: int, text: str, origins: Sequence[LineOrigin]
) -> Step:
    if not request.visit.reads(file.owner_id):
        return Step("hidden")
    note_read(request, file.owner, "file", file.pk)
    first = origins[0] if origins else None
    run = first.run if first else None
    return Step(
        "line",
        title=f"{file.path}:{line}",
        text=text,
        url=file_url(request, file, line),
        author=author_name(first) if first else "",
        run=run,
        run_url=to(request, "agents_run", run.pk) if run else "",
    )


def _message(request: TeamRequest, message: Message, readable: ReadableMessage) -> Step:
    conversation = message.conversation
    if not request.visit.reads(conversation.owner_id):
        return Step("hidden")
    note_read(request, conversation.owner, "conversation", conversation.pk)
    return Step(
        "message",
        title=message.name or message.get_role_display(),
        text=readable.shown,
        url=talk_url(request, conversation, message.position),
        message=message,
    )
