"""What was taken back is told where it was given, also when it comes back, by a file's revision or
by a backup; and a person who pauses finds what is reverted meanwhile gone."""

from datetime import timedelta
from pathlib import Path

import pytest

from memoryweb.agents.models import Owner
from memoryweb.agents.owners import set_paused
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import Conversation, Fact, File, Message, RecallNotice
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.writing import write
from tests.commands.calling import run
from tests.commands.test_backup import erase, home, restore
from tests.dreaming.nights import NIGHT, dream, text_of
from tests.forgetting.test_erasing import holding
from tests.memory.test_recall_notices import (
    NOW,
    OLD,
    WRONG,
    ask,
    edit,
    not_true,
    person,
    send,
    stated,
    talk,
    told,
)
from tests.stories.telling import prompt, reverts, says
from tests.world import World

__all__ = ["home"]
BAD, GOOD = "Marta always books the Acme hotel.", "Marta's team ships on Thursdays."


def test_an_older_revision_comes_back_before_the_notice_was_read(world: World) -> None:
    """It holds again, so nothing is told; taken out once more, it is told once."""
    fact, there = stated(world), talk(world, world.customer)
    file = File.objects.get(agent=world.agent, owner=None, path="MEMORY.md")
    ask(world, world.customer, there)
    not_true(world, fact)
    send(world, fact)
    with write_transaction(world.team) as tx:
        write.restore(tx, file, file.revision, writer=person(world))
    assert told(again := ask(world, world.customer, there)) == []
    back = Fact.objects.living().get(raw_text=OLD, hidden_at=None)
    assert OLD in again.system
    not_true(world, back)
    send(world, back)
    assert told(ask(world, world.customer, there)) == [WRONG]
    assert told(ask(world, world.customer, there)) == []


def test_a_correction_that_a_revision_undoes_is_told_by_nobody(world: World) -> None:
    fact, there = stated(world), talk(world, world.customer)
    file = File.objects.get(agent=world.agent, owner=None, path="MEMORY.md")
    ask(world, world.customer, there)
    edit(world, fact)
    send(world, fact)
    with write_transaction(world.team) as tx:
        write.restore(tx, file, file.revision, writer=person(world))
    built = ask(world, world.customer, there)
    assert told(built) == []
    assert OLD in built.system
    with write_transaction(world.team) as tx:
        write.restore(tx, file, file.revision + 1, writer=person(world))
    assert told(ask(world, world.customer, there)) == [NOW]


@pytest.mark.django_db(transaction=True)
def test_a_notice_that_waits_in_a_backup_goes_with_what_was_forgotten_since(
    home: Path, world: World
) -> None:
    """One of a statement that nobody forgot is told after the restore."""
    gone, kept = stated(world, "I own a Zebrafinch.", world.customer), stated(world)
    there = talk(world, world.customer)
    ask(world, world.customer, there)
    for fact in (gone, kept):
        not_true(world, fact)
        send(world, fact)
    assert run("backup", str(home / "kept")).failure == ""
    erase(world, "I own a Zebrafinch.", owner=world.customer)
    assert restore(home).failure == ""
    assert holding("zebrafinch") == set()
    assert [one.fact_id for one in RecallNotice.objects.all()] == [kept.pk]
    assert told(ask(world, world.customer, there)) == [WRONG]


def test_a_revert_while_nothing_is_kept_or_used(world: World) -> None:
    """It takes back what was kept before; what is said meanwhile is no memory, also later."""
    owner, tomorrow = world.customer, NIGHT + timedelta(days=1)
    bad = says(world, "bad", BAD)
    says(world, "good", GOOD)
    dream(world, owner)
    set_paused(owner=owner, paused=True, by=SYSTEM)
    owner.refresh_from_db()
    says(world, "meanwhile", "I bought a blue boat.", day=tomorrow, is_noted=False)
    reverts(world, bad)
    assert "Acme" not in text_of(world, owner)
    assert "Thursdays" not in prompt(world, "When does the team ship?")
    set_paused(owner=owner, paused=False, by=SYSTEM)
    owner = Owner.objects.get(pk=owner.pk)
    dream(world, owner, tomorrow)
    said = prompt(world, "Which hotel does Marta book, and when does the team ship?", bad)
    assert "Acme" not in said
    assert "Thursdays" in prompt(world, "When does the team ship?", owner=owner)
    assert not Message.objects.filter(raw_content__contains="blue boat").exists()
    assert not Conversation.objects.filter(waiting=True, owner=owner).exists()


def test_a_conversation_that_is_reverted_while_its_owner_pauses_using_stays_out(
    world: World,
) -> None:
    owner = world.customer
    bad = says(world, "bad", BAD)
    dream(world, owner)
    set_paused(owner=owner, paused=True, by=SYSTEM, what=["using"])
    owner.refresh_from_db()
    says(world, "bad", "I like the blue boat.", day=NIGHT)
    reverts(world, bad)
    dream(world, owner, NIGHT + timedelta(days=1))
    set_paused(owner=owner, paused=False, by=SYSTEM)
    owner = Owner.objects.get(pk=owner.pk)
    assert not {"Acme", "boat"} & set(text_of(world, owner).replace(".", " ").split())
    assert "Acme" not in prompt(world, "Which hotel?", bad, owner=owner)


def test_what_was_recalled_of_a_reverted_conversation_is_told_once(world: World) -> None:
    """Its statement is gone by then; the notice needs no words of it."""
    owner = world.customer
    says(world, "good", GOOD)
    bad = says(world, "bad", BAD)
    dream(world, owner)
    there = talk(world, owner)
    ask(world, owner, there)
    fact = Fact.objects.living().get(raw_text__contains="Acme", file__path="MEMORY.md")
    not_true(world, fact)
    send(world, fact)
    set_paused(owner=owner, paused=True, by=SYSTEM, what=["using"])
    reverts(world, bad)
    assert told(ask(world, owner, there)) == []
    set_paused(owner=owner, paused=False, by=SYSTEM)
    assert [one for one in told(ask(world, owner, there)) if "Acme" in one] == []
    assert told(ask(world, owner, there)) == []
