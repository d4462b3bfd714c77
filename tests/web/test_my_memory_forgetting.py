"""What somebody asked to forget stands on their page, to undo, pick from, keep or erase."""

import pytest
from django.test import Client
from django_scopes import scope

from memoryweb.agents.models import Owner, Reader
from memoryweb.agents.owners import person_owner
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting import requests
from memoryweb.memory.forgetting.hiding import Wish
from memoryweb.memory.models import AuthorKind, Conversation, File, ForgetRequest
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.prompt.context import build
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.extraction.talking import extract, talk
from tests.web.pages import text, url
from tests.world import World

WEIGHT = "I weigh 62 kilos."
ROSES = [f"The garden has a rose number {n}." for n in range(8)]


def remembers(world: World, *lines: str, owner: Owner | None) -> None:
    content = "# Memory\n\n" + "".join(f"- {line}\n" for line in lines)
    with write_transaction(world.team) as tx:
        place = Place(world.agent, owner, "MEMORY.md")
        write(tx, place, content, writer=Writer(AuthorKind.PERSON, user=world.bob))


def says(world: World, *said: str) -> ForgetRequest:
    messages = [NewMessage("user", one) for one in said]
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.bobs_memory,
            conversation_id="talk",
            messages=messages,
        )
    return ForgetRequest.objects.latest("created_at")


def by_tool(world: World, about: str) -> ForgetRequest:
    asked = Wish(Memory(world.agent, world.bobs_memory), ForgetRequest.Via.TOOL, about)
    with write_transaction(world.team) as tx:
        return requests.ask(tx, asked)


def act(world: World, client: Client, name: str, *asked: ForgetRequest, **more: object) -> str:
    body = {"request": [str(one.pk) for one in asked], **more}
    return text(client.post(url(world.team, f"mine_{name}"), body, follow=True))


def prompt(world: World) -> str:
    with scope(team=world.team):
        context = build(Reader(world.agent, world.bobs_memory), "")
    return context.system + "".join(turn.content for turn in context.messages)


def state(request: ForgetRequest) -> str:
    request.refresh_from_db()
    return request.state


def test_what_was_hidden_is_shown_and_brought_back(world: World, bob: Client) -> None:
    remembers(world, WEIGHT, "I like tea.", owner=world.bobs_memory)
    request = says(world, "Please forget my weight.")
    page = text(bob.get(url(world.team, "mine")))
    assert page.count(WEIGHT) == 1
    assert "Please forget my weight." in page
    assert "You asked Atlas in the conversation talk" in page
    assert "Forgotten. Erased" in page
    assert "62 kilos" not in prompt(world)
    page = act(world, bob, "bring_back", request)
    assert "It is back." in page
    assert "What you asked to forget" not in page
    assert "62 kilos" in prompt(world)
    assert "nothing to undo" in act(world, bob, "bring_back", request)


def test_candidates_are_ticked_and_can_be_undone(world: World, bob: Client) -> None:
    remembers(world, *ROSES, owner=world.bobs_memory)
    request = says(world, "Forget about our garden.")
    page = text(bob.get(url(world.team, "mine")))
    assert "Which of these do you mean?" in page
    assert "Waiting for your decision" not in page
    assert "Tick what to forget" in act(world, bob, "forget", request)
    pick = str(request.targets.filter(fact__raw_text=ROSES[3]).get().fact_id)
    assert "You can still undo it." in act(world, bob, "forget", request, pick=[pick])
    assert state(request) == ForgetRequest.State.HIDDEN
    assert not Run.objects.filter(kind="erasure").exists()
    assert ROSES[3] not in prompt(world)
    assert ROSES[4] in prompt(world)


def test_what_memory_does_not_hold_is_said_plainly(world: World, bob: Client) -> None:
    request = says(world, "Please forget my yacht.")
    page = text(bob.get(url(world.team, "mine")))
    assert "Your memory holds nothing that says this." in page
    act(world, bob, "keep", request)
    assert state(request) == ForgetRequest.State.KEPT


def test_it_is_erased_now_by_its_person(world: World, bob: Client) -> None:
    remembers(world, WEIGHT, owner=world.bobs_memory)
    request = says(world, "Please forget my weight.")
    assert "It is being erased." in act(world, bob, "erase", request)
    assert Run.objects.get(kind="erasure").owner == world.bobs_memory


