import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django_scopes import scope

from memoryweb.agents.models import Agent
from memoryweb.agents.owners import person_owner
from memoryweb.memory.models import AuthorKind, Conversation, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.extraction.talking import extract
from tests.fakes import ModelServer
from tests.statements import counted
from tests.web.pages import text, tight, url
from tests.world import World, signed_in

CANOE = "My canoe is red."
Page = Callable[..., str]


@pytest.fixture
def bob(world: World) -> Client:
    return signed_in(world.bob)


@pytest.fixture
def address(world: World) -> str:
    return url(world.team, "agents_chat", world.agent.pk)


@pytest.fixture
def remembered(world: World) -> None:
    with scope(team=world.team):
        place = Place(world.agent, person_owner(world.team, world.bob), "MEMORY.md")
    with write_transaction(world.team) as tx:
        said = f"- {CANOE}\n- I have a brother in Kyoto.\n- I live in Leeds.\n"
        write(tx, place, said, writer=Writer(AuthorKind.DREAM, is_vouched=True))


def say(client: Client, address: str, message: str, **headers: str) -> Any:
    return client.post(f"{address}say/", {"message": message, "talk": "chat-1"}, headers=headers)


@pytest.mark.usefixtures("remembered")
def test_beside_an_answer_stands_what_was_looked_up_and_what_is_in_every_message(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    with scope(team=world.team):
        place = Place(world.agent, person_owner(world.team, world.bob), "memory/2026-01-02.md")
    with write_transaction(world.team) as tx:
        write(
            tx,
            place,
            "- 09:00 The canoe hangs in the shed.\n",
            writer=Writer(AuthorKind.EXTRACTION),
        )
    model_server.text("It is <b>red</b>.")
    say(bob, address, "Hello there.")
    model_server.text("It is <b>red</b>.")
    answer = say(bob, address, "Where does my canoe hang?")
    assert (answer.status_code, answer["Location"]) == (302, f"{address}?talk=chat-1")
    page = text(bob.get(answer["Location"]))
    assert "Where does my canoe hang?" in page
    assert "It is &lt;b&gt;red&lt;/b&gt;." in page
    used = page.partition('aria-labelledby="us"')[2].partition("</section>")[0]
    assert "The canoe hangs in the shed." in used
    assert "3 statements are in every message" in used
    assert "Kyoto" not in used


def test_what_will_be_noted_is_underlined_and_can_be_kept_out(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("Nice.")
    said = "I own a bakery in Leeds. What time is it? My sister lives in Porto."
    page = text(bob.get(say(bob, address, said)["Location"]))
    assert "<mark>I own a bakery in Leeds.</mark>" in page
    assert "<mark>My sister lives in Porto.</mark>" in page
    assert "Atlas will note" in page
    assert "Remember this" not in page
    with scope(team=world.team):
        talk = Conversation.objects.get()
        first = talk.messages.earliest("position")
    span = {"first": 0, "last": len("I own a bakery in Leeds.")}
    assert bob.post(f"{address}{first.pk}/leave-out/", span).status_code == 302
    page = text(bob.get(f"{address}?talk=chat-1"))
    assert "<mark>I own" not in page
    assert "My sister lives in Porto.</mark>" in page
    _extract(world, talk)
    note = _note(world).raw_content
    assert "My sister lives in Porto." in note
    assert "bakery" not in note
    page = text(bob.get(f"{address}?talk=chat-1"))
    assert "Atlas noted" in page
    assert "My sister lives in Porto.</p>" in page


def test_a_noted_line_is_undone_from_the_talk(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("Nice.")
    say(bob, address, "My sister lives in Porto.")
    with scope(team=world.team):
        talk = Conversation.objects.get()
    _extract(world, talk)
    note, here = _note(world), f"{address}?talk=chat-1"
    line = next(n for n, it in enumerate(note.raw_content.split("\n"), 1) if "Porto" in it)
    data = {"first": line, "last": line, "sha256": note.sha256, "next": here}
    edit = url(world.team, "agents_edit_line", world.agent.pk, note.path, query="?owner=me")
    assert bob.post(edit, data)["Location"] == here
    assert "Porto" not in _note(world).raw_content
    assert "Atlas noted" not in text(bob.get(here))


def test_a_message_that_was_noted_says_so_and_is_not_offered_to_be_remembered(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("Good to know.")
    say(bob, address, "My boat is green.")
    before = tight(bob.get(f"{address}?talk=chat-1"))
    assert "1 will be noted" in before
    with scope(team=world.team):
        talk = Conversation.objects.get()
    _extract(world, talk)
    after = tight(bob.get(f"{address}?talk=chat-1"))
    assert "will be noted" not in after
    assert "1 noted" in after
    assert "Remember this" not in after


@pytest.mark.usefixtures("remembered")
def test_what_it_replaces_stands_struck(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("Nice.")
    page = text(bob.get(say(bob, address, "I moved to Porto.")["Location"]))
    assert ">I live in Leeds</del>" in page
    assert "Replaces what was said before." in page


@pytest.mark.usefixtures("remembered")
def test_memory_beside_a_talk_takes_few_statements(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("Nice.")
    say(bob, address, "I moved to Porto. My sister is called Anna.")
    look = partial(bob.get, f"{address}?talk=chat-1")
    assert counted(look) <= 18
    with scope(team=world.team):
        _extract(world, Conversation.objects.get())
    assert counted(look) <= 15


def test_a_question_is_not_offered_to_be_remembered(
    bob: Client, address: str, model_server: ModelServer
) -> None:
    for said, is_offered in (("What time is it?", False), ("Ok, thanks a lot.", True)):
        model_server.text("Nice.")
        page = text(bob.get(say(bob, address, said)["Location"]))
        assert ("Remember this" in page) == is_offered


def test_what_one_person_said_nobody_else_keeps_out(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("Nice.")
    say(bob, address, "I own a bakery in Leeds.")
    with scope(team=world.team):
        first = Conversation.objects.get().messages.earliest("position")
    span = {"first": 0, "last": 5}
    assert signed_in(world.alice).post(f"{address}{first.pk}/leave-out/", span).status_code == 404
    bob.post(f"{address}{first.pk}/leave-out/", {"first": "x"})
    with scope(team=world.team):
        first.refresh_from_db()
    assert first.unnoted is None


def _extract(world: World, talk: Conversation) -> None:
    """By rules, though there is a model to talk with."""
    with scope(team=world.team):
        Agent.objects.filter(pk=world.agent.pk).update(extractor="rules")
        talk.refresh_from_db()
    extract(world, talk)


def _note(world: World) -> File:
    with scope(team=world.team):
        return File.objects.get(owner__person=world.bob, note_date__isnull=False)


def test_an_answer_s_markdown_is_shown_and_one_s_own_words_are_as_typed(
    bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("**Two** things:\n\n- paint\n- <img src=x>")
    page = text(bob.get(say(bob, address, "What *about* it?")["Location"]))
    assert "<strong>Two</strong> things:" in page
    assert "<li>paint</li>" in page
    assert "<img" not in page
    assert "What *about* it?" in page


@pytest.mark.usefixtures("remembered")
def test_an_answer_s_link_leads_to_one_s_own_file(
    bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("See [your memory](memory://root/MEMORY.md).")
    page = bob.get(say(bob, address, "What do you know?")["Location"]).content.decode()
    [link] = re.findall(r'<a href="([^"]*)"[^>]*>your memory', page)
    assert CANOE in text(bob.get(link))


def test_it_comes_as_it_is_written(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("It is red.")
    answer = say(bob, address, "What colour is it?", accept="text/event-stream")
    told = b"".join(answer.streaming_content).decode()
    assert told.startswith("event: delta")
    assert told.endswith("event: done\ndata: {}\n\n")
    assert "It is red." in text(bob.get(f"{address}?talk=chat-1"))


def test_what_one_said_is_remembered_on_request(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("Nice.")
    say(bob, address, "I own a bakery in Leeds.")
    with scope(team=world.team):
        first, second = Conversation.objects.get().messages.order_by("position")
    assert bob.post(f"{address}{first.pk}/remember/").status_code == 302
    with scope(team=world.team):
        note = File.objects.get(owner__person=world.bob, note_date__isnull=False)
    assert "I own a bakery in Leeds." in note.raw_content
    others = signed_in(world.alice).post(f"{address}{second.pk}/remember/")
    assert others.status_code == 404


def test_a_model_that_fails_is_told_and_the_message_stays_in_the_form(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.status(500)
    answer = say(bob, address, "What colour is it?")
    assert answer.status_code == 422
    page = text(answer)
    assert "What colour is it?</textarea>" in page
    assert "The model endpoint had an error (500)." in page


def test_a_reader_of_the_stream_is_told_why_it_failed(
    bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.status(500)
    answer = say(bob, address, "What colour is it?", accept="text/event-stream")
    told = b"".join(answer.streaming_content).decode()
    assert told.startswith("event: error")
    assert "The model endpoint had an error (500)." in told


def test_the_same_words_said_again_are_said_now(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    for _time in range(2):
        model_server.text("Nice.")
        say(bob, address, "I own a bakery in Leeds.")
    with scope(team=world.team):
        times = [one.timestamp for one in Conversation.objects.get().messages.order_by("position")]
    assert times == sorted(times)
    assert times[0] < times[2]


def test_lines_are_kept_as_lines(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("Nice.")
    say(bob, address, "A table for two,\r\nat eight.")
    with scope(team=world.team):
        first = Conversation.objects.get().messages.earliest("position")
    assert first.raw_content == "A table for two,\nat eight."
    assert "two,\nat eight." in text(bob.get(f"{address}?talk=chat-1"))


def test_other_chats_are_listed_by_their_first_words(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    for words in ("I own a bakery in Leeds.", "It opens at six."):
        model_server.text("Nice.")
        say(bob, address, words)
    page = text(bob.get(f"{address}?talk=chat-2"))
    assert "I own a bakery in Leeds." in page
    assert "It opens at six." not in page


def test_without_a_model_it_says_so(bob: Client, address: str) -> None:
    page = text(bob.get(address))
    assert "A chat needs a model" in page
    assert "data-chat" not in page


@pytest.mark.usefixtures("remembered")
def test_commands_lead_to_what_is_remembered_and_to_a_new_chat(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    assert CANOE in text(bob.get(say(bob, address, "/memory")["Location"]))
    assert not say(bob, address, "/new")["Location"].endswith("?talk=chat-1")
    assert model_server.requests == []


def test_another_persons_chat_is_nowhere(
    world: World, bob: Client, address: str, model_server: ModelServer
) -> None:
    model_server.text("Nice.")
    say(bob, address, "I own a bakery in Leeds.")
    assert "bakery" not in text(signed_in(world.alice).get(f"{address}?talk=chat-1"))
