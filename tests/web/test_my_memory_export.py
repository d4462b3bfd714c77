"""All that is kept about oneself, taken along."""

import io
import json
import zipfile
from datetime import date

from django.test import Client

from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.memory import memory_tests
from memoryweb.memory.conversations.parsing import parse_messages
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.memory.test_memory_tests import add, person
from tests.web.pages import text, url
from tests.web.stage import CUSTOMERS, NOTE, PERSONAL, SHARED, Stage


def exported(stage: Stage, client: Client) -> zipfile.ZipFile:
    answer = client.post(url(stage.world.team, "mine_export"))
    whole = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    return zipfile.ZipFile(io.BytesIO(whole))


def test_the_snapshot_of_each_agent_is_one_click_away(stage: Stage, bob: Client) -> None:
    address = url(stage.world.team, "agents_snapshot_export", stage.world.agent.pk)
    assert f"{address}?owner=me" in text(bob.get(url(stage.world.team, "mine")))
    answer = bob.get(f"{address}?owner=me")
    whole = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
    names = zipfile.ZipFile(io.BytesIO(whole)).namelist()
    assert NOTE in names


def test_the_export_holds_files_conversations_and_who_looked(stage: Stage, bob: Client) -> None:
    world = stage.world
    reason = "A lost order."
    open_glass(owner=world.bobs_memory, user=world.alice, reason=reason, by=SYSTEM)
    archive = exported(stage, bob)
    folder = f"Atlas/user_{world.bob.pk}"
    assert archive.testzip() is None
    assert PERSONAL in archive.read(f"{folder}/files/{NOTE}").decode()
    lines = archive.read(f"{folder}/conversations.jsonl").decode().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["conversation"] for row in rows] == ["bob-lunch"] * 2
    assert rows[0]["content"] == PERSONAL
    assert parse_messages([{k: v for k, v in rows[0].items() if k != "conversation"}])
    looked = json.loads(archive.read("who-looked.json"))
    assert [(one["name"], one["reason"]) for one in looked["grants"]] == [("Alice", reason)]


def test_it_tells_of_ones_own_memory_tests(stage: Stage, bob: Client) -> None:
    world = stage.world
    asked = "Which kayak is mine?", "the blue one"
    add(world, *asked, owner=world.bobs_memory)
    add(world, "Whose kayak?", "shared words")
    alone = Agent.objects.create(team=world.team, name="Alone")
    with write_transaction(world.team) as tx:
        its = Memory(alone, world.bobs_memory)
        memory_tests.add(tx, its, *asked, as_of=date(2026, 1, 2), writer=person(world))
    page = text(bob.get(url(world.team, "mine")))
    for agent in (world.agent, alone):
        assert f'href="{url(world.team, "agents_tests", agent.pk)}?owner=me">Tests (1)</a>' in page
    archive = exported(stage, bob)
    for name, day in (("Atlas", None), ("Alone", "2026-01-02")):
        [row] = json.loads(archive.read(f"{name}/user_{world.bob.pk}/tests.json"))
        assert (row["question"], row["must"], row["asOf"]) == (*asked, day)
    whole = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert "shared words" not in whole


def test_the_export_holds_nobody_else(stage: Stage, bob: Client) -> None:
    archive = exported(stage, bob)
    whole = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert PERSONAL in whole
    assert CUSTOMERS not in whole
    assert SHARED not in whole


def test_no_name_in_the_export_can_harm(stage: Stage, bob: Client) -> None:
    world = stage.world
    Owner.objects.create(
        team=world.team, source="slack", external_id="../../etc/x", person=world.bob
    )
    evil = Owner.objects.get(external_id="../../etc/x")
    with write_transaction(world.team) as tx:
        write(
            tx,
            Place(world.agent, evil, "MEMORY.md"),
            "- Sails.\n",
            writer=Writer(AuthorKind.SYSTEM),
        )
    for name in exported(stage, bob).namelist():
        assert ".." not in name
        assert not name.startswith("/")
        assert "\\" not in name
        assert ":" not in name


def test_an_export_is_an_event_for_each_of_ones_owners(stage: Stage, bob: Client) -> None:
    Owner.objects.filter(pk=stage.world.sender.pk).update(person=stage.world.bob)
    exported(stage, bob)
    events = Event.objects.filter(action="personal.exported", actor_id=str(stage.world.bob.pk))
    about = {event.on_behalf_of for event in events}
    assert about == {stage.world.bobs_memory.pk, stage.world.sender.pk}
