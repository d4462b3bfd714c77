from datetime import timedelta

from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memoryweb.accounts.backends import PersonBackend, memberships_of
from memoryweb.accounts.models import User
from tests.world import World


def test_a_person_comes_with_their_teams_in_one_statement(
    world: World, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    bob = world.people["member"]
    with django_assert_num_queries(1):
        found = PersonBackend().get_user(bob.pk)
        assert found == bob
        assert [one.team for one in memberships_of(found)] == [world.team]


def test_without_a_team_they_are_found_and_inactive_they_are_not(world: World) -> None:
    bob = world.people["member"]
    world.team.memberships.filter(user=bob).update(ends_at=timezone.now() - timedelta(days=1))
    found = PersonBackend().get_user(bob.pk)
    assert found == bob
    assert memberships_of(found) == []
    for name in ("member", "admin"):
        User.objects.filter(pk=world.people[name].pk).update(is_active=False)
        assert PersonBackend().get_user(world.people[name].pk) is None
