"""Every act on memory, agents and runs, and the event that it leaves."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.db.models import Q
from django.utils import timezone

from memoryweb.agents.models import Agent, Reader
from memoryweb.dreaming import backfill, schedule
from memoryweb.extraction import requests
from memoryweb.language.secrets import own_token
from memoryweb.memory import entries, facts, memory_tests, questions
from memoryweb.memory.agents import archive_agent, change_agent, create_agent, restore_agent
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting import decisions, erasing, hiding
from memoryweb.memory.lines.flags import print_of
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import (
    AuthorKind,
    Contradiction,
    Conversation,
    CrowdedFile,
    Entry,
    Fact,
    File,
    ForgetRequest,
    Injection,
    LegalHold,
    MemoryTest,
    Message,
    Proposal,
    ReviewItem,
    Target,
)
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.models.refusals import SecretRefused
from memoryweb.memory.models.review import follow
from memoryweb.memory.models.writer import Memory, Place, Transaction, Writer, write_transaction
from memoryweb.memory.prompt import context, injections, notices
from memoryweb.memory.prompt.files import arrange
from memoryweb.memory.reverting import revert
from memoryweb.memory.review import decisions as review_decisions
from memoryweb.memory.review import proposals
from memoryweb.memory.snapshots.service import apply, drop, export, keep, preview
from memoryweb.memory.still_true import still_true
from memoryweb.memory.writing import machine_guards, proposing, write
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs.models import Run
from tests.snapshots.archives import of
from tests.walls.web_stage import MARKED_LINE, restored_stage
from tests.world import World

Act = Callable[[World], object]
PERSON = Writer(AuthorKind.PERSON)
SNAPSHOT = of({"SOUL.md": "Loud.\n"})
SAID = [NewMessage("user", "I moved to Porto.", "t1"), NewMessage("user", "I like it.", "t2")]


def set_up(world: World) -> World:
    """All that the acts are done to."""
    restored_stage(world.home, "home", colleague=world.vera)
    more = [NewMessage("user", f"I have {n} cats.", str(n)) for n in range(2, 7)]
    with write_transaction(world.team) as tx:
        archive_agent(tx, create_agent(tx, name="Old"))
        keep(tx, Memory(world.agent, None), SNAPSHOT, user=world.alice)
        add_messages(
            tx, agent=world.agent, owner=world.customer, conversation_id="cats", messages=more
        )
    type(world.sender).objects.filter(pk=world.sender.pk).update(keeping=False, using=False)
    return world


def _in_unit(act: Callable[[Transaction, World], object]) -> Act:
    def inner(world: World) -> None:
        with write_transaction(world.team) as tx:
            act(tx, world)

    return inner


def _file(world: World, path: str = "MEMORY.md") -> File:
    return File.objects.get(agent=world.agent, owner=None, path=path)


def place_of(world: World, path: str = "MEMORY.md") -> Place:
    return Place(world.agent, world.customer, path)


def _stated(tx: Transaction, world: World, *texts: str) -> Fact:
    """The first of these statements, which a person wrote."""
    place = Place(world.agent, None, "structured/stated.md")
    content = "".join(f"- {text}\n" for text in texts)
    write.write(tx, place, content, writer=_alice(world))
    return Fact.objects.get(file__path=place.path, raw_text=texts[0])


def _recall(tx: Transaction, world: World) -> None:
    fact = _stated(tx, world, "Anna sings.")
    assert fact.file
    talk = Conversation.objects.filter(agent=world.agent, owner=world.customer).latest("created_at")
    reader, spans = Reader(world.agent, world.customer), [injections.Span(fact.file, 1, 1)]
    via = Injection.Via.CONTEXT
    injections.note(reader, spans, via=via, at=tx.now, conversation_id=talk.pk)
    facts.not_true(tx, fact, writer=_alice(world))
    notices.send(tx, fact, writer=_alice(world))


def _unconfirm(tx: Transaction, world: World) -> Fact:
    fact = facts.confirm(tx, _stated(tx, world, "Anna sings."), writer=_alice(world))
    return facts.unconfirm(tx, fact, writer=_alice(world))


def _alice(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def _restore_statement(tx: Transaction, world: World) -> None:
    fact = _stated(tx, world, "Anna sings.")
    facts.not_true(tx, fact, writer=_alice(world))
    facts.restore(tx, fact, writer=_alice(world))


def _say_otherwise(tx: Transaction, world: World) -> None:
    write.write(tx, place_of(world), "- We live in Hamburg.\n", writer=Writer(AuthorKind.DREAM))
    where = {"agent": world.agent, "owner": world.customer, "conversation_id": "home"}
    Fact.objects.filter(raw_text="We live in Hamburg.").update(said_at=tx.now - timedelta(days=1))
    said = [NewMessage("user", "We moved to Berlin.", f"at {tx.now}")]
    add_messages(tx, messages=said, **where)  # type: ignore[arg-type]


def _leave_out(tx: Transaction, world: World) -> None:
    where = {"agent": world.agent, "owner": world.customer, "conversation_id": "kept out"}
    add_messages(tx, messages=SAID, **where)  # type: ignore[arg-type]
    requests.leave_out(tx, Message.objects.latest("pk"), 0, 5)


def _contradiction(tx: Transaction, world: World) -> Contradiction:
    fact = _stated(tx, world, "city: Leeds", "city: York")
    fact.refresh_from_db()
    assert fact.contradiction
    return fact.contradiction


def _resolve(tx: Transaction, world: World) -> Contradiction:
    found = _contradiction(tx, world)
    return facts.resolve(tx, found, "KEEP_A", writer=_alice(world))


def _let_lapse(world: World) -> None:
    with write_transaction(world.team) as tx:
        questions.still_true(tx, _stated(tx, world, "Anna sings."))
    questions.expire(timezone.now() + timedelta(days=8))


def _see_crowded(tx: Transaction, world: World) -> None:
    found = CrowdedFile.objects.create(team=world.team, file=_file(world))
    follow(ReviewItem.Kind.CROWDED, [found.pk])
    review_decisions.see_crowded(tx, found, by=world.alice)


def _forget(tx: Transaction, world: World) -> ForgetRequest:
    fact = _stated(tx, world, "Her doctor is Jonas.")
    request = hiding.open_request(
        tx, hiding.Wish(Memory(world.agent, world.customer), ForgetRequest.Via.API)
    )
    hiding.hide(tx, request, [Mention(Target.Kind.FACT, fact.raw_text, fact=fact)])
    return request


def _erase_owner(tx: Transaction, world: World) -> None:
    for hold in hiding.lasting_holds(world.team.pk):
        hiding.end_hold(tx, hold)
    erasing.erase_owner(tx, world.sender, world.alice)


def _held(tx: Transaction, world: World) -> LegalHold:
    return hiding.make_hold(tx, by=world.alice, reason="Claim 7", agent=world.other_agent)


def _marked(world: World) -> File:
    return _file(world, "structured/hotels.md")


def _proposal(world: World) -> Proposal:
    return Proposal.objects.get(file=_file(world), state=Proposal.State.PENDING)


def _reopened(tx: Transaction, world: World) -> None:
    proposal = _proposal(world)
    proposals.reject(tx, proposal, by=world.alice)
    proposals.undo(tx, proposal, by=world.alice)


def _run(world: World) -> Run:
    run = _proposal(world).run
    assert run
    return run


def _leak(tx: Transaction, world: World) -> None:
    write.write(tx, place_of(world), f"- {own_token.generate()}\n", writer=PERSON)


def _refused_secret(world: World) -> None:
    with pytest.raises(SecretRefused):
        _in_unit(_leak)(world)


def _released(tx: Transaction, world: World) -> File:
    file = write.write(tx, place_of(world, "rules.md"), "Be kind.\n", writer=PERSON).file
    machine_guards.keep(tx, file, 1, 1, expected=file.sha256)
    machine_guards.release(tx, file, 1, 1, expected=file.sha256)
    return file


def _kept_again(tx: Transaction, world: World) -> None:
    file = _released(tx, world)
    machine_guards.keep(tx, file, 1, 1, expected=file.sha256)


def _imported(tx: Transaction, world: World) -> None:
    token = preview(Memory(world.agent, None), SNAPSHOT, by=PERSON).token
    apply(tx, Memory(world.agent, None), SNAPSHOT, token, by=PERSON)


def _typed(tx: Transaction, world: World) -> None:
    text, by = "Wi-Fi password: " + "tulip" + "4712\n", replace(PERSON, no_secrets=True)
    write.write(tx, place_of(world, "WIFI.md"), text, writer=by)


def _masked(tx: Transaction, world: World) -> None:
    text, by = "Wi-Fi password: " + "daisy" + "4711\n", Writer(AuthorKind.AGENT)
    write.write(tx, place_of(world, "WIFI.md"), text, writer=by)


def _tested(tx: Transaction, world: World) -> MemoryTest:
    its = Memory(world.agent, None)
    return memory_tests.add(tx, its, "When is tea?", "at five", writer=PERSON)


def _backfill(world: World) -> Run:
    whose = {"team": world.team, "agent": world.other_agent, "owner": world.customer}
    return Run.objects.create(**whose, kind="dream", trigger="backfill")


ON_MEMORY: dict[str, tuple[str, Act]] = {
    "write": (
        "file.written",
        _in_unit(lambda u, w: write.write(u, place_of(w), "# Memory\n\n- New.\n", writer=PERSON)),
    ),
    "append": (
        "file.written",
        _in_unit(lambda u, w: write.append(u, place_of(w), [NewLine("- New.")], writer=PERSON)),
    ),
    "delete": ("file.deleted", _in_unit(lambda u, w: write.delete(u, _file(w), writer=PERSON))),
    "restore": (
        "file.restored",
        _in_unit(lambda u, w: write.restore(u, _file(w), 1, writer=PERSON)),
    ),
    "rename": (
        "file.renamed",
        _in_unit(lambda u, w: write.rename(u, _file(w, "SOUL.md"), "VOICE.md", writer=PERSON)),
    ),
    "give an entry another name": ("entry.aliased", _in_unit(lambda u, w: _entry(u, w))),
    "take it from it": (
        "entry.unaliased",
        _in_unit(lambda u, w: entries.remove_alias(u, _entry(u, w), "levain", writer=PERSON)),
    ),
    "make a test": ("test.made", _in_unit(_tested)),
    "delete a test": (
        "test.deleted",
        _in_unit(lambda u, w: memory_tests.remove(u, Memory(w.agent, None), _tested(u, w).pk)),
    ),
    "retire a test": (
        "test.retired",
        _in_unit(lambda u, w: memory_tests.retire(u, _run(w), [_tested(u, w)])),
    ),
    "arrange": (
        "prompt.changed",
        _in_unit(lambda u, w: arrange(u, Memory(w.agent, None), [("MEMORY.md", False)])),
    ),
    "release a person's lines": ("line.released", _in_unit(_released)),
    "keep a person's lines again": ("line.kept", _in_unit(_kept_again)),
    "mask a likely secret": ("secret.masked", _in_unit(_masked)),
    "say that it is no secret": ("secret.released", _in_unit(_typed)),
    "propose": (
        "proposal.made",
        _in_unit(
            lambda u, w: proposing.propose(
                u,
                run=Run.objects.filter(agent=w.agent, owner=w.customer)[0],
                file=_file(w),
                content="# Memory\n\n- Else.\n",
                origins={},
                broken=[],
            )
        ),
    ),
    "take back": (
        "provenance.reverted",
        _in_unit(
            lambda u, w: revert(u, Source(w.agent, Kind.RUN, _run(w).pk), Q(), Q(), writer=PERSON)
        ),
    ),
    "keep a marked line": (
        "mark.kept",
        _in_unit(
            lambda u, w: review_decisions.keep_flagged(
                u, _marked(w), print_of(MARKED_LINE), by=w.alice
            )
        ),
    ),
    "remove a marked line": (
        "mark.removed",
        _in_unit(
            lambda u, w: review_decisions.remove_flagged(
                u, _marked(w), print_of(MARKED_LINE), by=w.alice
            )
        ),
    ),
    "take a rejection back": ("review.undone", _in_unit(lambda u, w: _reopened(u, w))),
    "accept": (
        "proposal.accepted",
        _in_unit(lambda u, w: proposals.accept(u, _proposal(w), by=w.alice)),
    ),
    "reject": (
        "proposal.rejected",
        _in_unit(lambda u, w: proposals.reject(u, _proposal(w), by=w.alice)),
    ),
    "export a snapshot": (
        "snapshot.exported",
        _in_unit(lambda u, w: export(u, Memory(w.agent, None))),
    ),
    "import a snapshot": ("snapshot.imported", _in_unit(lambda u, w: _imported(u, w))),
    "upload a snapshot": (
        "snapshot.uploaded",
        _in_unit(lambda u, w: keep(u, Memory(w.agent, None), SNAPSHOT, user=w.bob)),
    ),
    "drop a snapshot": (
        "snapshot.dropped",
        _in_unit(lambda u, w: drop(u, w.agent.uploads.get(user=w.alice))),
    ),
    "create agent": ("agent.created", _in_unit(lambda u, w: create_agent(u, name="Night porter"))),
    "change agent": (
        "agent.changed",
        _in_unit(lambda u, w: change_agent(u, w.agent, name="Doorman")),
    ),
    "archive agent": ("agent.archived", _in_unit(lambda u, w: archive_agent(u, w.agent))),
    "restore agent": (
        "agent.restored",
        _in_unit(lambda u, w: restore_agent(u, Agent.objects.get(name="Old"))),
    ),
    "say": (
        "conversation.received",
        _in_unit(
            lambda u, w: add_messages(
                u, agent=w.agent, owner=w.customer, conversation_id="new", messages=SAID
            )
        ),
    ),
    "import": (
        "conversation.imported",
        _in_unit(
            lambda u, w: add_messages(
                u,
                agent=w.agent,
                owner=w.customer,
                conversation_id="new",
                messages=SAID,
                source="import",
            )
        ),
    ),
    "give memory": (
        "context.served",
        _in_unit(lambda u, w: injections.served(u, context.build(Reader(w.agent), "Tea?"))),
    ),
    "ask for a dream": (
        "run.requested",
        _in_unit(lambda u, w: schedule.request(u, Memory(w.other_agent, None), trigger="person")),
    ),
    "stop a backfill": ("run.stopped", _in_unit(lambda u, w: backfill.stop(u, _backfill(w)))),
    "ask for an extraction": (
        "run.requested",
        _in_unit(
            lambda u, w: requests.request(
                u, agent=w.agent, owner=w.customer, trigger="api", immediate=True
            )
        ),
    ),
    "refuse a secret": ("secret.refused", _refused_secret),
    "state something": ("fact.changed", _in_unit(lambda u, w: _stated(u, w, "Anna sings."))),
    "confirm a statement": (
        "fact.confirmed",
        _in_unit(lambda u, w: facts.confirm(u, _stated(u, w, "Anna sings."), writer=_alice(w))),
    ),
    "say that it is still true": (
        "fact.still_true",
        _in_unit(lambda u, w: still_true(u, _stated(u, w, "Anna sings."), writer=_alice(w))),
    ),
    "take a confirmation back": ("fact.unconfirmed", _in_unit(_unconfirm)),
    "edit a statement": (
        "fact.edited",
        _in_unit(
            lambda u, w: facts.edit(u, _stated(u, w, "Anna sings."), "Anna hums.", writer=_alice(w))
        ),
    ),
    "choose its last day": (
        "fact.kept_until",
        _in_unit(
            lambda u, w: facts.remember_until(
                u, _stated(u, w, "Anna sings."), date(2099, 12, 31), writer=_alice(w)
            )
        ),
    ),
    "mark a statement": (
        "fact.not_true",
        _in_unit(lambda u, w: facts.not_true(u, _stated(u, w, "Anna sings."), writer=_alice(w))),
    ),
    "tell of what was not true": ("fact.recalled", _in_unit(_recall)),
    "restore a statement": ("fact.restored", _in_unit(_restore_statement)),
    "vote on a statement": (
        "fact.voted",
        _in_unit(
            lambda u, w: facts.vote(u, _stated(u, w, "Anna sings."), writer=_alice(w), helpful=True)
        ),
    ),
    "keep a sentence from the notes": ("message.unnoted", _in_unit(_leave_out)),
    "say otherwise": ("fact.hidden", _in_unit(_say_otherwise)),
    "forget": ("memory.forget_requested", _in_unit(_forget)),
    "decide to erase": (
        "memory.forget_decided",
        _in_unit(lambda u, w: decisions.erase(u, _forget(u, w), w.alice)),
    ),
    "undo forgetting": (
        "memory.forget_undone",
        _in_unit(lambda u, w: hiding.undo(u, _forget(u, w))),
    ),
    "erase an owner": (
        "memory.erasure_requested",
        _in_unit(_erase_owner),
    ),
    "hold": ("hold.made", _in_unit(lambda u, w: _held(u, w))),
    "end a hold": ("hold.ended", _in_unit(lambda u, w: hiding.end_hold(u, _held(u, w)))),
    "see how little room there is": ("file.crowded_seen", _in_unit(_see_crowded)),
    "contradict": ("contradiction.opened", _in_unit(_contradiction)),
    "let a question lapse": ("contradiction.lapsed", _let_lapse),
    "resolve": ("contradiction.resolved", _in_unit(_resolve)),
    "undo a resolution": (
        "contradiction.reopened",
        _in_unit(lambda u, w: facts.undo(u, _resolve(u, w), writer=_alice(w))),
    ),
}


def _entry(tx: Transaction, world: World) -> Entry:
    known = entries.find(Memory(world.agent, None), "Starter")
    return known or entries.add(
        tx, Memory(world.agent, None), "Starter", "Feed it.", writer=PERSON, aliases=["levain"]
    )
