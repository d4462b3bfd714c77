"""Who wrote a revision or a line: kind in words, name, and the run and the talk behind it."""

from dataclasses import dataclass
from datetime import datetime

from memoryweb.accounts.permissions import Permission
from memoryweb.conversations.models import Conversation
from memoryweb.provenance.authorship import Said
from memoryweb.provenance.writers import Writer
from memoryweb.runs.models import Run
from memoryweb.web.access import TeamRequest
from memoryweb.web.htmx import to
from memoryweb.web.naming import author_name
from memoryweb.web.wording import happened_at
from memoryweb.workspace.models import AuthorKind, Revision


def writer_of(request: TeamRequest) -> Writer:
    """Whoever is signed in, as the one who writes."""
    return Writer(AuthorKind.PERSON, user=request.user)


@dataclass(frozen=True)
class Author:
    """`kind` names the shape. A link is empty where the reader may not follow it."""

    kind: str
    label: str
    name: str
    at: datetime
    run_url: str = ""
    talk_url: str = ""


def author_of(
    request: TeamRequest,
    revision: Revision,
    talk: Conversation | None = None,
    said: Said | None = None,
) -> Author:
    """`talk` is the conversation that a line came from, where it is known better, and `said` the
    message."""
    label = str(revision.get_author_kind_display())
    name = author_name(revision)
    return Author(
        kind=revision.author_kind,
        label=label,
        name="" if name == label else name.removeprefix(f"{label} · "),
        at=happened_at(revision),
        run_url=_run_url(request, revision.run),
        talk_url=message_url(request, talk or revision.conversation, said),
    )


def message_url(request: TeamRequest, talk: Conversation | None, said: Said | None) -> str:
    """Of the message, or of the whole conversation; empty where the reader may not see it."""
    if talk is None or not request.visit.reads(talk.owner_id):
        return ""
    place = f"?message={said.position}#m{said.position}" if said else ""
    return to(request, "agents_conversation", talk.agent_id, talk.pk, query=place)


def _run_url(request: TeamRequest, run: Run | None) -> str:
    visit = request.visit
    if run is None or not (visit.is_common(run.owner_id) or visit.can(Permission.SEE_OWNERS)):
        return ""
    return to(request, "agents_run", run.pk)
