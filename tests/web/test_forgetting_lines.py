"""A line that is to be forgotten: asked for beside it, read nowhere, and never lost by saving."""

import pytest
from django.test import Client
from django_scopes import scope

from memoryweb.agents.models import Owner
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting import hiding, requests
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Fact, File, ForgetRequest
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.visible import placeholders
from memoryweb.memory.writing.write import restore, write
from tests.web.pages import text, url
from tests.world import World

pytestmark = pytest.mark.django_db
WEIGHT = "I weigh 62 kilos."
TEXT = f"# Memory\n\n- I like tea.\n- {WEIGHT}\n- I have a dog.\n"
MINE = "?owner=me"


@pytest.fixture
def mine(world: World) -> File:
    return remembered(world, world.bobs_memory)


def remembered(world: World, owner: Owner | None) -> File:
    place = Place(world.agent, owner, "MEMORY.md")
    with write_transaction(world.team) as tx:
        return write(tx, place, TEXT, writer=Writer(AuthorKind.PERSON, user=world.bob)).file


def hidden(world: World, file: File) -> ForgetRequest:
    with write_transaction(world.team) as tx:
        return requests.forget_lines(
            tx,
            file,
            [4],
            expected=file.sha256,
            writer=Writer(AuthorKind.PERSON, user=world.bob),
            is_theirs=True,
        )


def at(world: World, name: str, *more: object, query: str = MINE) -> str:
    return url(world.team, name, world.agent.pk, "MEMORY.md", *more, query=query)


def test_the_lines_around_a_hidden_one_stay(world: World, mine: File, bob: Client) -> None:
    hidden(world, mine)
    page = text(bob.get(at(world, "agents_file")))
    assert (WEIGHT in page, page.count("Hidden: it is to be forgotten")) == (False, 1)
    assert "I like tea." in page
    assert "I have a dog." in page
    assert "line to be forgotten" not in page


def test_a_person_forgets_a_line_and_takes_it_back(world: World, mine: File, bob: Client) -> None:
    forget = at(world, "agents_forget_line", 4)
    assert forget.replace("&", "&amp;") in text(bob.get(at(world, "agents_file")))
    page = text(bob.get(forget))
    assert WEIGHT in page
    assert "I like tea" not in page
    page = text(bob.post(forget, {"sha256": mine.sha256}, follow=True))
    assert WEIGHT not in page
    assert "Hidden: it is to be forgotten" in page
    assert ForgetRequest.objects.get().state == ForgetRequest.State.HIDDEN
    undo = at(world, "agents_unforget_line", 4)
    assert WEIGHT in text(bob.post(undo, {"sha256": mine.sha256}, follow=True))
    assert ForgetRequest.objects.get().state == ForgetRequest.State.UNDONE


def test_a_line_that_moved_on_is_not_forgotten(world: World, mine: File, bob: Client) -> None:
    page = text(bob.post(at(world, "agents_forget_line", 4), {"sha256": "0" * 64}, follow=True))
    assert "Someone else changed" in page
    assert not ForgetRequest.objects.exists()


def test_a_member_asks_an_admin_about_shared_memory(
    world: World, bob: Client, vera: Client, alice: Client
) -> None:
    file = remembered(world, None)
    forget = at(world, "agents_forget_line", 4, query="")
    assert "An admin decides in Review." in text(bob.get(forget))
    assert vera.get(forget).status_code == 403
    page = text(bob.post(forget, {"sha256": file.sha256}, follow=True))
    assert WEIGHT in page
    assert ForgetRequest.objects.get().state == ForgetRequest.State.OPEN
    assert WEIGHT not in text(alice.post(forget, {"sha256": file.sha256}, follow=True))


def test_no_page_of_a_file_shows_a_hidden_line(world: World, mine: File, bob: Client) -> None:
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.PERSON, user=world.bob)
        write(
            tx,
            Place(world.agent, world.bobs_memory, "MEMORY.md"),
            f"{TEXT}More.\n",
            writer=writer,
        )
    mine.refresh_from_db()
    hidden(world, mine)
    fact = Fact.objects.get(raw_text="I like tea.")
    pages = [
        at(world, "agents_file"),
        at(world, "agents_file", query=f"{MINE}&authors=1"),
        at(world, "agents_edit"),
        at(world, "agents_why", 4),
        at(world, "agents_revision", 1),
        at(world, "agents_revision", 1, query=f"{MINE}&authors=1"),
        at(world, "agents_compare", query=f"{MINE}&from=0&to=1"),
        url(world.team, "agents_moments", world.agent.pk, query=f"{MINE}&show=changes"),
        url(world.team, "agents_moments", world.agent.pk, query=MINE),
        url(world.team, "agents_fact", world.agent.pk, fact.pk, query=MINE),
    ]
    for page in pages:
        shown = text(bob.get(page))
        assert "62 kilos" not in shown, page
        assert "tea" in shown or "why" in page


