"""What was given and then taken back: each conversation is told once, and never the old words."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_scopes import scope

from memoryweb.agents.models import Owner, Reader
from memoryweb.agents.owners import set_paused, system_owner
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.memory import facts, prompt
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.facts import StatementGone
from memoryweb.memory.forgetting import forget_fact, undo_of_fact
from memoryweb.memory.forgetting.erasing import erase_now
from memoryweb.memory.models import (
    AuthorKind,
    Conversation,
    Evidence,
    Fact,
    Injection,
    RecallNotice,
)
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.prompt import Context
from memoryweb.memory.writing.matrix import WriteRefused
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine
from tests.clock import Clock
from tests.statements import counted
from tests.world import World

OLD, NEW = "Marta lives in Hamburg.", "Marta lives in Berlin."
WRONG = "An earlier answer about marta was wrong."
NOW = f"Corrected since an earlier answer: {NEW}"

pytestmark = pytest.mark.databases


def stated(world: World, text: str = OLD, owner: Owner | None = None) -> Fact:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, owner, "MEMORY.md")
        file = write(tx, place, f"# Memory\n\n- {text}\n", writer=person(world)).file
    return Fact.objects.filter(file=file).latest("pk")


def person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def talk(world: World, owner: Owner | None, name: str = "c-1", **more: object) -> Conversation:
    with write_transaction(world.team) as tx:
        return add_messages(
            tx,
            agent=world.agent,
            owner=owner or system_owner(world.team),
            conversation_id=name,
            messages=[NewMessage("user", "Hello.")],
            **more,  # type: ignore[arg-type]
        ).conversation


def fresh(conversation: Conversation) -> Conversation:
    return Conversation.objects.select_related("owner").get(pk=conversation.pk)


def ask(world: World, owner: Owner | None, conversation: Conversation | None) -> Context:
    """As a call does: with the conversation as it is now."""
    conversation = fresh(conversation) if conversation else None
    if owner:
        owner.refresh_from_db()
    built = prompt.build(Reader(world.agent, owner), "And now?", conversation=conversation)
    with write_transaction(world.team) as tx:
        prompt.served(tx, built, conversation=conversation)
    return built


def told(built: Context) -> list[str]:
    texts = [one.text for one in built.notices]
    assert all(f"- {text}\n" in built.memory[0].content for text in texts)
    return texts


def not_true(world: World, fact: Fact) -> None:
    with write_transaction(world.team) as tx:
        facts.not_true(tx, fact, writer=person(world))


def edit(world: World, fact: Fact, text: str = NEW) -> Fact:
    with write_transaction(world.team) as tx:
        facts.edit(tx, fact, text, writer=person(world))
    newer = Fact.objects.get(pk=fact.pk).superseded_by
    assert newer
    return newer


def send(world: World, fact: Fact) -> None:
    with write_transaction(world.team) as tx:
        prompt.send(tx, fact, writer=person(world))


def test_a_conversation_is_told_once_that_it_was_wrong(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    assert OLD in ask(world, world.customer, there).system
    not_true(world, fact)
    assert told(ask(world, world.customer, there)) == []
    send(world, fact)
    assert told(built := ask(world, world.customer, there)) == [WRONG]
    assert "Hamburg" not in built.system + "".join(turn.content for turn in built.messages)
    assert told(ask(world, world.customer, there)) == []
    assert Event.objects.filter(action="fact.recalled", target_id=str(fact.pk)).count() == 1


def test_of_a_correction_what_holds_now_is_told(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    edit(world, fact)
    send(world, fact)
    assert told(ask(world, world.customer, there)) == [NOW]


def test_where_it_was_given_is_counted(world: World) -> None:
    ask(world, None, first := talk(world, None, "before"))
    fact, there = stated(world), talk(world, world.customer)
    shared, aside = talk(world, None, "shared"), talk(world, world.customer, "aside")
    for whose, one in (
        (world.customer, there),
        (world.customer, there),
        (None, shared),
        (world.bobs_memory, None),
    ):
        ask(world, whose, one)
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "MEMORY.md")
        write(tx, place, f"# Memory\n\n- Tea is hot.\n\n- {OLD}\n", writer=person(world))
    ask(world, None, shared)  # on another line
    not_true(world, fact)
    ask(world, world.customer, aside)
    found = prompt.recall_of(fact)
    assert (found.prompts, found.untold) == (4, 1)
    assert set(found.talks) == set(found.to_tell) == {there.pk, shared.pk}
    assert first.pk not in found.talks
    assert found.since == timezone.localtime().date()
    send(world, fact)
    assert told(ask(world, None, shared)) == [WRONG]
    assert told(ask(world, world.customer, aside)) == []
    notices = prompt.recall_of(fact).notices
    assert {key for key, one in notices.items() if one.told_at} == {shared.pk}
    assert prompt.recall_of(fact).to_tell == []


def test_what_is_personal_is_told_to_its_owner_alone(world: World) -> None:
    fact = stated(world, "I live in Hamburg.", world.customer)
    theirs, bobs = talk(world, world.customer), talk(world, world.bobs_memory, "c-2")
    ask(world, world.customer, theirs)
    ask(world, world.bobs_memory, bobs)
    not_true(world, fact)
    send(world, fact)
    assert told(ask(world, world.bobs_memory, bobs)) == []
    RecallNotice.objects.update(conversation=bobs)  # as no door would
    Conversation.objects.update(notices_until=timezone.now() + timedelta(days=1))
    assert told(ask(world, world.bobs_memory, bobs)) == []
    RecallNotice.objects.update(conversation=theirs, told_at=None)
    assert told(ask(world, world.customer, theirs)) == [
        "An earlier answer about the person was wrong."
    ]


def forget(world: World, fact: Fact, *, is_erased: bool = False) -> None:
    with write_transaction(world.team) as tx:
        request = forget_fact(tx, fact, writer=person(world), is_theirs=True)
        run = erase_now(tx, request) if is_erased else None
    if run:
        engine.work(run.pk)


@pytest.mark.parametrize("is_erased", [False, True])
def test_nobody_is_told_of_what_was_forgotten(world: World, *, is_erased: bool) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    not_true(world, fact)
    send(world, fact)
    forget(world, fact, is_erased=is_erased)
    assert not RecallNotice.objects.exists()
    assert told(ask(world, world.customer, there)) == []
    assert Fact.objects.filter(pk=fact.pk).exists() is not is_erased
    there.refresh_from_db()
    assert there.notices_until is None


def test_what_is_hidden_is_not_recalled_until_that_is_undone(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    not_true(world, fact)
    forget(world, fact)
    with pytest.raises(StatementGone):
        send(world, fact)
    with write_transaction(world.team) as tx:
        undo_of_fact(tx, fact, writer=person(world))
    send(world, fact)
    assert told(ask(world, world.customer, there)) == [WRONG]


@pytest.mark.parametrize("is_erased", [False, True])
def test_a_new_value_that_was_forgotten_is_told_to_nobody(world: World, *, is_erased: bool) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    newer = edit(world, fact)
    send(world, fact)
    forget(world, newer, is_erased=is_erased)
    built = ask(world, world.customer, there)
    assert told(built) == []
    assert "Berlin" not in built.system + "".join(turn.content for turn in built.messages)


def test_a_new_value_that_was_taken_back_too_is_not_told(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    not_true(world, edit(world, fact))
    send(world, fact)
    assert told(ask(world, world.customer, there)) == [WRONG]


def test_what_holds_again_is_not_told(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    not_true(world, fact)
    send(world, fact)
    with write_transaction(world.team) as tx:
        facts.restore(tx, fact, writer=person(world))
    assert told(ask(world, world.customer, there)) == []
    with pytest.raises(StatementGone):
        send(world, fact)
    not_true(world, fact)
    send(world, fact)  # that conversation was given it again
    assert told(ask(world, world.customer, there)) == [WRONG]


def test_it_is_sent_once(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    with pytest.raises(StatementGone):
        send(world, fact)
    not_true(world, fact)
    with pytest.raises(StatementGone):  # it was given to nobody
        send(world, fact)
    other = stated(world, "Marta lives in Graz.")
    ask(world, world.customer, there)
    not_true(world, other)
    send(world, other)
    with pytest.raises(StatementGone):
        send(world, other)
    assert len(told(ask(world, world.customer, there))) == 1
    with pytest.raises(StatementGone):
        send(world, other)


def test_it_waits_for_30_days(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    not_true(world, fact)
    send(world, fact)
    clock, sent = Clock(timezone.now(), monkeypatch), timezone.now()
    clock.put(sent + timedelta(days=30, minutes=1))
    built = prompt.build(Reader(world.agent, world.customer), "Hi.", conversation=fresh(there))
    assert told(built) == []
    clock.put(sent + timedelta(days=29))
    assert told(ask(world, world.customer, there)) == [WRONG]


def test_while_memory_is_not_used_it_waits(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    mine = stated(world, "I live in Hamburg.", world.customer)
    ask(world, world.customer, there)
    for one in (fact, mine):
        not_true(world, one)
        send(world, one)
    set_paused(owner=world.customer, paused=True, by=SYSTEM, what=["using"])
    assert told(ask(world, world.customer, there)) == []
    set_paused(owner=world.customer, paused=False, by=SYSTEM)
    assert len(told(ask(world, world.customer, there))) == 2


def test_an_ephemeral_call_is_told_nothing(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    not_true(world, fact)
    send(world, fact)
    reader = Reader(world.agent, world.customer)
    built = prompt.build(reader, "Hi.", conversation=fresh(there), ephemeral=True)
    assert built.notices == ()
    assert told(ask(world, world.customer, there)) == [WRONG]


def test_what_its_owner_said_otherwise_about_is_recalled(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    Fact.objects.filter(pk=fact.pk).update(hidden_at=timezone.now())
    send(world, fact)
    assert told(ask(world, world.customer, there)) == [WRONG]


def test_a_prompt_has_five_at_most(world: World) -> None:
    lines = [f"Shelf {n} is red." for n in range(6)]
    stated(world, "\n- ".join(lines))
    there = talk(world, world.customer)
    ask(world, world.customer, there)
    for fact in Fact.objects.filter(raw_text__in=lines):
        not_true(world, fact)
        send(world, fact)
    assert [len(told(ask(world, world.customer, there))) for _turn in range(3)] == [5, 1, 0]


def test_only_a_person_sends_it(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    not_true(world, fact)
    with pytest.raises(WriteRefused), write_transaction(world.team) as tx:
        prompt.send(tx, fact, writer=Writer(AuthorKind.AGENT))


def test_the_twins_conversation_of_that_name_hears_nothing(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    with scope(team=world.twin.team), write_transaction(world.twin.team) as tx:
        place = Place(world.twin.agent, None, "MEMORY.md")
        write(tx, place, f"- {OLD}\n", writer=Writer(AuthorKind.PERSON))
        twins = add_messages(
            tx,
            agent=world.twin.agent,
            owner=world.twin.customer,
            conversation_id="c-1",
            messages=[NewMessage("user", "Hello.")],
        ).conversation
        built = prompt.build(Reader(world.twin.agent, world.twin.customer), "Hi.")
        prompt.served(tx, built)
    not_true(world, fact)
    assert prompt.recall_of(fact).untold == 0
    send(world, fact)
    with scope(team=world.twin.team):
        assert fresh(twins).notices_until is None
        assert not RecallNotice.objects.exists()


def test_a_conversation_without_one_takes_no_statement_more(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    aside = talk(world, world.customer, "aside")
    ask(world, world.customer, there)
    not_true(world, fact)
    send(world, fact)

    def cost(conversation: Conversation) -> int:
        there, reader = fresh(conversation), Reader(world.agent, world.customer)
        before = counted(lambda: prompt.build(reader, "Hi.", conversation=there))
        built = prompt.build(reader, "Hi.", conversation=there)
        with write_transaction(world.team) as tx:
            return before + counted(lambda: prompt.served(tx, built, conversation=there))

    cost(aside)
    waiting, without = cost(there), cost(aside)
    assert waiting - without == 4
    assert cost(there) == without


@pytest.mark.parametrize("is_moved", [False, True])
def test_each_file_that_it_stood_in_counts(world: World, *, is_moved: bool) -> None:
    fact, there = stated(world), talk(world, world.customer)
    ask(world, world.customer, there)
    reader, also = Reader(world.agent, world.customer), talk(world, world.customer, "also")
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "structured/people.md")
        span = prompt.Span(write(tx, place, f"- {OLD}\n", writer=person(world)).file, 1, 1)
        via = Injection.Via.SEARCH
        prompt.note(reader, [span], via=via, at=tx.now, conversation_id=also.pk)
    if is_moved:
        with write_transaction(world.team) as tx:
            write(tx, Place(world.agent, None, "MEMORY.md"), "# Memory\n", writer=person(world))
        fact.refresh_from_db()
        assert fact.path == place.path
    not_true(world, fact)
    assert set(prompt.recall_of(fact).talks) == {there.pk, also.pk}


def test_a_message_that_it_was_made_of_counts(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    message = there.messages.get()
    Evidence.objects.create(team=world.team, fact=fact, message=message)
    with write_transaction(world.team) as tx:
        reader, span = Reader(world.agent, world.customer), prompt.Span(message_id=message.pk)
        via = Injection.Via.SEARCH
        prompt.note(reader, [span], via=via, at=tx.now, conversation_id=there.pk)
    not_true(world, fact)
    assert list(prompt.recall_of(fact).talks) == [there.pk]
