from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.audit.models import Event
from memoryweb.extraction import requests
from memoryweb.extraction.findings import Findings, Line
from memoryweb.extraction.models import Extraction
from memoryweb.memory.models import Conversation, File, LineOrigin
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.clock import Clock
from tests.extraction.talking import (
    NOON,
    TALK,
    ask,
    bullets,
    extract,
    go_on,
    soon,
    talk,
    text_of,
)
from tests.world import World

pytestmark = pytest.mark.django_db
NOTE = "memory/2026-03-01.md"


def test_what_people_said_goes_to_the_note_of_its_date(world: World) -> None:
    run = extract(world, talk(world))
    note = text_of(world, NOTE)
    assert note.startswith("# 2026-03-01\n")
    assert len(bullets(note)) == 2
    assert "- 12:02 I moved to Porto yesterday (2026-02-28)." in note
    assert "Carla" in note
    assert (run.status, run.consolidator) == ("succeeded", "rules")
    assert run.result["lines"] == 2


def test_every_line_leads_to_its_message_and_run(world: World) -> None:
    run = extract(world, talk(world))
    file = File.objects.get(path=NOTE)
    origins = LineOrigin.objects.filter(file=file).select_related("message").order_by("line")
    said = [(origin.message.external_id, origin.durable) for origin in origins if origin.message]
    assert said == [("t3", True), ("t4", True)]
    assert {origin.run_id for origin in origins} == {run.pk}
    assert {origin.author_kind for origin in origins} == {"extraction"}


def test_the_note_belongs_to_the_owner(world: World) -> None:
    extract(world, talk(world))
    file = File.objects.get(path=NOTE)
    assert (file.owner, file.scope) == (world.customer, "PERSONAL")


def test_without_isolation_the_note_is_shared(world: World) -> None:
    world.agent.owner_isolation = False
    world.agent.save()
    extract(world, talk(world))
    file = File.objects.get(path=NOTE)
    assert (file.owner, file.scope) == (None, "TEAM")


def test_what_the_extraction_did_is_kept_with_the_conversation(world: World) -> None:
    conversation = talk(world)
    extract(world, conversation)
    made = Extraction.objects.get(conversation=conversation)
    file = File.objects.get(path=NOTE)
    assert (made.first, made.last, made.status, made.extractor) == (1, 4, "applied", "rules")
    expected = {"file": str(file.pk), "path": NOTE, "revision": 1, "first": 3, "last": 4}
    assert made.written == [expected]
    conversation.refresh_from_db()
    assert (conversation.extracted_upto, conversation.waiting) == (4, False)


def test_a_long_conversation_is_read_in_windows_in_order(world: World) -> None:
    turns = [("user", f"I visited museum number {n} in Lisbon.") for n in range(70)]
    conversation = talk(world, [*turns, ("tool", "called")])
    extract(world, conversation)
    windows = Extraction.objects.order_by("first").values_list("first", "last")
    assert list(windows) == [(1, 30), (31, 60), (61, 71)]
    conversation.refresh_from_db()
    assert conversation.extracted_upto == 71


def test_windows_count_what_people_and_assistants_say(world: World) -> None:
    turns = [("user", f"I visited museum number {n} in Lisbon.") for n in range(30)]
    mixed = [part for turn in turns for part in (("tool", "result"), turn)]
    extract(world, talk(world, [*mixed, ("tool", "last"), ("user", "I live in Porto now.")]))
    assert list(Extraction.objects.order_by("first").values_list("first", "last")) == [
        (1, 61),
        (62, 62),
    ]


def test_later_messages_are_read_alone(world: World) -> None:
    extract(world, talk(world))
    extract(world, go_on(world, [("user", "My brother Tom is a baker.")]))
    assert list(Extraction.objects.order_by("first").values_list("first", "last")) == [
        (1, 4),
        (5, 5),
    ]
    assert len(bullets(text_of(world, NOTE))) == 3


def test_a_window_over_midnight_goes_to_the_newest_date(world: World) -> None:
    extract(world, talk(world, at=datetime(2026, 3, 1, 23, 58, tzinfo=UTC)))
    assert text_of(world, "memory/2026-03-02.md")
    assert not text_of(world, NOTE)


def test_the_future_counts_as_now(world: World) -> None:
    extract(world, talk(world, at=timezone.now() + timedelta(days=500)))
    assert text_of(world, f"memory/{datetime.now(UTC).date()}.md")


def test_what_the_note_says_already_is_not_said_again(world: World) -> None:
    extract(world, talk(world))
    extract(world, talk(world, conversation="d", at=NOON + timedelta(hours=1)))
    assert len(bullets(text_of(world, NOTE))) == 2


def test_a_conversation_with_nothing_to_keep_changes_nothing(world: World) -> None:
    empty = [("user", "Good morning!"), ("assistant", "Hello!")] * 3
    run = extract(world, talk(world, [*empty, ("user", "How are you doing today?")]))
    assert (run.status, run.reason) == ("no_change", "nothing_to_keep")
    assert not File.objects.filter(owner=world.customer).exists()
    assert Conversation.objects.get().extracted_upto == 7


