"""A statement's page tells where it stood, once it was wrong, and tells those conversations."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memoryweb.memory.models import Conversation, Fact, RecallNotice
from memoryweb.notify import webhooks
from memoryweb.notify.models import Delivery
from tests.api.callers import callers_of
from tests.memory.test_recall_notices import NEW, OLD, WRONG, ask, edit, not_true, stated, talk
from tests.statements import counted
from tests.web.pages import text, tight, url
from tests.webhooks.test_webhooks import made_for
from tests.world import World

Page = tuple[Fact, Conversation, str]


@pytest.fixture
def wrong(world: World) -> Page:
    """Given to a customer's conversation, twice, and to a search of nobody's."""
    fact, there = stated(world), talk(world, world.customer)
    for conversation in (there, there, None):
        ask(world, world.customer, conversation)
    not_true(world, fact)
    return fact, there, page_of(world, fact)


def page_of(world: World, fact: Fact, verb: str = "", query: str = "") -> str:
    name = f"agents_fact{verb}"
    return url(world.team, name, world.agent.pk, fact.pk, query=query)


def test_the_page_asks_and_then_counts_who_took_note(
    world: World, bob: Client, wrong: Page
) -> None:
    fact, there, address = wrong
    page = tight(bob.get(address))
    assert "What was wrong stood in 2 prompts since" in page
    assert "Tell 1 conversation?" in page
    assert "1 read without a conversation can't be told." in page.replace("&#x27;", "'")
    bob.post(page_of(world, fact, "_recall"))
    page = tight(bob.get(address))
    assert "0 of 1 conversation took note." in page
    assert "Tell 1 conversation?" not in page
    ask(world, world.customer, there)
    assert "1 of 1 conversation took note." in tight(bob.get(address))
    again = text(bob.post(page_of(world, fact, "_recall"), follow=True))
    assert "This statement has changed." in again
    assert RecallNotice.objects.count() == 1


def test_a_page_of_what_holds_asks_nothing(world: World, bob: Client) -> None:
    ask(world, world.customer, talk(world, world.customer))
    fact = stated(world)
    assert "What was wrong" not in text(bob.get(page_of(world, fact)))


def test_who_reads_only_is_not_asked(
    world: World, vera: Client, audrey: Client, charlie: Client, wrong: Page
) -> None:
    fact, _there, address = wrong
    for client in (vera, audrey):
        assert "What was wrong" not in text(client.get(address))
        assert client.post(page_of(world, fact, "_recall")).status_code == 403
    assert charlie.post(page_of(world, fact, "_recall")).status_code == 404
    assert not RecallNotice.objects.exists()


def test_whose_conversation_it_is_stands_on_an_admins_page(
    world: World, alice: Client, bob: Client, wrong: Page
) -> None:
    fact, _there, address = wrong
    bob.post(page_of(world, fact, "_recall"))
    assert "customer-1" in text(alice.get(address))
    assert "customer-1" not in text(bob.get(address))


def test_a_sender_sees_their_own(world: World, bob: Client, alice: Client) -> None:
    for number, (sender, is_seen) in enumerate(((bob, True), (alice, False))):
        fact = stated(world, f"{OLD[:-1]} {number}.")
        ask(world, world.bobs_memory, talk(world, world.bobs_memory, f"c-{number}"))
        not_true(world, fact)
        sender.post(page_of(world, fact, "_recall"))
        assert ("Mine: 1 not yet" in tight(bob.get(page_of(world, fact)))) is is_seen


def test_what_is_personal_its_owner_recalls(world: World, bob: Client, alice: Client) -> None:
    fact = stated(world, "I live in Hamburg.", world.bobs_memory)
    ask(world, world.bobs_memory, talk(world, world.bobs_memory))
    not_true(world, fact)
    for query in ("", f"?owner={world.bobs_memory.pk}"):
        assert alice.post(page_of(world, fact, "_recall", query)).status_code in {403, 404}
    assert not RecallNotice.objects.exists()
    assert "Tell 1 conversation?" in tight(bob.get(page_of(world, fact, query="?owner=me")))
    bob.post(page_of(world, fact, "_recall", "?owner=me"))
    assert RecallNotice.objects.count() == 1


def test_after_an_edit_the_new_statements_page_asks(world: World, bob: Client) -> None:
    fact = stated(world)
    ask(world, world.customer, talk(world, world.customer))
    page = tight(bob.get(page_of(world, edit(world, fact))))
    assert "Tell 1 conversation?" in page
    assert page_of(world, fact, "_recall") in page


def test_what_is_to_be_forgotten_is_not_offered(world: World, alice: Client, wrong: Page) -> None:
    fact, _there, address = wrong
    alice.post(page_of(world, fact, "_forget"))
    assert "What was wrong" not in text(alice.get(address))


@pytest.mark.databases
def test_many_conversations_cost_no_more(world: World, bob: Client, wrong: Page) -> None:
    _fact, _there, address = wrong
    bob.get(address)
    few = counted(lambda: bob.get(address))
    other = stated(world, "Marta lives in Graz.")
    for number in range(8):
        ask(world, world.customer, talk(world, world.customer, f"n-{number}"))
    not_true(world, other)
    bob.post(page_of(world, other, "_recall"))
    assert counted(lambda: bob.get(page_of(world, other))) <= few <= 15


def test_the_api_says_it_once(world: World, bob: Client, wrong: Page) -> None:
    callers, path = callers_of(world), f"/agents/{world.agent.pk}"
    fact, there, _address = wrong
    bob.post(page_of(world, fact, "_recall"))
    asked = {"endUserId": "customer-1", "message": "Hi.", "conversationId": there.external_id}
    answer = callers.helpdesk.post(f"{path}/context", asked).json()
    assert answer["notices"] == [{"factId": str(fact.pk), "text": WRONG}]
    assert f"- {WRONG}" in answer["messages"][0]["content"]
    assert "Hamburg" not in str(answer)
    assert callers.helpdesk.post(f"{path}/context", asked).json()["notices"] == []


def test_another_owners_conversation_of_that_name_is_told_nothing(
    world: World, bob: Client, wrong: Page
) -> None:
    callers, path = callers_of(world), f"/agents/{world.agent.pk}"
    fact, there, _address = wrong
    bob.post(page_of(world, fact, "_recall"))
    talk(world, world.bobs_memory, there.external_id)
    asked = {"message": "Hi.", "conversationId": there.external_id}
    for owner in ({"endUserId": "customer-2"}, {"owner": "shared"}):
        answer = callers.helpdesk.post(f"{path}/context", {**asked, **owner}).json()
        assert answer["notices"] == []
    assert callers.member.post(f"{path}/context", asked).json()["notices"] == []


def test_a_webhook_is_told_ids(world: World, bob: Client, wrong: Page, settings: Any) -> None:
    settings.PRIVATE_HOSTS = ["127.0.0.1"]
    made_for(world, "http://127.0.0.1:9/hook")
    fact, _there, _address = wrong
    bob.post(page_of(world, fact, "_recall"))
    webhooks.tell(timezone.now())
    [body] = [one.body for one in Delivery.objects.filter(type="fact.recalled")]
    assert str(fact.pk) in body
    assert not any(word in body for word in ("Marta", "marta", "Hamburg", "customer-1", NEW))
