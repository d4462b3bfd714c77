import re
from datetime import date, timedelta

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from memoryweb.agents.models import Agent, Reader, dream_time
from memoryweb.dreaming.models import Operation, Report
from memoryweb.dreaming.schedule import tick
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory import questions
from memoryweb.memory.agents import create_agent
from memoryweb.memory.forgetting.finding import message_mention
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.models import AuthorKind, Contradiction, Fact, ForgetRequest, Message
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.tools.files import Acting, remember
from memoryweb.memory.writing.write import write
from memoryweb.runs.models import Beat, Run
from tests.walls.api_stage import asked_to_forget, contradicted
from tests.web.pages import fragment, text, tight, url
from tests.web.stage import PERSONAL, SHARED, Stage, dream
from tests.world import World


def test_it_shows_every_agent_with_its_last_dream(stage: Stage, alice: Client) -> None:
    page = text(alice.get(url(stage.world.team, "last_night")))
    assert "Atlas" in page
    assert "Beacon" in page
    assert "1 learned" in page
    assert "no dreams yet" in page


def test_a_member_is_told_nothing_false_of_dreams_that_they_may_not_see(
    world: World, vera: Client, alice: Client
) -> None:
    Run.objects.create(
        team=world.team, agent=world.agent, owner=world.customer, kind="dream", trigger="cron",
        status="succeeded", started_at=world.agent.created_at, finished_at=world.agent.created_at,
    )  # fmt: skip
    for name in ("last_night", "agents"):
        page = text(vera.get(url(world.team, name)))
        assert "no dreams yet" not in page
        assert "has dreamt yet" not in page
        assert "no shared dreams yet" in page
        assert "done" in text(alice.get(url(world.team, name)))


def test_a_night_with_nothing_new_was_looked_at(world: World, alice: Client, vera: Client) -> None:
    now = dream_time(world.agent, date(2026, 11, 20)) + timedelta(minutes=1)
    Agent.objects.update(next_dream_at=None)
    Agent.objects.filter(pk=world.agent.pk).update(next_dream_at=now)
    tick(now)
    for client in (alice, vera):
        page = text(client.get(url(world.team, "last_night")))
        assert "There was nothing new in the notes." in page
    look = Run.objects.get(kind="dream")
    assert alice.get(url(world.team, "agents_run", look.pk)).status_code == 200


def test_it_names_what_needs_the_person(stage: Stage, alice: Client) -> None:
    page = text(alice.get(url(stage.world.team, "last_night")))
    assert "1 thing waits for you." in page
    assert url(stage.world.team, "review_item", "proposal", stage.proposal.pk) in page


def test_another_persons_proposal_needs_only_them(stage: Stage, alice: Client, bob: Client) -> None:
    address = url(stage.world.team, "review_item", "proposal", stage.bobs_proposal.pk)
    assert address not in text(alice.get(url(stage.world.team, "last_night")))
    assert address in text(bob.get(url(stage.world.team, "last_night")))


def test_a_failed_dream_asks_why(world: World, alice: Client) -> None:
    run = _failed(world)
    page = text(alice.get(url(world.team, "last_night")))
    assert "The model endpoint refused the key." in page
    assert url(world.team, "agents_run", run.pk) in page


def test_a_viewer_is_offered_no_dream(stage: Stage, vera: Client) -> None:
    assert "Dream now" not in text(vera.get(url(stage.world.team, "last_night")))


def test_while_something_runs_the_table_asks_again(world: World, alice: Client) -> None:
    page = text(alice.get(url(world.team, "last_night")))
    assert "data-poll" not in page
    _queued(world)
    answer = fragment(alice, url(world.team, "last_night"), "agents")
    assert "data-poll" in text(answer)
    assert "<html" not in text(answer)


def test_the_number_of_statements_does_not_grow_with_agents(world: World, alice: Client) -> None:
    few = _statements(world, alice)
    for number in range(8):
        with write_transaction(world.team) as tx:
            made = create_agent(tx, name=f"Agent {number}")
        Run.objects.create(
            team=world.team, agent=made, kind="dream", status="failed", trigger="cron",
            reason="model_busy", started_at=made.created_at, finished_at=made.created_at,
        )  # fmt: skip
    assert _statements(world, alice) == few


