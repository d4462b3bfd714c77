"""What teams may use, set in the browser by whoever runs the installation."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memoryweb.accounts.models import Team, User
from memoryweb.accounts.teams import SYSTEM_SLUG
from memoryweb.audit.models import Event
from memoryweb.runs import counting
from tests.api.callers import Callers, callers_of
from tests.web.pages import tight
from tests.world import World, signed_in

pytestmark = pytest.mark.django_db
LIMITS = {"requests_minute": "", "requests_day": "1", "tokens_day": "900", "stored_mb": "7"}


@pytest.fixture
def superuser(world: World) -> Client:
    User.objects.filter(pk=world.alice.pk).update(is_superuser=True)
    return signed_in(world.alice)


@pytest.fixture(autouse=True)
def _nothing_counted() -> None:
    counting._calls.clear()


def _address(slug: str, team: str = "") -> str:
    return reverse("web:settings_quotas", args=[slug]) + (f"?team={team}" if team else "")


def test_a_limit_of_any_team_is_set_told_and_kept(world: World, superuser: Client) -> None:
    slug, twin = world.team.slug, world.twin.team
    assert "Limits" in tight(superuser.get(reverse("web:settings", args=[slug])))
    page = tight(superuser.post(_address(slug, twin.slug), LIMITS, follow=True))
    assert f"Limits of {twin} saved." in page
    assert "of at most 900" in page
    [event] = Event.objects.filter(team_id=twin.pk, action="team.changed")
    assert (event.actor_id, event.actor_role) == (str(world.alice.pk), "superuser")
    twin.refresh_from_db()
    limits = (twin.requests_minute, twin.requests_day, twin.tokens_day, twin.stored_mb)
    assert limits == (None, 1, 900, 7)
    callers: Callers = callers_of(world)
    path = f"/agents/{world.twin.agent.pk}/context"
    asked = {"owner": "shared", "message": "What now?"}
    codes = [callers.stranger.post(path, asked).status_code for _n in range(2)]
    assert codes == [200, 429]
    shown = tight(signed_in(world.charlie).get(reverse("web:settings_model", args=[twin.slug])))
    assert "Calls today" in shown
    assert "of at most 1<" in shown
    superuser.post(_address(slug, twin.slug), dict.fromkeys(LIMITS, ""))
    assert callers.stranger.post(path, asked).status_code == 200


def test_it_needs_no_team_of_their_own(world: World, superuser: Client) -> None:
    world.team.memberships.filter(user=world.alice).delete()
    assert superuser.get(_address(SYSTEM_SLUG)).status_code == 200
    page = tight(superuser.get(_address(SYSTEM_SLUG, world.team.slug)))
    assert f"What {world.team} may use" in page


@pytest.mark.parametrize("said", ["0", "-1", "x", "1.5", str(2**31), "9" * 500])
def test_what_is_no_limit_is_told(world: World, superuser: Client, said: str) -> None:
    address = _address(world.team.slug, world.team.slug)
    answer = superuser.post(address, LIMITS | {"stored_mb": said})
    assert answer.status_code == 422
    assert Team.objects.get(pk=world.team.pk).stored_mb is None


def test_the_built_in_team_and_none_have_no_limits(world: World, superuser: Client) -> None:
    for slug in (SYSTEM_SLUG, "none", "\x00"):
        answer = superuser.post(_address(world.team.slug, slug), LIMITS)
        assert answer.status_code in {400, 404}
    assert superuser.post(_address(world.team.slug), LIMITS).status_code == 200
    assert not Team.objects.exclude(requests_day=None).exists()


def test_many_teams_take_no_more_statements(world: World, superuser: Client) -> None:
    few = _statements(superuser, _address(world.team.slug))
    Team.objects.bulk_create(Team(name=f"T{n}", slug=f"t{n}") for n in range(30))
    assert _statements(superuser, _address(world.team.slug)) == few <= 15


def _statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        answer: Any = client.get(address)
    assert answer.status_code == 200
    return len(queries)
