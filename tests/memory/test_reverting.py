"""Taking back all that one conversation, token, import or run wrote, and nothing else."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from memoryweb.accounts import tokens
from memoryweb.accounts.integrations import grant
from memoryweb.accounts.models import Token
from memoryweb.accounts.permissions import Scope
from memoryweb.agents.models import Owner
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.lines.origins import Source as Line
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import AuthorKind, Conversation, File, Import, Passage, Proposal
from memoryweb.memory.models.refusals import Decided
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.reverting import Plan, PlanMoved, Reversal, plan, revert
from memoryweb.memory.review import proposals
from memoryweb.memory.writing import proposing, write
from memoryweb.memory.writing.matrix import WriteRefused
from memoryweb.memory.writing.put_back import without_revisions
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs.models import Run
from tests.statements import statements
from tests.world import World

NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
NOTE = "memory/2026-11-20.md"


def _person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def _write(
    world: World, text: str, writer: Writer, path: str = "KNOWLEDGE.md", owner: Owner | None = None
) -> File:
    with write_transaction(world.team) as tx:
        return write.write(tx, Place(world.agent, owner, path), text, writer=writer).file


def _append(world: World, *texts: str, writer: Writer, owner: Owner | None = None) -> File:
    lines = [NewLine(text) for text in texts]
    with write_transaction(world.team) as tx:
        return write.append(tx, Place(world.agent, owner, NOTE), lines, writer=writer).file


def _token(world: World) -> Token:
    """Of a program that an admin lets write what is shared."""
    why, scope = "Keeps the opening hours.", Scope.SHARED_WRITE
    grant(integration=world.integration, scope=scope, reason=why, by=SYSTEM)
    return tokens.issue(
        team=world.team,
        by=SYSTEM,
        integration=world.integration,
        name="Desk",
        scopes=world.integration.scopes,
    )[0]


def _tool(world: World, token: Token) -> Writer:
    return Writer(AuthorKind.AGENT, integration=world.integration, token=token, is_tool=True)


def _script(world: World, token: Token) -> Writer:
    """A person's own program, which may write over what people wrote."""
    return Writer(AuthorKind.PERSON, user=world.vera, token=token)


def _talk(world: World, *said: str, token: Token | None = None, name: str = "c") -> Conversation:
    messages = [NewMessage(role="user", content=text, timestamp=NOW) for text in said]
    with write_transaction(world.team) as tx:
        return add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id=name,
            messages=messages,
            token=token,
        ).conversation


def _extracted(world: World, talk: Conversation) -> File:
    """A line of the note for each message, as an extraction writes it."""
    lines = [
        NewLine(f"- 09:05 {one.raw_content}", Origin((Line(message_id=one.pk),)))
        for one in talk.messages.order_by("position")
    ]
    Conversation.objects.filter(pk=talk.pk).update(extracted_upto=talk.message_count, waiting=False)
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, NOTE)
        return write.append(
            tx, place, lines, writer=Writer(AuthorKind.EXTRACTION, is_vouched=True)
        ).file


def _dreamt(world: World, note: File, *numbers: int, before: str = "# Memory\n\n") -> File:
    """Each line of the note as a line of MEMORY.md."""
    lines = note.raw_content.split("\n")
    text = before + "".join(f"- {lines[n - 1][8:]}\n" for n in numbers)
    first = before.count("\n") + 1
    origins = {
        first + at: Origin((Line(note.pk, note.revision, n),)) for at, n in enumerate(numbers)
    }
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, "MEMORY.md")
        writer = Writer(AuthorKind.DREAM, is_vouched=True)
        return write.write(tx, place, text, writer=writer, origins=origins).file


def _revert(world: World, kind: Kind, row: object, *, expected: str | None = None) -> Reversal:
    source = Source(world.agent, kind, row.pk)  # type: ignore[attr-defined]
    with write_transaction(world.team) as tx:
        return revert(tx, source, Q(), Q(), writer=_person(world), expected=expected)


def _plan(world: World, kind: Kind, row: object, reach: Q | None = None) -> Plan:
    return plan(Source(world.agent, kind, row.pk), Q() if reach is None else reach, Q())  # type: ignore[attr-defined]


def _text(world: World, path: str, owner: Owner | None) -> str:
    return File.objects.get(agent=world.agent, path=path, owner=owner).raw_content


