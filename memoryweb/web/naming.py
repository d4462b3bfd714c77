"""How owners, authors and triggers are called on pages."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from memoryweb.agents.models import Owner
from memoryweb.provenance.models import LineOrigin
from memoryweb.runs.models import Run
from memoryweb.web.access import Visit
from memoryweb.workspace.models import AuthorKind, Revision

MACHINES = {AuthorKind.DREAM, AuthorKind.EXTRACTION, AuthorKind.AGENT, AuthorKind.IMPORT}


@dataclass(frozen=True)
class Choice:
    """A plain link that is one of several ways to see the same page."""

    label: str | Promise
    url: str
    is_current: bool


def owner_name(visit: Visit, owner: Owner | None) -> str:
    if owner is None or owner.source == "system":
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


def author_name(row: Revision | LineOrigin) -> str:
    """`Alice Berg`, `Dream`, `Extraction`."""
    if row.author_kind == AuthorKind.PERSON and row.user:
        return str(row.user)
    if isinstance(row, Revision) and row.integration:
        return f"{row.get_author_kind_display()} · {row.integration.name}"
    return str(row.get_author_kind_display())


def trigger_name(run: Run) -> str:
    if run.trigger == Run.Trigger.PERSON and run.user:
        return str(run.user)
    if run.trigger == Run.Trigger.API and (run.integration or run.user):
        return _("API, {name}").format(name=run.integration or run.user)
    return str(run.get_trigger_display())
