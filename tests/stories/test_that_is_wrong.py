"""“That's wrong” after an answer aims at what the conversation's last prompt carried."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.accounts.models import User
from memoryweb.memory.models import AuthorKind, Conversation
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.api.client import Api
from tests.dreaming.nights import dream, text_of
from tests.stories.telling import says
from tests.web.pages import text, url
from tests.world import World, personal_token, signed_in

CELLO, HENS = "I play the cello every evening.", "I keep six hens behind the house."
NOW = timezone.now().date()
DAYS = (NOW - timedelta(days=3), NOW - timedelta(days=1))


@pytest.fixture
def api(world: World) -> Api:
    return Api(personal_token(world.team, world.bob))


def _base(world: World) -> str:
    return f"/agents/{world.agent.pk}"


def _asks(world: World, api: Api, message: str, talk: str = "today") -> None:
    body = {"owner": "me", "messages": [{"role": "user", "content": message}]}
    api.post(f"{_base(world)}/conversations/{talk}/messages", body)
    asked = {"owner": "me", "message": message, "conversationId": talk}
    assert api.post(f"{_base(world)}/context", asked).status_code == 200


def _carried(world: World, api: Api, talk: str = "today") -> dict[str, Any]:
    answer = api.get(f"{_base(world)}/conversations/{talk}/last-prompt?owner=me")
    assert answer.status_code == 200, answer.content
    told: dict[str, Any] = answer.json()
    return told


def _remembers(world: World, *texts: str) -> None:
    place = Place(world.agent, world.bobs_memory, "MEMORY.md")
    with write_transaction(world.team) as tx:
        lines = "".join(f"- {one}\n" for one in texts)
        write(tx, place, f"# Memory\n\n{lines}", writer=Writer(AuthorKind.DREAM))


def test_what_is_not_true_leaves_the_next_prompt_and_no_dream_brings_it_back(
    world: World, api: Api
) -> None:
    owner = world.bobs_memory
    says(world, "before", CELLO, HENS, day=DAYS[0], owner=owner)
    dream(world, owner, DAYS[0])
    assert CELLO in text_of(world, owner)
    _asks(world, api, "Which instrument do I play?")
    facts = {one["text"]: one["id"] for one in _carried(world, api)["facts"]}
    (wrong,) = (key for said, key in facts.items() if "cello" in said)
    address = f"{_base(world)}/conversations/today/not-true?owner=me"
    assert api.post(address, {"fact": wrong}).json()["state"] == "retired"
    assert api.post(address, {"fact": wrong}).status_code == 404
    assert not any("cello" in one["text"] for one in _carried(world, api)["facts"])
    assert "cello" not in text_of(world, owner)
    says(world, "after", HENS, day=DAYS[1], owner=owner)
    dream(world, owner, DAYS[1])
    assert "cello" not in text_of(world, owner)
    answer = api.post(f"{_base(world)}/context", {"owner": "me", "message": "What do I play?"})
    assert "cello" not in answer.json()["messages"][0]["content"]


def test_only_what_the_last_prompt_carried_is_offered(world: World, api: Api) -> None:
    _remembers(world, CELLO)
    _asks(world, api, "Which instrument do I play?")
    _remembers(world, CELLO, HENS)
    assert [one["text"] for one in _carried(world, api)["facts"]] == [CELLO]
    _asks(world, api, "And the hens?")
    assert {one["text"] for one in _carried(world, api)["facts"]} == {CELLO, HENS}
    hens = next(one["id"] for one in _carried(world, api)["facts"] if one["text"] == HENS)
    other = f"{_base(world)}/conversations/elsewhere/not-true?owner=me"
    _asks(world, api, "Hello", talk="elsewhere")
    _remembers(world, CELLO)
    assert api.post(other, {"fact": hens}).status_code == 404


@pytest.mark.parametrize("text", ["none", "1", "", "..", "\u2603", "x" * 300])
@pytest.mark.first_two
def test_what_is_no_id_is_not_found(world: World, api: Api, text: str) -> None:
    _remembers(world, CELLO)
    _asks(world, api, "Which instrument do I play?")
    address = f"{_base(world)}/conversations/today/not-true?owner=me"
    assert api.post(address, {"fact": text}).status_code == 404


def test_where_no_prompt_was_asked_for_nothing_was_carried(world: World, api: Api) -> None:
    body = {"owner": "me", "messages": [{"role": "user", "content": "Hello there."}]}
    api.post(f"{_base(world)}/conversations/today/messages", body)
    assert _carried(world, api) == {"conversationId": "today", "at": None, "facts": []}


def test_the_conversations_page_lists_it_or_says_that_memory_did_not_hold_it(
    world: World, api: Api
) -> None:
    bob: User = world.bob
    browser = signed_in(bob)
    _asks(world, api, "Which instrument do I play?")
    talk = Conversation.objects.get(external_id="today")
    address = url(world.team, "agents_conversation", world.agent.pk, talk.pk)
    assert "Memory held no statement" in text(browser.get(address))
    _remembers(world, CELLO)
    _asks(world, api, "Which instrument do I play?")
    page = browser.get(address)
    assert CELLO in text(page)
    (act,) = re.findall(r'action="([^"]+/not-true/[^"]*)"', page.content.decode())
    browser.post(unescape(act))
    assert CELLO not in text_of(world, world.bobs_memory)
    assert "Memory held no statement" in text(browser.get(address))
