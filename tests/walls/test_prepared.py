"""A prepared query answers neither what was asked last time nor with another team's rows."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models import Q, QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_scopes import scope, scopes_disabled
from django_scopes.exceptions import ScopeError

from memoryweb.accounts.models import Token
from memoryweb.agents.models import Agent
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.memory.models import File
from tests.world import World


@PreparedQuery
def agents(*ids: UUID) -> QuerySet[Agent]:
    return Agent.objects.select_related("team").filter(pk__in=ids).order_by("name")


@PreparedQuery
def files(
    owner: UUID | None, paths: tuple[str, ...], before: datetime
) -> QuerySet[File, tuple[str, UUID | None]]:
    found = File.objects.filter(owner=owner, path__in=paths, created_at__lt=before)
    return found.order_by("path").values_list("path", "owner")


@PreparedQuery
def starting_with(text: str) -> QuerySet[Agent]:
    return Agent.objects.filter(name__istartswith=text)


@PreparedQuery
def files_within(which: Q, agents: tuple[UUID, ...]) -> QuerySet[File, tuple[str, UUID]]:
    found = File.objects.filter(which, agent__in=agents)
    return found.order_by("agent", "owner", "path").values_list("path", "owner")


def test_each_team_in_scope_has_its_own_rows(world: World) -> None:
    ours, theirs = world.team, world.twin.team
    for team in (ours, theirs, ours):
        with scope(team=team):
            [found] = agents(world.home.agent.pk, world.twin.agent.pk)
            assert found.team == team
    with scope(team=(ours.pk, theirs.pk)):
        assert len(agents(world.home.agent.pk, world.twin.agent.pk)) == 2
    with scopes_disabled():
        assert len(agents(world.home.agent.pk, world.twin.agent.pk)) == 2
    with scope(team=ours):
        assert agents(world.twin.agent.pk, world.twin.agent.pk) == []


def test_outside_a_scope_it_raises_also_when_it_is_prepared(world: World) -> None:
    with scope(team=world.team):
        assert agents(world.home.agent.pk, world.twin.agent.pk)
    with scope(), pytest.raises(ScopeError):
        agents(world.home.agent.pk, world.twin.agent.pk)


def test_none_a_time_and_as_many_values_as_there_are_make_the_same_rows(world: World) -> None:
    now = timezone.now()
    shared, owner = ("AGENTS.md", "SOUL.md", "KNOWLEDGE.md"), world.customer.pk
    with scope(team=world.team):
        everything = File.objects.order_by("path").values_list("path", "owner")
        for of in (None, owner, uuid4(), None):
            for count in range(len(shared) + 1):
                for at in (now, now - timedelta(days=9000)):
                    paths = (*shared[:count], "MEMORY.md")[-count:] if count else ()
                    wanted = everything.filter(owner=of, path__in=paths, created_at__lt=at)
                    assert files(of, paths, at) == list(wanted)


def test_what_it_asks_is_told_to_the_database_each_time(world: World) -> None:
    with scope(team=world.team):
        starts = File.objects.values_list("path", flat=True)
        files(None, ("AGENTS.md",), timezone.now())
        with CaptureQueriesContext(connection) as queries:
            files(None, (starts[0],), timezone.now())
    assert starts[0] in queries[-1]["sql"]


def test_a_row_of_no_team_needs_no_scope(world: World) -> None:
    by_name = PreparedQuery(lambda name: Token.objects.filter(name=name))
    assert by_name("nobody's") == []


def test_an_argument_that_the_query_changes_is_refused(world: World) -> None:
    with scope(team=world.team), pytest.raises(TypeError, match="changes 1"):
        starting_with("a")


def test_a_filter_finds_what_it_would_find_by_itself(world: World) -> None:
    bob, customer = world.bobs_memory, world.customer
    for which in (
        Q(),
        Q(owner=None),
        Q(owner=bob),
        Q(owner=customer),
        Q(owner=None) | Q(owner__in=[bob.pk, customer.pk]) | Q(owner__source="system"),
        Q(owner=None) | Q(owner__in=[customer]) | Q(owner__source="api"),
        Q(owner__in=[]) | Q(path="SOUL.md"),
        ~Q(path="SOUL.md") & Q(owner__isnull=True),
        ~Q(path="AGENTS.md") & Q(owner__isnull=False),
    ):
        with scope(team=world.team):
            wanted = File.objects.filter(which, agent=world.agent)
            wanted = wanted.order_by("agent", "owner", "path")
            assert files_within(which, (world.agent.pk,)) == list(
                wanted.values_list("path", "owner")
            )


def test_a_filter_that_holds_a_query_is_refused(world: World) -> None:
    with scope(team=world.team), pytest.raises(TypeError, match="prepared"):
        files_within(Q(owner__in=Agent.objects.all()), (world.agent.pk,))


@pytest.mark.databases
def test_its_objects_are_those_that_django_makes(world: World) -> None:
    """With the columns that were left out, and where a related row is missing."""

    def build(owner: UUID | None) -> QuerySet[File]:
        found = File.objects.filter(owner=owner).select_related("owner__person", "agent")
        return found.defer("raw_content").annotate(is_long=Q(size__gt=100)).order_by("pk")

    made = PreparedQuery(build)
    with scope(team=world.team):
        for owner in (None, world.customer.pk):
            for one, wanted in zip(made(owner), build(owner), strict=True):
                assert one.get_deferred_fields() == {"raw_content"}
                assert vars(one) | {"_state": None} == vars(wanted) | {"_state": None}
                assert vars(one._state) == vars(wanted._state)
                assert vars(one.agent) | {"_state": None} == vars(wanted.agent) | {"_state": None}
                assert one.raw_content == wanted.raw_content