def test_a_night_of_61_agents_and_500_statements(stage: Stage, alice: Client) -> None:
    """A page of cards, those with most to tell first; whoever learned nothing is folded."""
    world, address = stage.world, url(stage.world.team, "last_night")
    for number in range(59):
        with write_transaction(world.team) as tx:
            made = create_agent(tx, name=f"Agent {number:02}")
        if number < 48:
            _learned(made, [f"Agent {number:02} knows that shelf {n} is full." for n in range(11)])
    page = tight(alice.get(address))
    assert page.count('class="card agent-card"') == 10
    assert "1–10 of 49" in page
    assert "<h1>Agent 00 learned 11 things.</h1>" in page
    assert "12 agents learned nothing" in page
    assert page.count("is full.") == 30
    assert "And 8 more in the dream" in page
    last = tight(alice.get(f"{address}?page=5"))
    assert last.count('class="card agent-card"') == 9
    assert SHARED in last
    assert "<h1>Agent 00 learned 11 things.</h1>" in last
    assert _statements(world, alice) <= 14


def _learned(agent: Agent, texts: list[str]) -> None:
    now = timezone.now()
    run = Run.objects.create(
        team=agent.team, agent=agent, kind="dream", status="succeeded", trigger="cron",
        started_at=now, finished_at=now, night=now.date(),
    )  # fmt: skip
    report = Report.objects.create(team=agent.team, agent=agent, run=run, dreamt_at=now)
    Operation.objects.bulk_create(
        Operation(team=agent.team, report=report, position=at, does="add", after=text)
        for at, text in enumerate(texts)
    )


def test_what_waits_is_told_in_its_place_until_a_person_decides(
    stage: Stage, alice: Client
) -> None:
    fact = Fact.objects.get(raw_text=SHARED)
    with write_transaction(stage.world.team) as tx:
        assert questions.still_true(tx, fact)
    address = url(stage.world.team, "last_night")
    row = tight(alice.get(address)).partition('class="told"')[2].partition("</li>")[0]
    about = Contradiction.objects.get()
    assert "Is this still true?" in row
    assert url(stage.world.team, "review_item", "contradiction", about.pk) in row
    decide = url(stage.world.team, "review_decide", "contradiction", about.pk)
    assert f'<form method="post" action="{decide}">' in row
    assert 'name="decision" value="KEEP_B"' in row
    said = text(alice.post(decide, {"decision": "IGNORE", "next": address}, follow=True))
    assert "asked again." in said
    assert "Is this still true?" not in said


def test_a_question_beside_a_newer_sentence_names_the_older_one(
    stage: Stage, alice: Client, vera: Client
) -> None:
    newer, file = Fact.objects.get(raw_text=SHARED), stage.memory
    with write_transaction(stage.world.team) as tx:
        place = Place(newer.agent, None, file.path)
        content = f"{file.raw_content}- The berth is free.\n"
        write(tx, place, content, writer=Writer(AuthorKind.PERSON, stage.world.alice))
        older = Fact.objects.get(raw_text="The berth is free.")
        assert questions.ask(tx, Memory(newer.agent, None), [(older, newer)])
    address = url(stage.world.team, "last_night")
    row = tight(alice.get(address)).partition('class="told"')[2].partition("</li>")[0]
    assert "Is “The berth is free” (" in row
    assert 'value="KEEP_B"' in row
    assert 'value="KEEP_B"' not in tight(vera.get(address))


def test_a_row_says_what_forgetting_means_and_when_it_is_erased(
    stage: Stage, alice: Client
) -> None:
    fact, address = Fact.objects.get(raw_text=SHARED), url(stage.world.team, "last_night")
    name = fact.agent.name
    told = f"<b>Forget this?</b>{name} stops using it now; it is erased in 10 minutes."
    assert told in tight(alice.get(address))
    forget = url(stage.world.team, "agents_fact_forget", fact.agent_id, fact.pk)
    alice.post(forget, {"next": address})
    at = timezone.localtime(ForgetRequest.objects.get().erase_at)
    page = tight(alice.get(address))
    assert f"Forgotten. Erased at {at:%H:%M}." in page.partition('class="told"')[2]
    assert SHARED not in page


