"""A statement that is to be forgotten is read with its request alone: not on its own page, nor
where a dream tells of it. Who did not ask for it is offered no undo."""

import pytest
from django.test import Client

from memoryweb.memory.forgetting.finding import fact_mention
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.models import Fact, ForgetRequest
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.writing.write import Place, Writer, write
from tests.api.client import Api
from tests.forgetting.asking import hidden, lived
from tests.forgetting.test_short_statements import SHORT, WORDS, dreamt
from tests.web.pages import text, url
from tests.world import World, personal_token

pytestmark = pytest.mark.django_db
POOL = "The pool opens at nine."


def page_of(world: World, client: Client, fact: Fact) -> str:
    query = "?owner=me" if fact.owner_id else ""
    return text(client.get(url(world.team, "agents_fact", world.agent.pk, fact.pk, query=query)))


@pytest.fixture
def private(world: World) -> Fact:
    """A shared statement that a customer's own request hides."""
    place = Place(world.agent, None, "MEMORY.md")
    with write_transaction(world.team) as work:
        writer = Writer(AuthorKind.PERSON, user=world.alice)
        write(work, place, f"# Memory\n\n- {POOL}\n", writer=writer)
        shared = Fact.objects.get(raw_text=POOL)
        request = open_request(
            work, Wish(world.agent, world.customer, ForgetRequest.Via.MESSAGE, "the pool")
        )
        hide(work, request, [fact_mention(shared)])
    return shared


def test_its_page_says_only_that_it_is_hidden(world: World, bob: Client) -> None:
    fact = lived(world, world.bobs_memory, SHORT, "Noted.")
    assert WORDS in page_of(world, bob, fact)
    hidden(world, fact)
    page = page_of(world, bob, fact)
    assert WORDS not in page
    assert "Hidden: it is to be forgotten" in page
    assert ">To be forgotten</span>" in page
    assert "in the prompt" not in page
    assert "Not helpful</button>" not in page
    undo = url(world.team, "agents_fact_unforget", world.agent.pk, fact.pk, query="?owner=me")
    assert undo in page
    assert WORDS in text(bob.post(undo, follow=True))


def test_what_a_dream_told_of_it_is_read_without(world: World, bob: Client) -> None:
    fact = lived(world, world.bobs_memory, SHORT, "Noted.")
    run = dreamt(world, world.bobs_memory)
    page = url(world.team, "agents_run", run.pk)
    report = f"/memory/{world.agent.pk}/dream/reports"
    program = Api(personal_token(world.team, world.bob))

    def read() -> list[str]:
        told = [program.get(f"{report}{one}?owner=me") for one in ("", f"/{run.pk}")]
        return [text(bob.get(page)), *(one.content.decode() for one in told)]

    assert all(WORDS in one for one in read())
    hidden(world, fact)
    assert [one for one in read() if WORDS in one] == []


def test_anothers_request_about_shared_memory_offers_no_undo(
    world: World, private: Fact, alice: Client
) -> None:
    page = page_of(world, alice, private)
    assert POOL not in page
    assert "/forget/undo/" not in page
    assert "/edit/" not in page
    file = text(alice.get(url(world.team, "agents_file", world.agent.pk, "MEMORY.md")))
    assert POOL not in file
    assert "/forget/undo/" not in file