def test_a_conversation_goes_from_note_memory_and_index_and_others_stay(world: World) -> None:
    _extracted(world, _talk(world, "Caroline likes tea.", name="good"))
    bad = _talk(world, "Acme is the best.", "Acme is cheap.", name="bad")
    note = _extracted(world, bad)
    _dreamt(world, note, 3, 4, 5)
    done = _revert(world, Kind.CONVERSATION, bad)
    assert (done.files, done.lines) == (2, 4)
    assert _text(world, NOTE, world.customer) == "# 2026-11-20\n\n- 09:05 Caroline likes tea.\n"
    assert _text(world, "MEMORY.md", world.customer) == "# Memory\n\n- Caroline likes tea.\n"
    assert not Passage.objects.filter(file__isnull=False, raw_text__contains="Acme").exists()


def test_a_line_that_stands_on_another_conversation_too_stays(world: World) -> None:
    note = _extracted(world, _talk(world, "Caroline likes tea.", name="good"))
    bad = _talk(world, "Caroline likes tea a lot.", name="bad")
    note = _extracted(world, bad)
    with write_transaction(world.team) as tx:
        both = Origin(tuple(Line(note.pk, note.revision, n) for n in (3, 4)))
        place = Place(world.agent, world.customer, "MEMORY.md")
        writer = Writer(AuthorKind.DREAM, is_vouched=True)
        write.write(tx, place, "- Likes tea.\n", writer=writer, origins={1: both})
    made = _plan(world, Kind.CONVERSATION, bad)
    assert made.stay == 1
    _revert(world, Kind.CONVERSATION, bad)
    assert _text(world, "MEMORY.md", world.customer) == "- Likes tea.\n"


def test_what_a_person_changed_since_stays(world: World) -> None:
    bad = _talk(world, "Acme is the best hotel in town.", name="bad")
    note = _extracted(world, bad)
    _dreamt(world, note, 3)
    changed = "# Memory\n\n- Acme is the worst hotel in town.\n"
    _write(world, changed, _person(world), "MEMORY.md", world.customer)
    _revert(world, Kind.CONVERSATION, bad)
    assert _text(world, "MEMORY.md", world.customer) == changed


def _note_without(world: World, gone: str, put: str = "") -> None:
    """A person deletes a line of the note, or writes another in its place."""
    text = _text(world, NOTE, world.customer)
    line = next(line for line in text.split("\n") if gone in line)
    changed = text.replace(line, put) if put else text.replace(f"{line}\n", "")
    _write(world, changed, _person(world), NOTE, world.customer)


@pytest.mark.parametrize("put", ["", "- 09:05 Acme is the worst."])
def test_a_memory_line_goes_though_a_person_deleted_or_edited_the_note_line_under_it(
    world: World, put: str
) -> None:
    bad = _talk(world, "Acme is the best.", name="bad")
    _dreamt(world, _extracted(world, bad), 3)
    _note_without(world, "best", put)
    _revert(world, Kind.CONVERSATION, bad)
    assert _text(world, "MEMORY.md", world.customer) == "# Memory\n\n"


def test_a_memory_line_made_from_a_person_s_own_note_line_stays(world: World) -> None:
    bad = _talk(world, "Acme is the best.", name="bad")
    _extracted(world, bad)
    _note_without(world, "best", "- 09:05 Acme is the worst.")
    note = File.objects.get(path=NOTE, owner=world.customer)
    _dreamt(world, note, 3)
    _revert(world, Kind.CONVERSATION, bad)
    assert "Acme is the worst." in _text(world, "MEMORY.md", world.customer)


def test_roots_are_those_of_the_revision_that_a_dream_read(world: World) -> None:
    """The note moved on before the dream wrote: another line has the number by now."""
    bad = _talk(world, "Acme is the best.", name="bad")
    note = _extracted(world, bad)
    _note_without(world, "best", "- 08:00 Tea.\n- 08:30 Cake.")
    _dreamt(world, note, 3)
    _revert(world, Kind.CONVERSATION, bad)
    assert _text(world, "MEMORY.md", world.customer) == "# Memory\n\n"


def test_a_token_s_line_that_a_dream_took_up_goes_after_the_note_was_deleted(world: World) -> None:
    token = _token(world)
    note = _append(world, "- 09:00 Acme.", writer=_tool(world, token), owner=world.customer)
    _dreamt(world, note, 3)
    with write_transaction(world.team) as tx:
        write.delete(tx, note, writer=_person(world))
    _revert(world, Kind.TOKEN, token)
    assert _text(world, "MEMORY.md", world.customer) == "# Memory\n\n"


