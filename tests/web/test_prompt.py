import html
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.models import Reader
from memoryweb.agents.owners import set_paused
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import AuthorKind, Fact, File, Injection, RecallEvent
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.prompt.context import build
from memoryweb.memory.writing.write import write
from tests.web.pages import text, url
from tests.web.stage import CUSTOMERS, PERSONAL, Stage


@pytest.fixture
def address(stage: Stage) -> str:
    return url(stage.world.team, "agents_prompt", stage.world.agent.pk)


def save(stage: Stage, path: str, content: str) -> None:
    with write_transaction(stage.world.team) as tx:
        place = Place(stage.world.agent, None, path)
        write(tx, place, content, writer=Writer(AuthorKind.PERSON))


def test_it_shows_what_the_agent_is_given_word_for_word(
    stage: Stage, vera: Client, address: str
) -> None:
    save(stage, "MEMORY.md", "# Memory\n\n- Tea is served at five.\n")
    page = text(vera.get(address))
    built = build(Reader(stage.world.agent), "")
    assert built.system.split("\n")[-1] in page
    assert "# Long-term Memory" in page
    assert "- Tea is served at five." in page
    assert f"{built.gauge.used:,} of 96,000 tokens" in page


def test_days_behind_lines_are_told_from_the_file(stage: Stage, bob: Client, address: str) -> None:
    Fact.objects.update(said_at=datetime(2026, 9, 28, 9, tzinfo=UTC))
    page = text(bob.get(f"{address}?owner=me"))
    assert 'class="added"> (2026-09-28)</span>' in page
    assert "They aren't part of the file." in html.unescape(page)
    assert 'class="added"' not in text(bob.get(address))


def test_a_look_is_recorded_nowhere(stage: Stage, bob: Client, address: str) -> None:
    before = Event.objects.count()
    bob.get(f"{address}?owner=me&message=walnuts")
    assert (Injection.objects.count(), RecallEvent.objects.filter(via="prefetch").count()) == (0, 0)
    assert Event.objects.count() == before


def test_a_message_shows_what_is_found_for_it(stage: Stage, bob: Client, address: str) -> None:
    with write_transaction(stage.world.team) as tx:
        place = Place(stage.world.agent, stage.world.bobs_memory, "memory/2026-11-02.md")
        writer = Writer(AuthorKind.EXTRACTION)
        write(tx, place, "# 2026-11-02\n\n- The canoe has a leak.\n", writer=writer)
    page = text(bob.get(f"{address}?owner=me&message=canoe"))
    assert "memory/2026-11-02.md:3" in page
    assert "The canoe has a leak." in page
    stands = text(bob.get(f"{address}?owner=me&message=thermos"))
    assert "Nothing was found beyond" in stands
    nothing = text(bob.get(f"{address}?owner=me&message=zeppelin"))
    assert "Nothing was found beyond" in nothing


def test_others_memory_is_neither_found_nor_given(stage: Stage, vera: Client, address: str) -> None:
    page = text(vera.get(f"{address}?owner=me&message=thermos walnuts Graz violin"))
    assert PERSONAL not in page
    assert CUSTOMERS not in page


def test_it_is_open_to_its_owner_and_by_a_grant_alone(
    stage: Stage, alice: Client, vera: Client, address: str
) -> None:
    of_bob = f"{address}?owner={stage.world.bobs_memory.pk}"
    assert (alice.get(of_bob).status_code, vera.get(of_bob).status_code) == (403, 404)
    world = stage.world
    open_glass(owner=world.bobs_memory, user=world.alice, reason="A complaint.", by=SYSTEM)
    assert PERSONAL in text(alice.get(f"{of_bob}&message=thermos"))
    assert Event.objects.filter(action="personal.read", target_kind="prompt").count() == 1


def test_files_that_do_not_fit_say_how_much_is_left_out(
    stage: Stage, vera: Client, address: str
) -> None:
    save(stage, "MEMORY.md", "- a line of some words\n" * 1000)
    page = text(vera.get(address))
    (one,) = (o for o in build(Reader(stage.world.agent), "").shared if o.cut)
    assert f"{one.cut:,} characters" in page


def test_who_may_write_moves_and_takes_out(stage: Stage, bob: Client, address: str) -> None:
    arrange = url(stage.world.team, "agents_arrange", stage.world.agent.pk, "SOUL.md")
    assert arrange in text(bob.get(address))
    answer = bob.post(arrange, {"move": "up", "page": "prompt"})
    assert answer.headers["Location"] == address
    bob.post(arrange, {"enabled": "off", "page": "prompt"})
    assert not File.objects.get(agent=stage.world.agent, owner=None, path="SOUL.md").enabled
    assert "Put in" in text(bob.get(address))


def test_who_may_only_read_gets_no_buttons(stage: Stage, vera: Client, address: str) -> None:
    page = text(vera.get(address))
    assert "Take out" not in page
    assert 'id="arrange"' not in page


def test_a_profile_that_nobody_wrote_in_is_left_out_and_says_so(
    stage: Stage, bob: Client, address: str
) -> None:
    page = text(bob.get(address))
    left_out = page[page.index("Not in the prompt") :]
    assert "PROFILE.md" in left_out
    assert "It says nothing about anyone yet." in left_out
    save(stage, "PROFILE.md", "# Profile\n\n- The team sits in Porto.\n")
    page = text(bob.get(address))
    assert "- The team sits in Porto." in page
    assert "It says nothing about anyone yet." not in page


def test_a_paused_owner_is_told(stage: Stage, bob: Client, address: str) -> None:
    set_paused(owner=stage.world.bobs_memory, paused=True, by=SYSTEM)
    page = text(bob.get(f"{address}?owner=me&message=thermos"))
    assert "This person paused using their memory" in page
    assert PERSONAL not in page


def test_a_message_that_is_too_long_is_refused(stage: Stage, vera: Client, address: str) -> None:
    answer = vera.get(address, {"message": "a" * 2001})
    assert (answer.status_code, "at most 2000 characters" in text(answer)) == (422, True)


def test_many_files_take_no_more_statements(stage: Stage, vera: Client, address: str) -> None:
    vera.get(address)
    with CaptureQueriesContext(connection) as few:
        vera.get(address)
    for number in range(8):
        save(stage, f"{number}.md", "Text.\n")
    File.objects.filter(path__regex="^[0-9]").update(enabled=True)
    with CaptureQueriesContext(connection) as many:
        vera.get(address)
    assert len(many) == len(few)


def test_moving_a_file_that_went_meanwhile_says_so(stage: Stage, bob: Client) -> None:
    gone: list[int] = []

    def delete_first(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("SAVEPOINT") and not gone:
            gone.append(File.objects.filter(pk=stage.memory.pk).update(deleted_at=timezone.now()))
        return execute(sql, *rest)

    address = url(stage.world.team, "agents_arrange", stage.memory.agent_id, stage.memory.path)
    with connection.execute_wrapper(delete_first):
        answer = bob.post(address, {"move": "up"}, follow=True)
    assert gone == [1]
    assert (answer.status_code, "There is no file named" in text(answer)) == (200, True)