@pytest.mark.parametrize(
    ("turns", "source", "reason"),
    [
        (TALK, "cron", "source"),
        (TALK, "dream", "source"),
    ],
)
def test_a_skipped_conversation_says_why(
    world: World, turns: list[tuple[str, str]], source: str, reason: str
) -> None:
    conversation = talk(world, turns, source=source)
    assert ask(world, conversation) is None
    conversation.refresh_from_db()
    assert (conversation.skipped, conversation.waiting) == (reason, False)


def test_who_asks_in_person_gets_a_run_that_says_why(world: World) -> None:
    run = ask(world, talk(world, source="cron"), trigger="api")
    assert run is not None
    assert (run.status, run.reason) == ("skipped", "source")
    assert Event.objects.filter(action="run.finished", run_id=run.pk).exists()


def test_a_switched_off_agent_extracts_nothing(world: World) -> None:
    world.agent.auto_summarize = False
    world.agent.save()
    assert ask(world, talk(world)) is None
    assert Conversation.objects.get().skipped == "auto_summarize_off"


@pytest.mark.parametrize("thanks", [[], [("assistant", "Noted."), ("user", "Thanks!")]])
def test_one_sentence_is_read_however_the_conversation_ends(
    world: World, thanks: list[tuple[str, str]]
) -> None:
    said = "I am allergic to penicillin, please remember that."
    extract(world, talk(world, [("user", said), *thanks]))
    assert bullets(text_of(world, NOTE)) == [f"- 12:00 {said}"]
    assert LineOrigin.objects.filter(durable=True, message__raw_content=said).exists()


def test_a_message_that_mem0_adds_alone_is_read(world: World) -> None:
    extract(world, talk(world, [("user", "My sister Carla plays the cello.")], source="mem0"))
    assert len(bullets(text_of(world, NOTE))) == 1


def test_archiving_while_a_run_waits_keeps_everything_out(world: World) -> None:
    run = ask(world, talk(world), finished=True)
    assert run is not None
    world.agent.archived_at = run.created_at
    world.agent.save()
    done = soon(run)
    assert (done.status, done.reason) == ("skipped", "agent_archived")
    assert not File.objects.filter(owner=world.customer).exists()


def test_pausing_while_a_run_waits_keeps_everything_out(world: World) -> None:
    run = ask(world, talk(world), finished=True)
    assert run is not None
    world.customer.keeping = world.customer.using = False
    world.customer.save()
    done = soon(run)
    assert (done.status, done.reason) == ("skipped", "paused")
    assert not File.objects.filter(owner=world.customer).exists()


def test_one_queued_run_covers_all_waiting_conversations(world: World) -> None:
    first = ask(world, talk(world))
    later = [
        ("user", "I adopted a dog called Mole yesterday."),
        *TALK[:2],
        ("user", "Good night!!"),
    ]
    second = ask(world, talk(world, later, conversation="d", at=NOON + timedelta(days=1)))
    assert first is not None
    assert first == second
    soon(first)
    assert "Porto" in text_of(world, NOTE)
    assert "Mole" in text_of(world, "memory/2026-03-02.md")
    assert not Conversation.objects.filter(waiting=True).exists()


def test_owners_do_not_wait_for_each_other(world: World) -> None:
    first = ask(world, talk(world))
    second = ask(world, talk(world, conversation="d", owner=world.sender))
    assert first is not None
    assert second is not None
    assert first.pk != second.pk


def test_a_conversation_is_read_once_it_has_been_quiet(world: World) -> None:
    run = ask(world, talk(world))
    assert run is not None
    assert run.due_at is not None
    assert timedelta(seconds=100) < run.due_at - timezone.now() <= timedelta(seconds=120)
    assert engine.work(run.pk) is None


