"""A statement that is to be forgotten is read with its request alone: not on its own page, nor
where a dream tells of it. Who did not ask for it is offered no undo."""

import pytest
from django.test import Client

from memoryweb.memory.forgetting.erasing import erase_now
from memoryweb.memory.forgetting.finding import fact_mention
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import (
    AuthorKind,
    Contradiction,
    Fact,
    ForgetRequest,
    Message,
    Revision,
)
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing import tombstones
from memoryweb.memory.writing.proposing import propose
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine
from tests.api.client import Api
from tests.forgetting.asking import WEIGHT, hidden, lived
from tests.forgetting.test_short_statements import SHORT, WORDS, dreamt
from tests.walls.api_stage import contradicted
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
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.PERSON, user=world.alice)
        write(tx, place, f"# Memory\n\n- {POOL}\n", writer=writer)
        shared = Fact.objects.get(raw_text=POOL)
        request = open_request(
            tx, Wish(Memory(world.agent, world.customer), ForgetRequest.Via.MESSAGE, "the pool")
        )
        hide(tx, request, [fact_mention(shared)])
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


def test_a_proposal_quotes_nothing_that_is_to_be_forgotten(world: World, bob: Client) -> None:
    fact = lived(world, world.bobs_memory)
    said = Message.objects.get(conversation__owner=world.bobs_memory, position=1)
    run, file = dreamt(world, world.bobs_memory), fact.file
    assert file
    with write_transaction(world.team) as tx:
        content = f"{file.raw_content}- Tea is fine.\n"
        origins = {content.count("\n"): Origin((Source(message_id=said.pk),))}
        made = propose(tx, run=run, file=file, content=content, origins=origins, broken=[])
    address = url(world.team, "review_item", "proposal", made.pk)
    assert f"“{WEIGHT} And I like tea.”" in text(bob.get(address))
    hidden(world, fact)
    page = text(bob.get(address))
    assert "And I like tea.”" in page
    assert WEIGHT not in page


def test_the_list_of_review_says_only_that_a_side_is_hidden(world: World, bob: Client) -> None:
    found = Contradiction.objects.get(pk=contradicted(world.home, None))
    sides = list(found.facts.order_by("created_at"))
    with write_transaction(world.team) as tx:
        request = open_request(tx, Wish(Memory(world.agent, None), ForgetRequest.Via.PAGE, "Marta"))
        hide(tx, request, [fact_mention(sides[0])])
    page = text(bob.get(url(world.team, "review")))
    assert sides[0].raw_text not in page
    assert sides[1].raw_text in page


def test_to_forget_many_asks_about_no_hidden_text(world: World, bob: Client) -> None:
    fact = lived(world, world.bobs_memory)
    hidden(world, fact)
    address = url(world.team, "agents_facts_many", world.agent.pk, query="?owner=me")
    page = text(bob.post(address, {"act": "forget", "pick": fact.pk}))
    assert "Forget 1 statement?" in page
    assert WEIGHT not in page


TWO = "My name is Bob Carter and I live in Leeds."
MARKED = f"{TWO} <!-- until 2026-09-28: I live in Leeds -->"


def test_of_two_claims_one_is_kept_with_one_tick(world: World, bob: Client) -> None:
    memory = Memory(world.agent, world.bobs_memory)
    with write_transaction(world.team) as tx:
        text_ = f"# Memory\n\n## About\n\n- {MARKED}\n"
        file = write(tx, memory.at("MEMORY.md"), text_, writer=Writer(AuthorKind.DREAM)).file
    fact = Fact.objects.get(file=file)
    address = url(world.team, "agents_fact_forget", world.agent.pk, fact.pk, query="?owner=me")
    page = text(bob.get(address))
    assert 'value="My name is Bob Carter"' in page
    bob.post(address, {"keep": ["My name is Bob Carter", "I am the king"]})
    file.refresh_from_db()
    assert file.raw_content == f"{text_}- My name is Bob Carter\n"
    assert Fact.objects.get(raw_text="My name is Bob Carter").is_written
    with write_transaction(world.team) as tx:
        run = erase_now(tx, ForgetRequest.objects.get(), world.bob)
    engine.work(run.pk)
    file.refresh_from_db()
    assert file.raw_content == "# Memory\n\n## About\n\n- My name is Bob Carter\n"
    buried = tombstones.of(*memory.key)
    said = [f"- {TWO}", f"- {MARKED}", "- I live in Leeds.", "- My name is Bob Carter"]
    assert [bool(buried.kept_out(one)) for one in said] == [False, False, False, True]
    assert not Revision.objects.filter(file=file, raw_text__contains="Leeds").exists()
