import pytest
from django.db import connection

from memoryweb.agents.models import Reader
from memoryweb.audit.models import Event
from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.index import reindexing
from memoryweb.memory.models import AuthorKind, Passage
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.search.engine import search
from memoryweb.memory.writing.write import NewLine, append, write
from tests.commands.calling import Answer, run
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]
PERSON = Writer(AuthorKind.PERSON)


@pytest.fixture
def world(world: World) -> World:
    note = Place(world.agent, world.customer, "memory/2026-11-20.md")
    with write_transaction(world.team) as tx:
        write(tx, Place(world.agent, None, "KNOWLEDGE.md"), "# Ferry\n\n- At noon.", writer=PERSON)
        for text in ("- one lamp", "- two lamps"):
            append(tx, note, [NewLine(text)], writer=PERSON)
            append(tx, Place(world.agent, None, "log.md"), [NewLine(text)], writer=PERSON)
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="c",
            messages=[NewMessage(role="user", content=f"Lamp {n}", id=f"m{n}") for n in range(3)],
        )
    return world


def reindex(world: World, *more: str) -> Answer:
    return run("reindex", "--team", world.team.slug, "--json", *more)


def test_what_the_doors_wrote_is_what_would_be_built(world: World) -> None:
    answer = reindex(world, "--check")
    assert (answer.failure, answer.json["ok"], answer.json["indexIsSound"]) == ("", True, True)


def test_a_passage_that_is_missing_is_named_and_built_again(world: World) -> None:
    Passage.objects.filter(file__path="log.md", line=2).delete()
    found = reindex(world, "--check")
    assert [one["problem"] for one in found.json["teams"][0]["differences"]] == ["missing"]
    assert "differs in 1 places" in found.failure
    assert not reindex(world).failure
    assert not reindex(world, "--check").failure


def test_a_passage_with_other_content_is_named(world: World) -> None:
    Passage.objects.filter(file__path="log.md", line=2).update(raw_text="- forged")
    differences = reindex(world, "--check").json["teams"][0]["differences"]
    assert [(one["problem"], one["line"]) for one in differences] == [("changed", 2)]


def test_rows_of_another_version_are_told_and_refreshed_by_a_migration(world: World) -> None:
    Passage.objects.filter(kind="message").update(tokenizer_version=1)
    assert reindex(world, "--check").json["teams"][0]["stale"] == 3
    reindexing.refresh_stale()
    assert not reindex(world, "--check").failure


def test_an_index_that_lost_a_row_is_no_longer_sound(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE recall_extent SET words = words + 1")
    answer = reindex(world, "--check")
    assert not answer.json["indexIsSound"]
    assert "Run “reindex”" in answer.failure
    reindex(world)
    assert not reindex(world, "--check").failure


def test_search_finds_the_same_after_it(world: World) -> None:
    reader = Reader(world.agent, world.customer)
    before = [(hit.line, hit.score) for hit in search(reader, "lamp ferry").hits]
    reindex(world)
    assert [(hit.line, hit.score) for hit in search(reader, "lamp ferry").hits] == before


def test_it_leaves_an_event(world: World) -> None:
    answer = reindex(world).json["teams"][0]
    event = Event.objects.filter(team_id=world.team.pk).latest("seq")
    assert event.action == "search.reindexed"
    assert (answer["files"], answer["messages"]) == (11, 3)


def test_all_teams_are_done_when_none_is_named(world: World) -> None:
    teams = {team["team"] for team in run("reindex", "--check", "--json").json["teams"]}
    assert {world.team.slug, world.twin.team.slug} <= teams