def test_a_memory_line_that_came_back_by_restoring_still_goes(world: World) -> None:
    bad = _talk(world, "Acme is the best.", name="bad")
    memory = _dreamt(world, _extracted(world, bad), 3)
    _write(world, "# Memory\n", _person(world), "MEMORY.md", world.customer)
    _note_without(world, "best")
    with write_transaction(world.team) as tx:
        write.restore(tx, memory, memory.revision, writer=_person(world))
    _revert(world, Kind.CONVERSATION, bad)
    assert "best" not in _text(world, "MEMORY.md", world.customer)


def test_extraction_of_what_waits_is_stopped(world: World) -> None:
    bad = _talk(world, "Acme is the best.", name="bad")
    assert _revert(world, Kind.CONVERSATION, bad).conversations == 1
    bad.refresh_from_db()
    assert (bad.waiting, bad.extracted_upto, bad.skipped) == (False, 1, "reverted")


def test_a_token_s_lines_go_and_what_others_appended_stays(world: World) -> None:
    token = _token(world)
    _append(world, "- 09:00 Acme.", writer=_tool(world, token))
    _append(world, "- 09:01 Tea.", writer=Writer(AuthorKind.AGENT))
    _append(world, "- 09:02 More Acme.", writer=_tool(world, token))
    _revert(world, Kind.TOKEN, token)
    assert _text(world, NOTE, None) == "# 2026-11-20\n\n- 09:01 Tea.\n"


def test_a_file_that_only_the_source_wrote_goes_whole(world: World) -> None:
    token = _token(world)
    _append(world, "- 09:00 Acme.", writer=_tool(world, token))
    _write(world, "# Acme\n", _tool(world, token))
    _revert(world, Kind.TOKEN, token)
    assert not File.objects.present().filter(path__in=[NOTE, "KNOWLEDGE.md"]).exists()


def test_what_a_token_overwrote_comes_back_as_the_words_of_who_wrote_it(world: World) -> None:
    token, text = _token(world), "# Tea\n\n- Green.\n- Black.\n"
    _write(world, text, Writer(AuthorKind.DREAM, user=world.bob, is_vouched=True), "MEMORY.md")
    _write(world, "# Acme\n", _tool(world, token), "MEMORY.md")
    done = _revert(world, Kind.TOKEN, token)
    file = File.objects.get(path="MEMORY.md", owner=None, agent=world.agent)
    assert (file.raw_content, done.restored) == (text, 4)
    assert set(file.origins.values_list("author_kind", flat=True)) == {AuthorKind.DREAM}


def test_what_a_token_deleted_comes_back(world: World) -> None:
    token = _token(world)
    file = _write(world, "# Tea\n", _person(world))
    with write_transaction(world.team) as tx:
        write.delete(tx, file, writer=_tool(world, token))
    _revert(world, Kind.TOKEN, token)
    file.refresh_from_db()
    assert (file.raw_content, file.deleted_at) == ("# Tea\n", None)


def test_an_overwritten_line_comes_back_beside_what_others_wrote_since(world: World) -> None:
    token = _token(world)
    _write(world, "- one\n\n- two\n\n- three\n", _person(world))
    _write(world, "- one\n\n- three\n", _script(world, token))
    _write(world, "- one\n\n- three\n\n- four\n", _person(world))
    _revert(world, Kind.TOKEN, token)
    assert _text(world, "KNOWLEDGE.md", None) == "- one\n\n- two\n\n- three\n\n- four\n"