def test_shared_words_say_whose_they_are_and_which_day(stage: Stage, alice: Client) -> None:
    fact, address = Fact.objects.get(raw_text=SHARED), url(stage.world.team, "last_night")
    page = tight(alice.get(address))
    assert "<b>Guest:</b>" not in page
    said = "I fly to Rome tomorrow."
    Operation.objects.filter(after=SHARED).update(after=said)
    Fact.objects.filter(pk=fact.pk).update(raw_text=said, fingerprint=fingerprint(said))
    row = tight(alice.get(address)).partition('class="told"')[2].partition("</li>")[0]
    at = fact.evidence.get().message
    assert at is not None
    assert f"<b>Guest:</b>{said}" in row
    assert date_format(at.timestamp.date() + timedelta(days=1), "D j M") in row


def test_a_nights_sum_stands_with_the_nights_own_time(stage: Stage, alice: Client) -> None:
    """A dream by hand that found nothing came later: the sum isn't its."""
    page = tight(alice.get(url(stage.world.team, "agents")))
    at = re.search(r"\d learned</span><small>(.*?)</small>", page)
    assert at
    run, later = stage.shared_run, timezone.now() + timedelta(hours=2)
    Run.objects.create(
        team=run.team, agent=run.agent, kind="dream", status="no_change", trigger="person",
        reason="nothing_promoted", started_at=later, finished_at=later, night=run.night,
    )  # fmt: skip
    assert at[0] in tight(alice.get(url(stage.world.team, "agents")))


def test_a_statement_in_other_words_stands_in_them_with_an_undo(
    stage: Stage, alice: Client
) -> None:
    fact = Fact.objects.get(raw_text=SHARED)
    for words in ("Ferries leave at ten.", "Trains stop in Altona."):
        _edit(stage, alice, fact, words)
        page = tight(alice.get(url(stage.world.team, "last_night")))
        assert words in page
        assert f'name="text" value="{SHARED}"' in page
        fact = Fact.objects.get(raw_text=words)
    assert "Ferries" not in page
    _edit(stage, alice, fact, SHARED)
    assert Fact.objects.get(file=stage.memory).raw_text == SHARED


def _edit(stage: Stage, client: Client, fact: Fact, words: str) -> None:
    address = url(stage.world.team, "last_night")
    edit = url(stage.world.team, "agents_fact_edit", stage.world.agent.pk, fact.pk)
    assert client.post(edit, {"text": words, "next": address})["Location"] == address


def test_it_says_when_no_worker_runs(world: World, vera: Client) -> None:
    address = url(world.team, "last_night")
    assert "No background worker has started yet" in text(vera.get(address))
    Beat.objects.create(name="tick", at=timezone.now() - timedelta(minutes=12))
    page = text(vera.get(address)).replace("\xa0", " ")
    assert "The background worker stopped 12 minutes ago" in page
    Beat.objects.update(at=timezone.now())
    assert "background worker" not in text(vera.get(address))


def test_a_simulated_night_counts_for_its_night(stage: Stage, alice: Client) -> None:
    run = dream(stage.world.home, None)
    Run.objects.filter(pk=run.pk).update(night="2001-01-01", clock="2001-01-01T02:00Z")
    assert alice.get(url(stage.world.team, "last_night")).status_code == 200


def _failed(world: World) -> Run:
    now = world.agent.created_at
    return Run.objects.create(
        team=world.team, agent=world.agent, kind="dream", status="failed", trigger="cron",
        reason="model_key_refused", started_at=now, finished_at=now,
    )  # fmt: skip


def _queued(world: World) -> Run:
    return Run.objects.create(
        team=world.team, agent=world.agent, kind="dream", status="queued", trigger="cron"
    )


def _statements(world: World, client: Client) -> int:
    with CaptureQueriesContext(connection) as queries:
        client.get(url(world.team, "last_night"))
    return len(queries)