def test_a_conversation_that_goes_on_is_not_quiet(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    clock = Clock(now, monkeypatch)
    first = ask(world, talk(world))
    clock.put(now + timedelta(seconds=100))
    again = ask(world, go_on(world, [("user", "Just kidding.")]), waited=True)
    assert first == again
    assert Run.objects.filter(due_at__gte=now + timedelta(seconds=220)).exists()


def test_a_finished_conversation_waits_for_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    clock = Clock(now, monkeypatch)
    ask(world, talk(world, conversation="d"), finished=True)
    clock.put(now + timedelta(seconds=1))
    ask(world, talk(world))
    assert Run.objects.filter(due_at__lt=now + timedelta(seconds=60)).exists()


def test_a_finished_conversation_is_read_at_once(world: World) -> None:
    conversation = talk(world)
    run = ask(world, conversation)
    again = ask(world, conversation, finished=True)
    assert run == again
    assert engine.work_next() == run


def test_the_cooldown_delays_and_drops_nothing(world: World) -> None:
    extract(world, talk(world))
    later = talk(world, conversation="d", at=NOON + timedelta(days=1))
    run = ask(world, later, finished=True)
    assert run is not None
    assert run.due_at is not None
    assert timedelta(minutes=4) < run.due_at - timezone.now() <= timedelta(minutes=5)
    assert soon(run).status == "succeeded"
    assert text_of(world, "memory/2026-03-02.md")


def test_imports_and_commands_skip_the_cooldown(world: World) -> None:
    extract(world, talk(world))
    imported = ask(world, talk(world, conversation="d", source="import"))
    assert imported is not None
    assert imported.due_at is not None
    assert imported.due_at <= timezone.now()


def test_a_command_that_works_the_queue_waits_for_no_cooldown(world: World) -> None:
    extract(world, talk(world))
    ask(world, talk(world, conversation="d", at=NOON + timedelta(days=1)))
    assert list(engine.run_pending()) == []
    assert requests.hurry(timezone.now()) == 1
    assert len(list(engine.run_pending())) == 1


def test_a_failure_does_not_use_up_the_cooldown(world: World) -> None:
    Run.objects.create(
        team=world.team,
        agent=world.agent,
        owner=world.customer,
        kind="extraction",
        status="failed",
        trigger="conversation",
        finished_at=timezone.now(),
    )
    run = ask(world, talk(world), finished=True)
    assert run is not None
    assert run.due_at is not None
    assert run.due_at <= timezone.now()


def test_the_tick_asks_again_for_what_no_run_will_take(world: World) -> None:
    run = ask(world, talk(world), finished=True)
    assert run is not None
    long_ago = timezone.now() - timedelta(hours=2)
    gone = {"status": "failed", "due_at": None, "finished_at": long_ago}
    Run.objects.filter(pk=run.pk).update(**gone)
    requests.ask_again(timezone.now())
    assert Run.objects.filter(status="queued").count() == 1
    requests.ask_again(timezone.now())
    assert Run.objects.filter(status="queued").count() == 1


def test_an_answer_that_was_stored_before_a_crash_is_used(world: World) -> None:
    run = crashed(world, talk(world))
    assert soon(run).status == "succeeded"
    assert bullets(text_of(world, NOTE)) == ["- 12:02 Ann keeps bees."]
    assert Extraction.objects.get().status == "applied"


def test_messages_that_come_after_a_crash_wait_for_a_window_of_their_own(world: World) -> None:
    run = crashed(world, talk(world))
    go_on(world, [("user", "I adopted a dog called Mole yesterday.")])
    soon(run)
    assert list(Extraction.objects.order_by("first").values_list("first", "last")) == [
        (1, 4),
        (5, 5),
    ]
    assert len(bullets(text_of(world, NOTE))) == 2


def crashed(world: World, conversation: Conversation) -> Run:
    """A run as a worker leaves it that dies between the answer and its use."""
    run = ask(world, conversation, finished=True)
    assert run is not None
    said = conversation.messages.get(external_id="t3")
    line = Line("Ann keeps bees.", (said.pk,), durable=True, asked=False, category="preference")
    Extraction.objects.create(
        team=world.team,
        run=run,
        conversation=conversation,
        first=1,
        last=4,
        status="answered",
        extractor="model",
        answer=Findings((line,)).packed(),
    )
    return run


def test_a_long_conversation_is_read_in_several_tasks_one_window_after_the_other(
    world: World, settings: Any
) -> None:
    """However little fits into one task, and though nothing may go wrong even once."""
    settings.TASK_SECONDS = 0
    settings.EXTRACTION_WINDOW_MESSAGES, settings.RUN_ATTEMPTS = 2, 1
    run = ask(world, talk(world), immediate=True)
    assert run is not None
    seen = []
    while engine.work_next():
        seen.append(Run.objects.get(pk=run.pk).status)
    assert seen == ["queued", "succeeded"]
    assert Conversation.objects.get().extracted_upto == len(TALK)


def test_a_clock_that_ran_a_month_ahead_does_not_stop_extractions(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    clock = Clock(now + timedelta(days=30), monkeypatch)
    extract(world, talk(world))
    clock.put(now)
    run = ask(world, talk(world, conversation="d"), finished=True)
    assert run is not None
    assert run.due_at is not None
    assert run.due_at < now + timedelta(minutes=10)


SHOES = [("user", "Can you find me shoes?"), ("assistant", "Sure. What shoe size?"), ("user", "43")]


@pytest.mark.parametrize("upto", [0, 2])
def test_a_short_answer_is_kept_with_its_question(world: World, upto: int) -> None:
    """Also where the question has been read before."""
    if upto:
        extract(world, talk(world, SHOES[:upto]))
        go_on(world, SHOES[upto:], at=NOON + timedelta(minutes=upto))
        extract(world)
    else:
        extract(world, talk(world, SHOES))
    assert bullets(text_of(world, NOTE)) == ["- 12:02 Shoe size? 43"]
    assert LineOrigin.objects.filter(durable=True, message__raw_content="43").exists()
