import uuid
from collections.abc import Collection
from functools import cache

from django.apps import apps
from django.db import models, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from memoryweb.accounts.exceptions import Ambiguous, NotDemo, NotFound
from memoryweb.accounts.models import Team, User, checked_name
from memoryweb.audit.record import Actor, Entry, erase_labels, lock, record, target

SYSTEM_SLUG = "system"


@transaction.atomic
def create_team(*, name: str, by: Actor, is_demo: bool = False) -> Team:
    """Raises NameRefused. Teams may share a name; the slug tells them apart."""
    name = checked_name(name, longest=120)
    team = Team.objects.create(name=name, slug=_free_slug(name), is_demo=is_demo)
    record(team.pk, Entry("team.created", by, **target(team), labels={"name": name}))
    return team


@transaction.atomic
def rename_team(*, team: Team, name: str, by: Actor) -> Team:
    """Raises NameRefused. The slug stays: addresses keep working."""
    name = checked_name(name, longest=120)
    if name != team.name:
        team.name = name
        team.save(update_fields=["name"])
        record(team.pk, Entry("team.changed", by, **target(team), labels={"name": name}))
    return team


@transaction.atomic
def set_limits(*, team: Team, by: Actor, **limits: int | None) -> Team:
    """Days that something is kept (None: for ever), the team's own limit of tokens a day, and what
    the operator allows (None: as every team)."""
    for name, limit in limits.items():
        setattr(team, name, limit)
    team.save(update_fields=[*limits])
    record(team.pk, Entry("team.changed", by, **target(team), details=limits))
    return team


@transaction.atomic
def remove_demo(*, team: Team, by: Actor) -> list[User]:
    """Delete the demo team, all that is of it and who is in no other team. Raises NotDemo.

    Its events stay as they are, their words emptied. Returns the people who are gone.
    """
    # Both chains in one order, as for a sign-in: two that hold one each would wait for ever.
    for team_id in sorted((team.pk, system_team().pk)):
        lock(team_id)
    if not Team.objects.filter(pk=team.pk, is_demo=True).exists():
        raise NotDemo
    gone = list(only_here(team))
    User.objects.filter(pk__in=[user.pk for user in gone]).delete()
    for model in _keyed_by_value():
        model._base_manager.filter(team_id=team.pk).delete()
    erase_labels(team.pk)
    removed = Entry(
        "team.removed",
        by,
        **target(team),
        labels={"name": team.name},
        details={"people": len(gone)},
    )
    team.delete()
    record(system_team().pk, removed)
    return gone


def only_here(team: Team) -> "models.QuerySet[User]":
    """The people of this team alone. A superuser belongs to the installation."""
    elsewhere = User.objects.filter(memberships__team__in=Team.objects.exclude(pk=team.pk))
    here = User.objects.filter(memberships__team=team, is_superuser=False)
    return here.exclude(pk__in=elsewhere.values("pk")).order_by("name", "pk")


def system_team() -> Team:
    """The built-in team: holds GLOBAL memory and the chain of what belongs to no team."""
    team, _made = Team.objects.get_or_create(
        is_system=True, defaults={"name": "System", "slug": SYSTEM_SLUG}
    )
    return team


@cache
def system_team_id() -> uuid.UUID:
    """A migration makes that team and nothing takes it away: looked up once a process."""
    return system_team().pk


def forget_system_team(**_signal: object) -> None:
    """Receiver of `post_migrate`, which also follows when a database is emptied."""
    system_team_id.cache_clear()


def find(text: str) -> Team:
    """By slug, name or id. Raises NotFound, Ambiguous."""
    if team := Team.objects.filter(slug=text).first() or _by_id(text):
        return team
    named = list(Team.objects.filter(name__iexact=text).order_by("slug")[:10])
    if len(named) > 1:
        raise Ambiguous(
            _("Several teams are called “{name}”. Use one of these slugs: {slugs}.").format(
                name=text, slugs=", ".join(team.slug for team in named)
            )
        )
    if not named:
        raise NotFound(_("There is no team “{name}”.").format(name=text))
    return named[0]


def by_name() -> "models.QuerySet[Team]":
    """All but the built-in one."""
    return Team.objects.filter(is_system=False).order_by("name", "slug")


def names(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Every id's slug; the id itself for a team that is gone."""
    known = dict(Team.objects.filter(pk__in=ids).values_list("pk", "slug"))
    return {team_id: known.get(team_id, str(team_id)) for team_id in ids}


def with_chain() -> set[uuid.UUID]:
    """Teams whose first act was recorded: all but the built-in one, which may not have acted."""
    return set(Team.objects.filter(is_system=False).values_list("pk", flat=True))


def _keyed_by_value() -> list[type[models.Model]]:
    """Tables that hold a team's id without a foreign key, which no cascade reaches."""
    return [
        model
        for model in apps.get_models()
        if model._meta.app_label != "audit"
        and any(field.name == "team_id" for field in model._meta.concrete_fields)
    ]


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