@pytest.mark.parametrize("before", [True, False])
def test_memory_is_paused_until_everything_is_erased_and_on_again_afterwards(
    world: World, bob: Client, before: bool
) -> None:
    remembers(world, WEIGHT, owner=world.bobs_memory)
    Owner.objects.filter(pk=world.bobs_memory.pk).update(keeping=before, using=before)
    shown = text(bob.get(url(world.team, "mine")))
    assert "Memory is paused until that is done, and is on again afterwards." in shown
    said = text(bob.post(url(world.team, "mine_forget_all"), follow=True))
    assert "Until that is done, memory is paused. Afterwards it is on again." in said
    assert says_something_new(world).skipped == "paused"
    list(engine.run_pending())
    new = says_something_new(world)
    assert new.owner != world.bobs_memory
    extract(world, new)
    files = File.objects.filter(owner=new.owner).values_list("raw_content", flat=True)
    assert "Porto" in "".join(files)


def says_something_new(world: World) -> Conversation:
    owner = person_owner(world.team, world.bob)
    return talk(world, [("user", "I moved to Porto yesterday.")], owner=owner)


def test_all_that_agents_asked_is_undone_with_one_click(world: World, bob: Client) -> None:
    remembers(world, WEIGHT, "I like tea.", "My cat is called Tom.", owner=world.bobs_memory)
    asked = [by_tool(world, about) for about in ("my weight", "my cat", "tea")]
    page = text(bob.get(url(world.team, "mine")))
    assert "Undo all that agents asked" in page
    act(world, bob, "bring_back", *asked)
    assert {state(one) for one in asked} == {ForgetRequest.State.UNDONE}
    for line in (WEIGHT, "I like tea.", "My cat is called Tom."):
        assert line in prompt(world)


@pytest.mark.parametrize("name", ["bring_back", "keep", "erase", "forget"])
def test_nobody_else_decides(world: World, alice: Client, name: str) -> None:
    remembers(world, WEIGHT, owner=world.bobs_memory)
    request = says(world, "Please forget my weight.")
    where = url(world.team, f"mine_{name}")
    for asked in (str(request.pk), str(world.agent.pk), "none", ""):
        assert alice.post(where, {"request": asked}).status_code == 404
    assert alice.get(where).status_code == 405
    assert state(request) == ForgetRequest.State.HIDDEN


def test_the_only_line_that_could_be_meant_is_ticked(world: World, alice: Client) -> None:
    remembers(world, ROSES[0], owner=None)
    request = by_tool(world, "the garden")
    page = text(alice.get(url(world.team, "review_item", "forget", request.pk)))
    assert page.count('type="checkbox"') == page.count(" checked>") == 1


def test_shared_memory_waits_in_review_for_an_admin(
    world: World, alice: Client, bob: Client
) -> None:
    remembers(world, *ROSES[:2], owner=None)
    request = by_tool(world, "the garden")
    assert (request.owner, request.state) == (None, ForgetRequest.State.OPEN)
    page = url(world.team, "review_item", "forget", request.pk)
    assert ROSES[0] in text(bob.get(page))
    assert "your role does not let you decide" in text(bob.get(page))
    decide = url(world.team, "review_decide", "forget", request.pk)
    pick = [str(request.targets.filter(fact__raw_text=ROSES[0]).get().fact_id)]
    assert bob.post(decide, {"decision": "forget", "value": pick}).status_code == 403
    assert "Tick what to forget" in text(alice.post(decide, {"decision": "forget"}))
    told = text(alice.post(decide, {"decision": "forget", "value": pick}, follow=True))
    assert "You can still undo it." in told
    assert ROSES[0] not in prompt(world)
    assert ROSES[1] in prompt(world)
    alice.post(decide, {"decision": "undo"})
    assert ROSES[0] in prompt(world)


def test_what_was_said_again_is_offered_and_says_why(world: World, bob: Client) -> None:
    remembers(world, WEIGHT, "I like tea.", owner=world.bobs_memory)
    request = says(world, "Please forget my weight.")
    says(world, WEIGHT)
    page = text(bob.get(url(world.team, "mine")))
    assert (state(request), "62 kilos" in prompt(world)) == ("open", True)
    assert "You said this again since, so it is kept." in page
    act(world, bob, "keep", request)
    assert state(request) == "kept"
    assert "62 kilos" in prompt(world)