def test_a_line_that_comes_back_beside_others_is_whose_it_was(world: World) -> None:
    """Alice takes it back; Bob wrote one line, and the other came from a message."""
    token, message = _token(world), _talk(world, "Two.").messages.get()
    bob = Writer(AuthorKind.PERSON, user=world.bob)
    _write(world, "- one\n\n# End\n", bob)
    with write_transaction(world.team) as tx:
        place, writer = Place(world.agent, None, "KNOWLEDGE.md"), Writer(AuthorKind.IMPORT)
        origins = {2: Origin((Line(message_id=message.pk),))}
        write.write(tx, place, "- one\n- two\n\n# End\n", writer=writer, origins=origins)
    _write(world, "# End\n", _script(world, token))
    _write(world, "# End\n\n- three\n", _person(world))
    _revert(world, Kind.TOKEN, token)
    file = File.objects.get(path="KNOWLEDGE.md", owner=None, agent=world.agent)
    lines = file.raw_content.split("\n")
    rows = {lines[row.line - 1]: row for row in file.origins.all()}
    assert (rows["- one"].user, rows["- one"].since) == (world.bob, 1)
    assert (rows["- two"].message, rows["- two"].since) == (message, 2)
    assert rows["- three"].user == world.alice
    assert file.revisions.get(number=file.revision).user == world.alice


def test_what_an_extraction_overwrote_comes_back_by_its_conversation(world: World) -> None:
    bad = _talk(world, "Acme is the best.", name="bad")
    place = Place(world.agent, world.customer, "PROFILE.md")
    with write_transaction(world.team) as tx:
        write.write(tx, place, "# Profile\n\n- Likes tea.\n", writer=_person(world))
        writer = Writer(AuthorKind.EXTRACTION, conversation_id=bad.pk, is_vouched=True)
        origins = {3: Origin((Line(message_id=bad.messages.get().pk),))}
        text = "# Profile\n\n- Likes Acme.\n"
        write.write(tx, place, text, writer=writer, origins=origins)
    _revert(world, Kind.CONVERSATION, bad)
    assert _text(world, "PROFILE.md", world.customer) == "# Profile\n\n- Likes tea.\n"


def test_a_line_that_a_dream_took_up_with_another_source_stays_where_it_is(world: World) -> None:
    good = _extracted(world, _talk(world, "Likes tea.", name="good"))
    bad = _talk(world, "Likes tea a lot.", name="bad")
    place = Place(world.agent, world.customer, "MEMORY.md")
    said = Line(message_id=bad.messages.get().pk)
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.EXTRACTION, conversation_id=bad.pk, is_vouched=True)
        write.write(tx, place, "- Tea.\n", writer=writer, origins={1: Origin((said,))})
        both = {1: Origin((said, Line(good.pk, good.revision, 3)))}
        text = "- Tea.\n- Other.\n"
        write.write(tx, place, text, writer=Writer(AuthorKind.DREAM, is_vouched=True), origins=both)
    _revert(world, Kind.CONVERSATION, bad)
    assert _text(world, "MEMORY.md", world.customer) == "- Tea.\n- Other.\n"


def test_lines_of_an_import_go_and_it_is_marked_as_reverted(world: World) -> None:
    batch = Import.objects.create(
        team=world.team, agent=world.agent, user=world.bob, archive_sha256="0" * 64
    )
    _write(world, "- mine\n", _person(world))
    importing = Writer(AuthorKind.IMPORT, user=world.bob, batch=batch)
    _write(world, "- mine\n- theirs\n", importing)
    _revert(world, Kind.IMPORT, batch)
    batch.refresh_from_db()
    assert (_text(world, "KNOWLEDGE.md", None), batch.reverted_at is None) == ("- mine\n", False)


def test_an_import_beyond_the_reach_is_not_said_to_be_taken_back(world: World) -> None:
    batch = Import.objects.create(
        team=world.team, agent=world.agent, user=world.bob, archive_sha256="0" * 64
    )
    importing = Writer(AuthorKind.IMPORT, user=world.bob, batch=batch)
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, "KNOWLEDGE.md")
        write.write(tx, place, "- theirs\n", writer=importing)
    with write_transaction(world.team) as tx:
        source = Source(world.agent, Kind.IMPORT, batch.pk)
        revert(tx, source, Q(owner=None), Q(owner=None), writer=_person(world))
    batch.refresh_from_db()
    assert batch.reverted_at is None


def test_a_run_goes_with_all_it_wrote_and_is_not_proposed_again(world: World) -> None:
    run = Run.objects.create(
        team=world.team, agent=world.agent, kind=Run.Kind.DREAM, trigger=Run.Trigger.CRON
    )
    _write(world, "# Memory\n\n- Tea.\n", _person(world), "MEMORY.md")
    dream = Writer(AuthorKind.DREAM, run=run, is_vouched=True)
    _write(world, "# Memory\n\n- Tea.\n- Acme is the best hotel.\n", dream, "MEMORY.md")
    _revert(world, Kind.RUN, run)
    assert _text(world, "MEMORY.md", None) == "# Memory\n\n- Tea.\n"
    assert Proposal.objects.get(run=run).state == Proposal.State.REJECTED