def test_saving_the_editor_keeps_the_line_and_writes_no_placeholder(
    world: World, mine: File, bob: Client
) -> None:
    request = hidden(world, mine)
    shown = placeholders.for_people(mine)
    assert WEIGHT not in shown
    for content in (
        shown.replace("tea", "coffee"),
        TEXT.replace(f"- {WEIGHT}\n", "").replace("tea", "cocoa"),
    ):
        mine.refresh_from_db()
        saved = bob.post(at(world, "agents_edit"), {"content": content, "sha256": mine.sha256})
        assert saved.status_code == 302
        mine.refresh_from_db()
        drink = "coffee" if "coffee" in content else "cocoa"
        assert {*mine.raw_content.split("\n")} == {*TEXT.replace("tea", drink).split("\n")}
    with write_transaction(world.team) as tx:
        hiding.undo(tx, request)
    assert WEIGHT in text(bob.get(at(world, "agents_file")))


def test_an_old_draft_s_placeholder_is_its_line_again_or_nothing(
    world: World, mine: File, bob: Client
) -> None:
    request = hidden(world, mine)
    draft = placeholders.for_people(mine).replace("tea", "coffee")
    with write_transaction(world.team) as tx:
        hiding.undo(tx, request)
    bob.post(at(world, "agents_edit"), {"content": draft, "sha256": mine.sha256})
    mine.refresh_from_db()
    assert mine.raw_content == TEXT.replace("tea", "coffee")
    new = {"content": "<!-- line to be forgotten #00000000 -->\nTea.\n", "path": "tea.md"}
    bob.post(url(world.team, "agents_new_file", world.agent.pk, query=MINE), new)
    with scope(team=world.team):
        assert File.objects.get(path="tea.md").raw_content == "Tea.\n"


def test_a_conflict_shows_no_hidden_line(world: World, mine: File, bob: Client) -> None:
    hidden(world, mine)
    draft = placeholders.for_people(mine).replace("tea", "coffee")
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, "MEMORY.md")
        writer = Writer(AuthorKind.PERSON, user=world.bob)
        write(tx, place, TEXT.replace("tea", "cocoa"), writer=writer)
    answer = bob.post(at(world, "agents_edit"), {"content": draft, "sha256": mine.sha256})
    assert answer.status_code == 409
    assert "62 kilos" not in text(answer)


def test_an_earlier_text_that_is_restored_keeps_the_line(world: World) -> None:
    place, writer = (
        Place(world.agent, world.bobs_memory, "MEMORY.md"),
        Writer(AuthorKind.PERSON, user=world.bob),
    )
    with write_transaction(world.team) as tx:
        write(tx, place, "# Memory\n\n- I like tea.\n", writer=writer)
        file = write(tx, place, TEXT, writer=writer).file
    hidden(world, file)
    with write_transaction(world.team) as tx:
        restore(tx, file, 1, writer=writer)
    file.refresh_from_db()
    assert file.raw_content == f"# Memory\n\n- I like tea.\n- {WEIGHT}\n"


def test_a_conversation_shows_what_else_was_said(world: World, bob: Client) -> None:
    with write_transaction(world.team) as tx:
        said = [NewMessage("user", f"{WEIGHT} And I like tea.")]
        added = add_messages(
            tx, agent=world.agent, owner=world.bobs_memory, conversation_id="talk", messages=said
        )
        origin = Origin((Source(message_id=added.conversation.messages.get().pk),))
        place = Place(world.agent, world.bobs_memory, "MEMORY.md")
        writer = Writer(AuthorKind.DREAM)
        file = write(tx, place, TEXT, writer=writer, origins={4: origin}).file
    hidden(world, file)
    page = text(
        bob.get(url(world.team, "agents_conversation", world.agent.pk, added.conversation.pk))
    )
    assert "And I like tea." in page
    assert "62 kilos" not in page
