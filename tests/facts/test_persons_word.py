"""What a person writes, rewords or deletes holds against machines, by whichever door it came."""

from datetime import datetime, timedelta

import pytest
from django.db.models import Q
from django.utils import timezone

from memoryweb.memory import reverting
from memoryweb.memory.conversations import messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.lines import origins
from memoryweb.memory.lines.flags import flagged_lines, print_of
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.lines.revisions import author_name
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import AuthorKind, Fact, File, Import, LineOrigin, Message
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.my_memory import actions
from memoryweb.memory.my_memory.actions import Spot
from memoryweb.memory.review import decisions as reviewing
from memoryweb.memory.review import proposals
from memoryweb.memory.snapshots import service as snapshots
from memoryweb.memory.statements.corrections import corrections
from memoryweb.memory.writing import machine_guards, proposing, write
from memoryweb.memory.writing.write import NewLine
from tests.api.client import Api
from tests.snapshots.archives import of
from tests.world import World, personal_token

MACHINE = Writer(AuthorKind.AGENT)
State, Why = Fact.State, Fact.Why
TOLD = "## About\n\n- Bob lives in Leeds.\n- Bob sings.\n"


def _bob(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.bob)


def _save(world: World, text: str, writer: Writer = MACHINE, path: str = "MEMORY.md") -> File:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, path)
        return write.write(tx, place, text, writer=writer).file


def _said(world: World, name: str, at: datetime) -> Message:
    said = [NewMessage("user", "I live in Leeds.", name, timestamp=at)]
    with write_transaction(world.team) as tx:
        messages.add_messages(
            tx, agent=world.agent, owner=world.bobs_memory, conversation_id="c", messages=said
        )
    return Message.objects.get(external_id=name)


def _imported(world: World, text: str) -> File:
    place = (Memory(world.agent, world.bobs_memory), of({"MEMORY.md": text}))
    token = snapshots.preview(*place, by=_bob(world)).token
    with write_transaction(world.team) as tx:
        snapshots.apply(tx, *place, token, by=_bob(world))
    return File.objects.get(owner=world.bobs_memory, path="MEMORY.md")


def _fact(text: str) -> Fact:
    return Fact.objects.get(raw_text=text)


def _corrected(world: World) -> set[str]:
    found = corrections(world.agent.pk, world.bobs_memory.pk)
    return set(found.values_list("raw_text", flat=True))


def test_a_sentence_reworded_or_removed_on_my_memory_is_taken_back(world: World) -> None:
    file = _save(world, TOLD)
    with write_transaction(world.team) as tx:
        spot = Spot(3, 3, file.sha256)
        actions.reword(tx, file, spot, "Bob lives in York.", writer=_bob(world))
    file.refresh_from_db()
    with write_transaction(world.team) as tx:
        actions.remove(tx, file, Spot(4, 4, file.sha256), writer=_bob(world))
    assert _corrected(world) == {"Bob lives in Leeds.", "Bob sings."}
    file.refresh_from_db()
    with write_transaction(world.team) as tx:
        actions.undo(tx, file, file.revision, writer=_bob(world))
    assert _corrected(world) == {"Bob lives in Leeds."}
    assert _fact("Bob sings.").state == State.ACTIVE


def test_a_line_of_a_note_that_a_person_deletes_is_taken_back_until_they_write_it_again(
    world: World,
) -> None:
    note = "memory/2026-11-20.md"
    text = "# 2026-11-20\n\n- 09:10 Bob sings.\n- 09:12 Bob lives in Leeds.\n"
    _save(world, text, path=note)
    _save(world, "- Bob sings.\n")
    _save(world, "# 2026-11-20\n", _bob(world), note)
    assert _corrected(world) == {"Bob lives in Leeds."}
    assert _fact("Bob lives in Leeds.").path == note
    _save(world, text, _bob(world), note)
    assert _corrected(world) == set()


def test_a_program_that_empties_a_note_takes_nothing_back(world: World) -> None:
    _save(world, "- 09:12 Bob lives in Leeds.\n", path="memory/2026-11-20.md")
    _save(world, "- other\n", path="memory/2026-11-20.md")
    assert _corrected(world) == set()


def test_a_flagged_line_is_no_statement_until_a_person_keeps_it_and_counts_as_asked_for(
    world: World,
) -> None:
    _save(world, TOLD, _bob(world))
    _save(world, "## About\n\n- Bob sings.\n", _bob(world))
    file = _save(world, TOLD)
    assert _fact("Bob sings.").state == State.ACTIVE
    waiting = Fact.objects.get(raw_text="Bob lives in Leeds.", file=file)
    assert waiting.state == State.PENDING
    with write_transaction(world.team) as tx:
        reviewing.keep_flagged(tx, file, print_of("- Bob lives in Leeds."), by=world.bob)
    waiting.refresh_from_db()
    assert waiting.state == State.ACTIVE
    assert _corrected(world) == set()
    assert LineOrigin.objects.filter(file=file, asked=True).count() == 1


def test_the_owner_who_says_it_again_later_is_believed(world: World) -> None:
    _save(world, TOLD, _bob(world))
    _save(world, "## About\n\n- Bob sings.\n", _bob(world))
    now = timezone.now()
    Fact.objects.filter(corrected_at__isnull=False).update(corrected_at=now - timedelta(hours=2))
    for hours, state in ((3, State.PENDING), (1, State.ACTIVE)):
        message = _said(world, f"said-{hours}", now - timedelta(hours=hours))
        with write_transaction(world.team) as tx:
            place = Place(world.agent, world.bobs_memory, "MEMORY.md")
            line = NewLine(
                "- Bob lives in Leeds.", Origin((origins.Source(message_id=message.pk),))
            )
            file = write.append(tx, place, [line], writer=MACHINE).file
        assert Fact.objects.get(raw_text="Bob lives in Leeds.", file=file).state == state
        _save(world, "## About\n\n- Bob sings.\n", Writer(AuthorKind.SYSTEM))


