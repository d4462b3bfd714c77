import uuid
from collections.abc import Collection

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from memoryweb.accounts.exceptions import Ambiguous, NotFound
from memoryweb.accounts.models import Team
from memoryweb.accounts.names import checked_name
from memoryweb.audit.record import Actor, Entry, record


@transaction.atomic
def create_team(*, name: str, by: Actor, is_demo: bool = False) -> Team:
    """Raises NameRefused. Teams may share a name; the slug tells them apart."""
    name = checked_name(name, longest=120)
    team = Team.objects.create(name=name, slug=_free_slug(name), is_demo=is_demo)
    record(
        team.pk,
        Entry("team.created", by, target_kind="team", target_id=team.pk, labels={"name": name}),
    )
    return team


@transaction.atomic
def rename_team(*, team: Team, name: str, by: Actor) -> Team:
    """Raises NameRefused. The slug stays: addresses keep working."""
    name = checked_name(name, longest=120)
    if name != team.name:
        team.name = name
        team.save(update_fields=["name"])
        record(
            team.pk,
            Entry("team.changed", by, target_kind="team", target_id=team.pk, labels={"name": name}),
        )
    return team


def system_team() -> Team:
    """The built-in team: holds GLOBAL memory and the chain of what belongs to no team."""
    team, _made = Team.objects.get_or_create(
        is_system=True, defaults={"name": "System", "slug": "system"}
    )
    return team


def find(text: str) -> Team:
    """By slug, name or id. Raises NotFound, Ambiguous."""
    if team := Team.objects.filter(slug=text).first() or _by_id(text):
        return team
    named = list(Team.objects.filter(name__iexact=text).order_by("slug")[:10])
    if len(named) > 1:
        raise Ambiguous(
            _("Several teams are called “{name}”; use one of these slugs: {slugs}.").format(
                name=text, slugs=", ".join(team.slug for team in named)
            )
        )
    if not named:
        raise NotFound(_("There is no team “{name}”.").format(name=text))
    return named[0]


def names(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Every id's slug; the id itself for a team that is gone."""
    known = dict(Team.objects.filter(pk__in=ids).values_list("pk", "slug"))
    return {team_id: known.get(team_id, str(team_id)) for team_id in ids}


def _by_id(text: str) -> Team | None:
    try:
        return Team.objects.filter(pk=uuid.UUID(text)).first()
    except ValueError:
        return None


def _free_slug(name: str) -> str:
    slug = slugify(name)[:40].strip("-") or "team"
    if not Team.objects.filter(slug=slug).exists():
        return slug
    return f"{slug}-{uuid.uuid4().hex[:8]}"