def _run(world: World, owner: Owner | None = None) -> Run:
    return Run.objects.create(
        team=world.team,
        agent=world.agent,
        owner=owner,
        kind=Run.Kind.DREAM,
        trigger=Run.Trigger.CRON,
    )


def _proposed(world: World, run: Run, note: File, *numbers: int) -> Proposal:
    """Each line of the note as a new line of MEMORY.md that waits for a person."""
    memory = _write(world, "# Memory\n\n", _person(world), "MEMORY.md", world.customer)
    lines = note.raw_content.split("\n")
    text = "# Memory\n\n" + "".join(f"- {lines[n - 1][8:]}\n" for n in numbers)
    origins = {3 + at: Origin((Line(note.pk, note.revision, n),)) for at, n in enumerate(numbers)}
    with write_transaction(world.team) as tx:
        return proposing.propose(tx, run=run, file=memory, content=text, origins=origins, broken=[])


def test_what_waits_for_a_person_and_stands_on_the_source_can_not_be_accepted(
    world: World,
) -> None:
    bad = _talk(world, "Acme is the best.", name="bad")
    note = _extracted(world, bad)
    proposal = _proposed(world, _run(world, world.customer), note, 3)
    _note_without(world, "best")
    assert _revert(world, Kind.CONVERSATION, bad).proposals == 1
    with write_transaction(world.team) as tx, pytest.raises(Decided):
        proposals.accept(tx, proposal, by=world.alice)


def test_what_stood_beside_it_in_the_proposal_may_be_proposed_again(world: World) -> None:
    _extracted(world, _talk(world, "Caroline likes tea.", name="good"))
    bad = _talk(world, "Acme is the best.", name="bad")
    _proposed(world, _run(world, world.customer), _extracted(world, bad), 3, 4)
    _revert(world, Kind.CONVERSATION, bad)
    assert not proposing.rejected_lines(world.agent.pk, world.customer, "MEMORY.md")


def test_a_proposal_of_other_sources_still_waits(world: World) -> None:
    note = _extracted(world, _talk(world, "Caroline likes tea.", name="good"))
    _proposed(world, _run(world, world.customer), note, 3)
    bad = _talk(world, "Acme is the best.", name="bad")
    _extracted(world, bad)
    assert _revert(world, Kind.CONVERSATION, bad).proposals == 0


def test_a_run_whose_proposal_was_accepted_is_kept_out_too(world: World) -> None:
    note = _extracted(world, _talk(world, "Acme is the best.", name="bad"))
    run = _run(world, world.customer)
    proposal = _proposed(world, run, note, 3)
    with write_transaction(world.team) as tx:
        proposals.accept(tx, proposal, by=world.alice)
    _revert(world, Kind.RUN, run)
    kept_out = proposing.rejected_lines(world.agent.pk, world.customer, "MEMORY.md")
    assert set(kept_out) == {"Acme is the best."}


def test_another_owner_s_files_are_left(world: World) -> None:
    token = _token(world)
    _append(world, "- 09:00 Acme.", writer=_tool(world, token), owner=world.customer)
    _append(world, "- 09:00 Acme.", writer=_tool(world, token))
    made = _plan(world, Kind.TOKEN, token, Q(owner=None))
    assert [change.file.owner_id for change in made.changes] == [None]


def test_what_others_took_out_meanwhile_does_not_come_back_with_a_line_beside_it() -> None:
    said = {1: "# Note\n- theirs\n", 2: "# Note\n- theirs\n- the source's\n"}
    assert without_revisions("# Note\n", [2], said, set()) == ("# Note\n", 0)


def test_doing_it_again_changes_nothing(world: World) -> None:
    token = _token(world)
    _write(world, "- one\n- two\n", _person(world))
    _write(world, "- two\n- Acme\n", _tool(world, token))
    _revert(world, Kind.TOKEN, token)
    before = list(File.objects.order_by("pk").values_list("pk", "revision", "sha256"))
    assert _revert(world, Kind.TOKEN, token).files == 0
    assert list(File.objects.order_by("pk").values_list("pk", "revision", "sha256")) == before


