"""Who calls the API in tests: each role by a personal token, programs, a stranger, nobody."""

from collections.abc import Collection
from dataclasses import dataclass

from django.utils import timezone

from memoryweb.accounts import tokens
from memoryweb.accounts.models import Integration, Team, Token, User
from memoryweb.audit.record import SYSTEM
from tests.api.client import Api
from tests.world import World, integration_token, personal_token


@dataclass(frozen=True)
class Callers:
    admin: Api
    member: Api
    viewer: Api
    auditor: Api
    stranger: Api
    helpdesk: Api
    foreign_helpdesk: Api
    anonymous: Api

    def __getitem__(self, name: str) -> Api:
        api: Api = getattr(self, name)
        return api


NAMES = tuple(Callers.__dataclass_fields__)


def callers_of(world: World) -> Callers:
    """Whose tokens were used already: the first call of an hour is an event besides."""
    callers = Callers(
        admin=Api(personal_token(world.team, world.alice)),
        member=Api(personal_token(world.team, world.bob)),
        viewer=Api(personal_token(world.team, world.vera)),
        auditor=Api(personal_token(world.team, world.audrey)),
        stranger=Api(personal_token(world.twin.team, world.charlie)),
        helpdesk=Api(integration_token(world.integration)),
        foreign_helpdesk=Api(integration_token(world.twin.integration)),
        anonymous=Api(),
    )
    Token.objects.update(last_used_at=timezone.now())
    return callers


def narrow(
    team: Team,
    scopes: Collection[str],
    *,
    user: User | None = None,
    integration: Integration | None = None,
) -> tuple[Token, Api]:
    """A token with just these scopes."""
    token, secret = tokens.issue(
        team=team,
        by=SYSTEM,
        user=user,
        integration=integration,
        name="Narrow",
        scopes=scopes,
        act_as_person=user is not None,
    )
    return token, Api(secret)