def test_released_lines_are_no_persons_word_until_they_are_kept_again(world: World) -> None:
    file = _save(world, TOLD, _bob(world))
    for change, is_word in ((machine_guards.release, False), (machine_guards.keep, True)):
        with write_transaction(world.team) as tx:
            change(tx, file, 3, 3, expected=file.sha256)
        assert _fact("Bob lives in Leeds.").is_persons_word is is_word
        assert _fact("Bob sings.").is_persons_word


def test_what_an_import_lacks_is_not_taken_back_and_what_it_brings_is_no_longer(
    world: World,
) -> None:
    _save(world, TOLD, _bob(world))
    _save(world, "## About\n\n- Bob sings.\n", _bob(world))
    archive = of({"MEMORY.md": "## About\n\n- Bob lives in Leeds.\n"})
    place = (Memory(world.agent, world.bobs_memory), archive)
    previewed = snapshots.preview(*place, by=_bob(world))
    assert [item.lifts for item in previewed.plan.items] == [("Bob lives in Leeds.",)]
    with write_transaction(world.team) as tx:
        snapshots.apply(tx, *place, previewed.token, by=_bob(world))
    assert _corrected(world) == set()
    assert _fact("Bob lives in Leeds.").state == State.ACTIVE
    assert (_fact("Bob sings.").why, _fact("Bob sings.").state) == (Why.REMOVED, State.RETIRED)


@pytest.mark.parametrize("act_as_person", [True, False])
def test_a_personal_token_writes_as_an_agent_unless_it_was_made_to_act_as_its_person(
    world: World, *, act_as_person: bool
) -> None:
    _save(world, TOLD)
    secret = personal_token(world.team, world.bob, act_as_person=act_as_person)
    path = f"/agents/{world.agent.pk}/workspace/files/MEMORY.md?owner=me"
    text = "## About\n\n- Bob sings.\n"
    assert Api(secret).put(path, {"content": text}).status_code == 200
    assert _corrected(world) == ({"Bob lives in Leeds."} if act_as_person else set())
    revision = File.objects.get(owner=world.bobs_memory).revisions.latest("number")
    assert (revision.author_kind, revision.user) == (
        "person" if act_as_person else "agent",
        world.bob,
    )


def test_a_token_that_acts_as_nobody_decides_nothing_and_reads_no_flagged_line(
    world: World,
) -> None:
    _save(world, TOLD, _bob(world))
    _save(world, "## About\n\n- Bob sings.\n", _bob(world))
    _save(world, TOLD)
    path = f"/agents/{world.agent.pk}/workspace/files/MEMORY.md?owner=me"
    plain, acting = (
        Api(personal_token(world.team, world.bob, act_as_person=one)) for one in (False, True)
    )
    assert "Leeds" not in plain.get(path).json()["content"]
    assert "Leeds" in acting.get(path).json()["content"]
    fact = Fact.objects.filter(raw_text="Bob lives in Leeds.").latest("created_at")
    answer = plain.post(f"/memory/{world.agent.pk}/facts/{fact.pk}/confirm")
    assert (answer.status_code, answer.json()["code"]) == (403, "person_required")


def test_what_a_person_reverts_comes_back_through_no_program(world: World) -> None:
    _save(world, "- Bob sings.\n")
    file = _imported(world, "- Bob sings.\n- Bob lives\n  in Leeds.\n")
    source = Source(world.agent, Kind.IMPORT, Import.objects.get().pk)
    with write_transaction(world.team) as tx:
        reach = Q(owner=world.bobs_memory)
        reverting.revert(tx, source, reach, Q(), writer=_bob(world))
    gone = _fact("Bob lives in Leeds.")
    assert (gone.state, gone.why, gone.corrected_by) == (State.RETIRED, Why.REVERTED, world.bob)
    _save(world, "- Bob sings.\n- Bob lives\n  in Leeds.\n")
    assert Fact.objects.get(raw_text=gone.raw_text, file=file).state == State.PENDING
    assert flagged_lines(file) == {2, 3}


def test_a_proposal_that_a_person_accepts_brings_back_what_they_took_back(world: World) -> None:
    _save(world, TOLD, _bob(world))
    file = _save(world, "## About\n\n- Bob sings.\n", _bob(world))
    writer = Writer(AuthorKind.AGENT)
    with write_transaction(world.team) as tx:
        proposal = proposing.hold_back(tx, file, TOLD, writer=writer, broken=[], origins={})
        assert proposal
        proposals.accept(tx, proposal, by=world.bob)
    assert _corrected(world) == set()
    assert _fact("Bob lives in Leeds.").state == State.ACTIVE


def test_lines_of_a_token_that_acts_as_its_person_say_so(world: World) -> None:
    secret = personal_token(world.team, world.bob)
    path = f"/agents/{world.agent.pk}/workspace/files/MEMORY.md?owner=me"
    Api(secret).put(path, {"content": TOLD})
    file = File.objects.get(owner=world.bobs_memory, path="MEMORY.md")
    wrote = (file.revisions.get(), file.origins.latest("pk"))
    shown = {author_name(one, world.agent) for one in wrote}
    assert shown == {"Bob (token “Test”)"}
