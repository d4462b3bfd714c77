"""What owners, authors and triggers are called on pages, and the links behind an author."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Owner
from memoryweb.memory.lines.history import Said
from memoryweb.memory.models import Conversation, LineOrigin, Revision
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.writer import Writer
from memoryweb.runs.models import Run
from memoryweb.web.access import TeamRequest, Visit
from memoryweb.web.htmx import to
from memoryweb.web.wording import happened_at


@dataclass(frozen=True)
class Choice:
    """A plain link that is one of several ways to see the same page."""

    label: str | Promise
    url: str
    is_current: bool


def owner_name(visit: Visit, owner: Owner | None) -> str:
    if owner is None or owner.is_system:
        return _("Shared")
    if owner.pk in visit.mine or owner == visit.me:
        return (
            _("Mine")
            if owner.source == "user"
            else _("Mine ({as})").replace("{as}", owner.shown_as)
        )
    return owner_title(owner)


def owner_title(owner: Owner) -> str:
    if owner.source == "user" and owner.person:
        return str(owner.person)
    return owner.shown_as


def owner_query(visit: Visit, owner_id: UUID | None) -> str:
    """Keeps the owner in a link to a file; empty for shared memory."""
    if owner_id is None:
        return ""
    return "?owner=me" if owner_id == visit.me.pk else f"?owner={owner_id}"


def author_name(row: Revision | LineOrigin) -> str:
    """`Alice Berg`, `Alice Berg (token “cli”)`, `Dream`, `Extraction`."""
    if row.author_kind == AuthorKind.PERSON and row.user:
        wrote = row if isinstance(row, Revision) else row.root
        if wrote is None or wrote.token is None:
            return str(row.user)
        return _("{person} (token “{name}”)").format(person=row.user, name=wrote.token.name)
    if isinstance(row, Revision) and row.integration:
        return f"{row.get_author_kind_display()} · {row.integration.name}"
    return str(row.get_author_kind_display())


def trigger_name(run: Run) -> str:
    if run.trigger == Run.Trigger.PERSON and run.user:
        return str(run.user)
    if run.trigger == Run.Trigger.API and (run.integration or run.user):
        return _("API, {name}").format(name=run.integration or run.user)
    return str(run.get_trigger_display())


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
    return talk_url(request, talk, said.position if said else None)


def talk_url(request: TeamRequest, talk: Conversation, position: int | None = None) -> str:
    """A conversation, at one of its messages."""
    place = f"?message={position}#m{position}" if position else ""
    return to(request, "agents_conversation", talk.agent_id, talk.pk, query=place)


def _run_url(request: TeamRequest, run: Run | None) -> str:
    visit = request.visit
    if run is None or not (visit.is_common(run.owner_id) or visit.can(Permission.SEE_OWNERS)):
        return ""
    return to(request, "agents_run", run.pk)