def test_it_is_undone_by_restoring_the_revision_before(world: World) -> None:
    token = _token(world)
    _write(world, "- one\n", _person(world))
    file = _write(world, "- one\n- Acme\n", _tool(world, token))
    _revert(world, Kind.TOKEN, token)
    with write_transaction(world.team) as tx:
        write.restore(tx, file, 2, writer=_person(world))
    assert _text(world, "KNOWLEDGE.md", None) == "- one\n- Acme\n"


def test_if_somebody_wrote_since_the_preview_nothing_is_changed(world: World) -> None:
    token = _token(world)
    _write(world, "- Acme\n", _tool(world, token))
    _append(world, "- 09:00 Acme.", writer=_tool(world, token))
    seen = _plan(world, Kind.TOKEN, token).fingerprint
    _write(world, "- Acme\n- Tea\n", _person(world))
    before = list(File.objects.order_by("pk").values_list("pk", "revision"))
    with pytest.raises(PlanMoved):
        _revert(world, Kind.TOKEN, token, expected=seen)
    assert list(File.objects.order_by("pk").values_list("pk", "revision")) == before


def test_a_plan_takes_as_many_statements_for_any_number_of_interleaved_authors(
    world: World,
) -> None:
    token, counts = _token(world), []
    for pairs in (2, 12):
        for number in range(pairs):
            _append(world, f"- 09:00 Acme {pairs} {number}.", writer=_tool(world, token))
            _append(world, f"- 09:01 Tea {pairs} {number}.", writer=Writer(AuthorKind.AGENT))
        with CaptureQueriesContext(connection) as queries:
            made = _plan(world, Kind.TOKEN, token)
        assert "Acme" not in made.changes[0].after
        counts.append(len(statements(queries)))
    assert counts[0] == counts[1]


def test_headings_that_nothing_stands_under_any_more_go_too(world: World) -> None:
    bad = _talk(world, "Acme is the best.", name="bad")
    note = _extracted(world, bad)
    before = "# Memory\n\n## People\n\n- Marta.\n\n## Work\n\n### Travel\n\n"
    _dreamt(world, note, 3, before=before)
    _revert(world, Kind.CONVERSATION, bad)
    assert _text(world, "MEMORY.md", world.customer) == "# Memory\n\n## People\n\n- Marta.\n"


def test_a_person_s_own_heading_and_one_that_was_empty_before_stay(world: World) -> None:
    token = _token(world)
    _write(world, "# Tea\n\n## Green\n\n## Black\n\n## White\n", _person(world))
    text = "# Tea\n\n## Green\n\n- Acme.\n\n## Black\n\n## White\n\n- Acme.\n"
    _write(world, text, _tool(world, token))
    _write(world, f"{text}\n## More\n\n- Cake.\n", _person(world))
    _revert(world, Kind.TOKEN, token)
    after = [line for line in _text(world, "KNOWLEDGE.md", None).split("\n") if line]
    assert after == ["# Tea", "## Green", "## Black", "## White", "## More", "- Cake."]


def test_all_of_it_or_nothing(world: World) -> None:
    """The second of two files cannot be written: the first one stays as it was, too."""
    token = _token(world)
    _append(world, "- 09:00 Acme.", writer=_tool(world, token))
    soul = File.objects.get(agent=world.agent, path="SOUL.md", owner=None)
    soul.revisions.update(token=token)
    world.agent.is_global = True
    world.agent.save(update_fields=["is_global"])
    before = list(File.objects.order_by("pk").values_list("pk", "revision"))
    with pytest.raises(WriteRefused):
        _revert(world, Kind.TOKEN, token)
    assert list(File.objects.order_by("pk").values_list("pk", "revision")) == before


def test_it_leaves_one_event_beside_those_of_the_files(world: World) -> None:
    token = _token(world)
    _write(world, "- Acme\n", _tool(world, token))
    _revert(world, Kind.TOKEN, token)
    event = Event.objects.get(action="provenance.reverted")
    assert (event.target_kind, event.target_id) == ("token", str(token.pk))


def test_another_agent_s_files_are_left_alone(world: World) -> None:
    token = _token(world)
    with write_transaction(world.team) as tx:
        place = Place(world.other_agent, None, "KNOWLEDGE.md")
        write.write(tx, place, "- Acme\n", writer=_tool(world, token))
    assert _plan(world, Kind.TOKEN, token).is_empty