def test_all_that_waits_under_review_is_named(stage: Stage, alice: Client) -> None:
    page = text(alice.get(url(stage.world.team, "last_night")))
    assert page.count("Line by line") == 1
    assert "1 thing waits for you." in page


def test_it_tells_in_a_sentence_what_was_learned(stage: Stage, alice: Client) -> None:
    page = tight(alice.get(url(stage.world.team, "last_night")))
    assert "<h1>Atlas learned 1 thing.</h1>" in page
    assert SHARED in page
    assert "Everyone who uses Atlas sees it." in page
    assert "trust" not in page.partition("<main")[2]


def test_anothers_memory_is_a_count_for_admins_and_nothing_for_members(
    stage: Stage, alice: Client, vera: Client, bob: Client
) -> None:
    address = url(stage.world.team, "last_night")
    for client in (alice, vera):
        assert PERSONAL not in text(client.get(address))
    assert "about 2 people, private" in text(alice.get(address))
    assert ", private" not in text(vera.get(address))
    page = text(bob.get(address))
    assert PERSONAL in page
    assert "Only you can read it." in page


def test_a_viewer_is_offered_no_act(stage: Stage, vera: Client) -> None:
    page = text(vera.get(url(stage.world.team, "last_night")))
    assert SHARED in page
    assert "Not true" not in page
    assert "Forget" not in page


def test_what_is_decided_there_holds_through_the_next_dream(stage: Stage, alice: Client) -> None:
    address = url(stage.world.team, "last_night")
    fact = Fact.objects.get(raw_text=SHARED, owner=None)
    _act(stage, alice, fact, "confirm", address)
    assert "confirmed by you" in text(alice.get(address))
    _act(stage, alice, fact, "unconfirm", address)
    assert "confirmed by you" not in text(alice.get(address))
    _act(stage, alice, fact, "not_true", address)
    page = text(alice.get(address))
    assert "Marked as not true." in page
    assert "Undo" in page
    dream(stage.world.home, None)
    assert SHARED not in stage.memory.raw_content
    _act(stage, alice, fact, "restore", address)
    assert SHARED in stage.memory.raw_content


def test_what_is_forgotten_is_not_told_and_can_be_undone(stage: Stage, alice: Client) -> None:
    address = url(stage.world.team, "last_night")
    fact = Fact.objects.get(raw_text=SHARED, owner=None)
    _act(stage, alice, fact, "forget", address)
    page = text(alice.get(address))
    assert SHARED not in page
    assert "Forgotten." in page
    _act(stage, alice, fact, "unforget", address)
    assert SHARED in text(alice.get(address))


def test_a_quote_of_a_message_that_is_to_be_forgotten_in_part_is_left_out(
    stage: Stage, alice: Client
) -> None:
    address, message = url(stage.world.team, "last_night"), Message.objects.earliest("pk")
    fact = Fact.objects.get(raw_text=SHARED, owner=None)
    message.raw_content = "What Alice said. She said more."
    message.save(update_fields=["raw_content"])
    fact.evidence.update(message=message, root=None, first=0, last=16)
    assert "What Alice said." in alice.get(address).content.decode()
    with write_transaction(stage.world.team) as tx:
        wish = Wish(Memory(fact.agent, None), ForgetRequest.Via.PAGE, "", by=stage.world.alice)
        hide(tx, open_request(tx, wish), [message_mention(message, 5, 10)])
    page = alice.get(address).content.decode()
    assert SHARED in page
    assert "What Alice said." not in page


def test_another_site_is_no_place_to_go_on(stage: Stage, alice: Client) -> None:
    fact = Fact.objects.get(raw_text=SHARED, owner=None)
    where = url(stage.world.team, "agents_fact_confirm", fact.agent_id, fact.pk)
    for evil in ("https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil"):
        assert "evil" not in alice.post(where, {"next": evil})["Location"]


def test_an_earlier_night_has_its_own_page(stage: Stage, alice: Client) -> None:
    address = url(stage.world.team, "last_night")
    before = timezone.now().date() - timedelta(days=3)
    page = text(alice.get(f"{address}?night={before}"))
    assert "Nothing new that night." in page
    assert SHARED not in page
    for odd in ("yesterday", "2026-02-31", "0001-01-01", "9999-12-31"):
        assert alice.get(f"{address}?night={odd}").status_code == 200


