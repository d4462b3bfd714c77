"""Statements of an agent as pages: what is held, who said it, what stood there before."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django_scopes import scopes_disabled
from pytest_django import DjangoAssertNumQueries

from memoryweb.accounts.teams import system_team
from memoryweb.agents.models import GLOBAL_AGENT_ID, Agent
from memoryweb.memory.models import AuthorKind, Evidence, Fact, Message
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.facts.making import made
from tests.web.pages import actions, fragment, text, tight, url
from tests.web.stage import PERSONAL, SHARED, Stage
from tests.world import World


@pytest.fixture
def shared(stage: Stage) -> Fact:
    return Fact.objects.get(file=stage.memory)


def test_a_statement_is_listed_with_its_speaker_and_its_place(
    stage: Stage, vera: Client, shared: Fact
) -> None:
    page = tight(vera.get(url(stage.world.team, "agents_facts", stage.world.agent.pk)))
    assert SHARED in page
    assert "Guest" in page
    assert re.search(r"MEMORY\.md:\d+", page)
    assert "medium" not in page.partition('<ul class="items statements')[2]


@pytest.mark.parametrize(
    ("speakers", "told"),
    [
        (["Marta"], ""),
        (["Marta", "Marta"], "said twice"),
        (["Marta", "Jonas"], "said by two people"),
        (["Marta", "Jonas", "Jonas"], "said three times by two people"),
    ],
)
def test_what_was_said_more_than_once_says_so(
    stage: Stage, bob: Client, shared: Fact, speakers: list[str], told: str
) -> None:
    _said(shared, speakers)
    for address in (_page(stage, shared), url(stage.world.team, "agents_facts", shared.agent_id)):
        page = text(bob.get(address)).casefold()
        assert told in page if told else not re.search(r"said (twice|by|\w+ times)", page)


def test_whoever_confirmed_it_is_named_and_an_agent_alone_too(
    stage: Stage, bob: Client, vera: Client, shared: Fact
) -> None:
    listed = url(stage.world.team, "agents_facts", shared.agent_id)
    shared.evidence.all().delete()
    Fact.objects.filter(pk=shared.pk).update(source="agent")
    assert "only once, by an agent" in text(bob.get(listed))
    bob.post(_act(stage, shared, "confirm"))
    assert "confirmed by you" in text(bob.get(listed))
    assert "confirmed by Bob" in text(vera.get(listed))


def _said(fact: Fact, speakers: list[str]) -> None:
    """In a message each."""
    fact.evidence.all().delete()
    talk = fact.agent.conversations.first()
    assert talk
    for at, name in enumerate(speakers, start=900):
        said = {
            "team": fact.team,
            "conversation": talk,
            "position": at,
            "role": "user",
            "external_id": f"m{at}",
        }
        message = Message.objects.create(**said, name=name, timestamp=timezone.now())
        Evidence.objects.create(team=fact.team, fact=fact, message=message, said_at=timezone.now())


def test_the_switch_leads_to_ones_own(stage: Stage, bob: Client, vera: Client) -> None:
    address = url(stage.world.team, "agents_facts", stage.world.agent.pk, query="?owner=me")
    assert PERSONAL in text(bob.get(address))
    assert "No statements yet" in text(vera.get(address))


def test_filters_narrow_the_list(world: World, bob: Client) -> None:
    made(world, "Tea is served at five.")
    made(world, "Marta lives in Hamburg.", state=Fact.State.SUPERSEDED, kind="identity")
    address = url(world.team, "agents_facts", world.agent.pk)
    for query, tea, town in (
        ("", True, False),
        ("?state=all", True, True),
        ("?state=superseded", False, True),
        ("?q=tea", True, False),
        ("?state=all&kind=identity", False, True),
    ):
        page = text(bob.get(address + query))
        assert ("Tea is served" in page, "Hamburg" in page) == (tea, town), query
    assert "No matches" in text(bob.get(address + "?q=zebra"))


def test_a_bar_of_trust_counts_all_statements_and_its_parts_narrow_the_list(
    world: World, bob: Client
) -> None:
    address = url(world.team, "agents_facts", world.agent.pk)
    fading = timezone.now() - timedelta(days=100)
    for n in range(19):
        is_old: dict[str, Any] = {"said_at": fading} if n < 4 else {}
        made(world, f"Shelf {n} is full.", source="agent", **is_old)
    made(world, "Tea is served at six.", state=Fact.State.SUPERSEDED)
    assert "trust=high" not in text(bob.get(address))
    made(world, "Tea is served at five.", state=Fact.State.DISPUTED)
    Fact.objects.filter(raw_text="Shelf 9 is full.").update(confirmed_at=timezone.now())
    page = tight(bob.get(address))
    for query, name, n in (
        ("state=active&amp;trust=high", "High", 1),
        ("state=active&amp;trust=medium", "Medium", 14),
        ("state=active&amp;trust=low", "Low", 4),
        ("state=disputed", "Contradicted", 1),
    ):
        link = f'href="?{query}">{name} {n}</a>'
        assert link in page
        narrowed = text(bob.get(f"{address}?{query.replace('amp;', '')}"))
        assert narrowed.count('class="says"') == n
        assert link in tight(bob.get(f"{address}?q=tea"))
    assert "Tea" in text(bob.get(f"{address}?trust=nonsense"))


def test_no_statement_of_somebody_else_is_counted(world: World, bob: Client, vera: Client) -> None:
    for n in range(30):
        made(world, f"Shelf {n} is full.", owner=world.bobs_memory)
    address = url(world.team, "agents_facts", world.agent.pk)
    assert "trust=" not in text(vera.get(address))
    assert "trust=medium&amp;owner=me" in text(bob.get(f"{address}?owner=me"))


def test_a_long_list_has_pages_and_costs_no_more(
    world: World, bob: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    text_ = "".join(f"- Shelf {n} holds {n} boxes.\n" for n in range(210))
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "MEMORY.md")
        write(tx, place, text_, writer=Writer(AuthorKind.PERSON, user=world.alice))
    address = url(world.team, "agents_facts", world.agent.pk)
    with django_assert_max_num_queries(14):
        first = text(bob.get(address))
    assert first.count('class="says"') == 100
    assert "page=2" in first
    assert text(bob.get(address + "?page=3")).count('class="says"') == 10
    more = text(fragment(bob, address + "?page=2", "more"))
    assert more.count('class="says"') == 100
    assert "<html" not in more
    assert 'hx-get="?page=3"' in more
    assert text(fragment(bob, address + "?page=2-", "more")).count('class="says"') == 110


def test_one_statement_tells_what_it_stands_on_and_where(
    stage: Stage, vera: Client, shared: Fact
) -> None:
    page = tight(vera.get(url(stage.world.team, "agents_fact", stage.world.agent.pk, shared.pk)))
    thread = page.partition('<ol class="lifeline">')[2].partition("</section>")[0]
    stations = ("Said", "Noted", "Statement", "Used in 30 days")
    assert sorted(stations, key=thread.index) == list(stations)
    assert f"“{SHARED}”" in thread
    assert "Open the conversation" in thread
    assert ">Note of " in thread
    assert "MEMORY.md:" in thread
    assert 'class="here"' in page


def test_earlier_values_are_struck_with_their_dates(world: World, vera: Client) -> None:
    key = ("marta", "city")
    now = made(world, "Marta lives in Berlin.", subject=key[0], attribute=key[1])
    was = made(world, "Marta lives in Hamburg.", subject=key[0], attribute=key[1])
    was.state, was.why, was.superseded_by = Fact.State.SUPERSEDED, Fact.Why.SUPERSEDED, now
    was.save()
    page = tight(vera.get(url(world.team, "agents_fact", world.agent.pk, now.pk)))
    assert "<del>Marta lives in Hamburg.</del>" in page
    assert "A newer value replaced it." in page
    assert "Not in the prompt: MEMORY.md has no room for it." in page


def test_evidence_of_another_persons_conversation_is_not_shown(
    stage: Stage, vera: Client, shared: Fact
) -> None:
    message = stage.bobs_talk.messages.order_by("position")[0]
    Evidence.objects.create(team=stage.world.team, fact=shared, message=message)
    address = url(stage.world.team, "agents_fact", stage.world.agent.pk, shared.pk)
    page = text(vera.get(address))
    assert PERSONAL not in page
    assert "another person" in page


def test_a_statement_is_found_only_under_its_owner(stage: Stage, bob: Client) -> None:
    mine = Fact.objects.get(owner=stage.world.bobs_memory)
    address = url(stage.world.team, "agents_fact", stage.world.agent.pk, mine.pk)
    assert bob.get(address).status_code == 404
    assert bob.get(address + "?owner=me").status_code == 200


@pytest.mark.parametrize(
    ("act", "state", "event"),
    [("confirm", "active", "fact.confirmed"), ("not_true", "retired", "fact.not_true")],
)
def test_an_act_changes_the_statement_and_leaves_an_event(
    stage: Stage, bob: Client, shared: Fact, act: str, state: str, event: str
) -> None:
    address = _act(stage, shared, act)
    assert bob.post(address).status_code == 302
    shared.refresh_from_db()
    assert shared.state == state
    assert bool(shared.confirmed_at) == (act == "confirm")
    assert (SHARED in stage.memory.raw_content) == (act == "confirm")
    assert event in actions(stage.world.team)


def test_what_is_not_true_can_be_brought_back(stage: Stage, bob: Client, shared: Fact) -> None:
    bob.post(_act(stage, shared, "not_true"))
    page = tight(bob.get(_page(stage, shared)))
    assert "A person took it back." in page
    assert "Not true</button>" not in page
    bob.post(_act(stage, shared, "restore"))
    assert SHARED in stage.memory.raw_content
    assert "Restore</button>" not in tight(bob.get(_page(stage, shared)))


def test_an_edit_leads_to_what_stands_now(stage: Stage, bob: Client, shared: Fact) -> None:
    answer = bob.post(
        _act(stage, shared, "edit"), {"text": "The release is on Thursday."}, follow=True
    )
    page = tight(answer)
    assert "<h1>The release is on Thursday.</h1>" in page
    assert f"<del>{SHARED}</del>" in page
    assert "- The release is on Thursday." in stage.memory.raw_content


def test_a_persons_own_word_is_not_doubted(
    stage: Stage, bob: Client, vera: Client, alice: Client, shared: Fact
) -> None:
    said = SHARED.replace("Thursday", "Wednesday")
    team, agent = stage.world.team, stage.world.agent.pk
    page = bob.post(url(team, "agents_fact_edit", agent, shared.pk), {"text": said}, follow=True)
    here = page.redirect_chain[-1][0]
    shown = _words(page)
    assert re.search(r"You wrote this\. today \d\d:\d\d", shown)
    assert "/confirm/" not in text(page)
    before = text(page).partition("What it replaced</summary>")[2].partition("</details>")[0]
    assert SHARED in before
    assert text(page).count(f"“{SHARED}”") == 1
    for other in (vera, alice):
        assert "You wrote this" not in text(other.get(here))
        assert "Written down in MEMORY.md. Bob, today" in _words(other.get(here))
    assert "/confirm/" in text(alice.get(here))


def _words(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text(answer)))


def test_an_edit_that_is_refused_keeps_the_text(stage: Stage, bob: Client, shared: Fact) -> None:
    for said in ("", " "):
        answer = bob.post(_act(stage, shared, "edit"), {"text": said})
        assert answer.status_code == 422
        assert re.search(r'id="edit"\s+open', text(answer))
    assert SHARED in stage.memory.raw_content


def test_an_act_in_place_answers_with_the_statement(
    stage: Stage, bob: Client, shared: Fact
) -> None:
    page = tight(fragment(bob, _act(stage, shared, "confirm"), "statement", {}))
    assert "confirmed by you" in page
    assert "Confirm</button>" not in page
    assert "<html" not in page


def test_who_may_only_read_is_offered_nothing(
    stage: Stage, vera: Client, bob: Client, shared: Fact
) -> None:
    assert "<button" in _main(bob.get(_page(stage, shared)))
    assert "<button" not in _main(vera.get(_page(stage, shared)))
    assert vera.post(_act(stage, shared, "confirm")).status_code == 403


def _main(answer: Any) -> str:
    return text(answer).partition("<main")[2].partition("</main>")[0]


def test_a_stranger_and_a_get_change_nothing(
    stage: Stage, charlie: Client, bob: Client, shared: Fact
) -> None:
    assert charlie.post(_act(stage, shared, "not_true")).status_code == 404
    assert bob.get(_act(stage, shared, "not_true")).status_code == 405


def test_an_act_that_comes_too_late_says_so(stage: Stage, bob: Client, shared: Fact) -> None:
    bob.post(_act(stage, shared, "not_true"))
    assert "has changed" in text(bob.post(_act(stage, shared, "confirm"), follow=True))


def test_a_line_and_a_sentence_of_my_memory_lead_to_their_statement(
    stage: Stage, bob: Client, shared: Fact
) -> None:
    line = stage.memory.raw_content.split("\n").index(f"- {SHARED}") + 1
    why = url(stage.world.team, "agents_why", stage.world.agent.pk, "MEMORY.md", line)
    assert _page(stage, shared) in text(bob.get(why))
    mine = Fact.objects.get(owner=stage.world.bobs_memory)
    assert _page(stage, mine) in text(bob.get(url(stage.world.team, "mine")))


def _page(stage: Stage, fact: Fact) -> str:
    return url(stage.world.team, "agents_fact", stage.world.agent.pk, fact.pk)


def _act(stage: Stage, fact: Fact, act: str) -> str:
    return url(stage.world.team, f"agents_fact_{act}", stage.world.agent.pk, fact.pk)


def test_global_statements_are_read_beside_the_shared_ones(
    stage: Stage, vera: Client, bob: Client, shared: Fact
) -> None:
    """Each leads to its line, and nobody changes it from here."""
    with write_transaction(system_team()) as tx:
        agent = Agent.objects.get(pk=GLOBAL_AGENT_ID)
        text_of = "# Knowledge\n\n- The purple lighthouse opens at nine.\n"
        place = Place(agent, None, "KNOWLEDGE.md")
        write(tx, place, text_of, writer=Writer(AuthorKind.SYSTEM))
    with scopes_disabled():
        known = Fact.objects.get(agent_id=GLOBAL_AGENT_ID)
    team, atlas = stage.world.team, stage.world.agent
    address = url(team, "agents_facts", atlas.pk)
    for query, is_listed in (("", True), ("?q=lighthouse", True), ("?q=zebra", False)):
        page = tight(vera.get(address + query))
        assert ("purple lighthouse" in page) == is_listed, query
    page = tight(vera.get(address))
    assert url(team, "agents_global", atlas.pk, "KNOWLEDGE.md") + "#L3" in page
    assert "for all teams" in page
    assert SHARED in page
    assert "lighthouse" not in text(bob.get(address + "?owner=me"))
    assert bob.get(url(team, "agents_fact", atlas.pk, known.pk)).status_code == 404
    confirm = url(team, "agents_fact_confirm", atlas.pk, known.pk)
    assert bob.post(confirm).status_code == 404


def test_an_admin_forgets_a_shared_statement_and_undoes_it(
    stage: Stage, alice: Client, vera: Client, shared: Fact
) -> None:
    alice.post(_act(stage, shared, "forget"))
    page = tight(alice.get(_page(stage, shared)))
    assert "Forgotten. Erased" in page
    assert "Undo</button>" in page
    listed = url(stage.world.team, "agents_facts", stage.world.agent.pk)
    assert SHARED not in text(vera.get(listed))
    alice.post(_act(stage, shared, "unforget"))
    assert SHARED in text(vera.get(listed))


def test_a_member_asks_for_a_shared_statement_to_be_forgotten(
    stage: Stage, bob: Client, shared: Fact
) -> None:
    bob.post(_act(stage, shared, "forget"))
    assert "A person decides in Review." in text(bob.get(_page(stage, shared)))
    assert bob.post(_act(stage, shared, "unforget")).status_code == 403


def test_several_statements_are_decided_at_once(world: World, bob: Client, vera: Client) -> None:
    one, other = made(world, "Tea is served at five."), made(world, "Lunch is at noon.")
    theirs = made(world, "Bob sings.", owner=world.customer)
    address = url(world.team, "agents_facts_many", world.agent.pk)
    picks = [str(one.pk), str(other.pk), str(theirs.pk), "nonsense"]
    assert vera.post(address, {"act": "confirm", "pick": picks}).status_code == 403
    assert "2 statements confirmed." in text(
        bob.post(address, {"act": "confirm", "pick": picks}, follow=True)
    )
    confirmed = Fact.objects.filter(confirmed_at__isnull=False)
    assert set(confirmed) == {one, other}
    assert "Tick statements first." in text(bob.post(address, {"act": "confirm"}, follow=True))
    asked = text(bob.post(address, {"act": "forget", "pick": picks}))
    assert "Forget 2 statements?" in asked
    assert "Bob sings." not in asked


def test_of_several_decided_at_once_those_before_a_refusal_are_told(
    world: World, bob: Client
) -> None:
    one, gone = made(world, "Tea is served at five."), made(world, "Lunch is at noon.")
    Fact.objects.filter(pk=gone.pk).update(state=Fact.State.RETIRED)
    address = url(world.team, "agents_facts_many", world.agent.pk)
    said = text(bob.post(address, {"act": "confirm", "pick": [one.pk, gone.pk]}, follow=True))
    assert "1 statement confirmed." in said
    assert "This statement has changed." in said
    assert set(Fact.objects.filter(confirmed_at__isnull=False)) == {one}


def test_the_list_is_narrowed_by_subject_and_by_who_said_it(world: World, bob: Client) -> None:
    made(world, "Tea is served at five.", heading="Kitchen", source="person")
    made(world, "Lunch is at noon.", heading="Hall")
    address = url(world.team, "agents_facts", world.agent.pk)
    for query in ("?about=Kitchen", "?source=person"):
        page = text(bob.get(address + query))
        assert ("Tea is" in page, "Lunch is" in page) == (True, False), query


def test_a_person_chooses_until_when_it_is_remembered(
    stage: Stage, bob: Client, shared: Fact
) -> None:
    team, place = stage.world.team, (stage.world.agent.pk, shared.pk)
    address = url(team, "agents_fact_until", *place)
    assert "Remembered until Dec. 31, 2099." in text(
        bob.post(address, {"day": "2099-12-31"}, follow=True)
    )
    page = bob.get(url(team, "agents_fact", *place))
    assert 'value="2099-12-31"' in page.text
    assert "until" in text(page)
    refused = bob.post(address, {"day": "2020-01-01"})
    assert refused.status_code == 422
    assert "Choose a day that isn&#x27;t over yet." in refused.text
    shared.refresh_from_db()
    assert str(shared.valid_to) == "2099-12-31"
    bob.post(address, {"day": ""})
    shared.refresh_from_db()
    assert shared.valid_to is None