def _act(stage: Stage, client: Client, fact: Fact, act: str, address: str) -> None:
    where = url(stage.world.team, f"agents_fact_{act}", fact.agent_id, fact.pk)
    response = client.post(where, {"next": address})
    assert (response.status_code, response["Location"]) == (302, address)


def test_who_turns_letter_keys_off_reads_of_none(stage: Stage, alice: Client) -> None:
    address = url(stage.world.team, "last_night")
    assert "<kbd>c</kbd>" in text(alice.get(address))
    sent = {"name": "Alice", "time_zone": "UTC", "letter_keys_off": "on"}
    assert alice.post(reverse("profile"), sent).status_code == 302
    page = text(alice.get(address))
    assert 'data-keys="off"' in page
    assert "<kbd>c</kbd>" not in page


def test_a_member_asks_to_forget_what_is_shared(stage: Stage, bob: Client) -> None:
    address = url(stage.world.team, "last_night")
    assert "Ask an admin" in text(bob.get(address))
    _act(stage, bob, Fact.objects.get(raw_text=SHARED, owner=None), "forget", address)
    page = text(bob.get(address))
    assert "An admin decides in Review whether it is erased." in page
    assert SHARED in page


def test_letters_that_cannot_be_seen_are_shown_in_sentences(stage: Stage, alice: Client) -> None:
    Operation.objects.filter(after=SHARED).update(after="Pay \u202eme.")
    assert "\u202e" not in text(alice.get(url(stage.world.team, "last_night")))


def test_whoever_wrote_a_shared_line_by_hand_is_its_source(
    stage: Stage, alice: Client, bob: Client
) -> None:
    world = stage.world
    with write_transaction(world.team) as tx:
        acting = Acting(Reader(world.agent), timezone.now())
        remember(
            tx, acting, "The pool opens at seven.", writer=Writer(AuthorKind.PERSON, world.bob)
        )
    dream(world.home, None)
    address = url(world.team, "last_night")
    rows = [
        re.search(r"The pool opens at seven.*?</li>", tight(one.get(address)))
        for one in (alice, bob)
    ]
    his, hers = (row[0] for row in rows[::-1] if row)
    assert str(world.bob) in hers
    assert "You," in his


def test_all_kinds_that_wait_take_a_bounded_number_of_statements(
    stage: Stage, alice: Client
) -> None:
    home = stage.world.home
    contradicted(home, None)
    asked_to_forget(home, None, is_open=True)
    _statements(stage.world, alice)  # what was learned is marked as seen
    assert _statements(stage.world, alice) <= 20


def test_what_came_since_the_last_visit_is_told_apart(stage: Stage, alice: Client) -> None:
    world, address = stage.world, url(stage.world.team, "last_night")
    assert ">new<" not in text(alice.get(address))
    with write_transaction(world.team) as tx:
        acting = Acting(Reader(world.agent), timezone.now())
        writer = Writer(AuthorKind.PERSON, world.bob)
        remember(tx, acting, "The pool opens at seven.", writer=writer)
    dream(world.home, None)
    assert text(alice.get(address)).count(">new<") == 1
    assert ">new<" not in text(alice.get(address))


def test_a_team_that_begins_has_one_main_act_on_each_page(world: World, alice: Client) -> None:
    say = f'class="btn main" href="{url(world.team, "agents_connect", world.agent.pk)}"'
    for name in ("last_night", "mine"):
        page = tight(alice.get(url(world.team, name)))
        assert say in page
        assert page.partition("<main")[2].count('class="btn main"') == 1
    Agent.objects.filter(team=world.team).update(archived_at=timezone.now())
    create = f'class="btn main" href="{url(world.team, "agents_new")}"'
    for name in ("last_night", "agents", "mine"):
        page = tight(alice.get(url(world.team, name)))
        assert create in page
        assert page.partition("<main")[2].count('class="btn main"') == 1
