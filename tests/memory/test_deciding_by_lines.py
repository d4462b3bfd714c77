"""A proposal accepted by lines, in a person's own words, and decisions taken back."""

import pytest

from memoryweb.memory.lines.origins import Origin, protected_lines
from memoryweb.memory.models import AuthorKind, Fact, File, Proposal
from memoryweb.memory.models.refusals import AssignmentsFound, Decided, Stale
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.review import proposals
from memoryweb.memory.review.proposals import NothingTicked, ProposalChanged
from memoryweb.memory.writing import proposing, write
from memoryweb.memory.writing.changes import Pick, changes_of, print_of, take
from memoryweb.runs.models import Run
from tests.world import World

pytestmark = pytest.mark.databases

BEFORE = """# Memory

## Help desk

- The old help desk is switched off on 1 December.

## New colleagues

- New colleagues get a paper handbook.
"""
AFTER = """# Memory

## Help desk

- The old help desk is switched off on 15 December.
- Tokyo takes over support at 18:00.

## Outages

- The status page is updated within 15 minutes.
"""
NEW_DATE, TOKYO, STATUS, HANDBOOK = (
    "The old help desk is switched off on 15 December.",
    "Tokyo takes over support at 18:00.",
    "The status page is updated within 15 minutes.",
    "New colleagues get a paper handbook.",
)


def test_each_statement_is_a_change_under_its_heading() -> None:
    told = {(one.kind, one.new or None, one.heading) for one in changes_of(BEFORE, AFTER)}
    assert ("change", NEW_DATE, "Help desk") in told
    assert ("add", TOKYO, "Help desk") in told
    assert len(told) == 4


@pytest.mark.parametrize("gone", [TOKYO, STATUS, HANDBOOK])
def test_what_is_not_ticked_leaves_no_trace(gone: str) -> None:
    numbers = {one.number: one for one in changes_of(BEFORE, AFTER)}
    out = next(n for n, one in numbers.items() if gone in (one.new, _old(one.row.old)))
    taken = take(BEFORE, AFTER, Pick(frozenset(numbers) - {out}))
    assert (gone in taken.content) == (gone in BEFORE)
    assert (f"## {numbers[out].heading}" in taken.content) == (gone != STATUS)
    assert "15 December" in taken.content


def test_all_or_nothing_is_the_whole_or_what_was() -> None:
    every = frozenset(one.number for one in changes_of(BEFORE, AFTER))
    assert take(BEFORE, AFTER, Pick(every)).content == AFTER
    assert take(BEFORE, AFTER, Pick(frozenset())).content == BEFORE


def test_a_line_that_moved_is_neither_lost_nor_doubled() -> None:
    before, after = "## A\n- one\n- two\n## B\n- three\n", "## A\n- two\n## B\n- one\n- four\n"
    for one in changes_of(before, after):
        content = take(before, after, Pick(frozenset({one.number}))).content
        assert content.count("- one") == 1


def test_ticked_lines_are_written_and_the_rest_is_not_proposed_again(world: World) -> None:
    proposal = _proposed(world)
    _accept(world, proposal, {NEW_DATE, STATUS})
    content = _file(world).raw_content
    assert NEW_DATE in content
    assert STATUS in content
    assert HANDBOOK in content
    assert TOKYO not in content
    assert set(proposing.rejected_lines(world.agent.pk, None, "MEMORY.md")) == {TOKYO}


def test_what_a_person_words_is_theirs(world: World) -> None:
    proposal = _proposed(world)
    said = "Tokyo takes over support at 18:00 on working days."
    _accept(world, proposal, {TOKYO, STATUS}, {TOKYO: said})
    file = _file(world)
    assert f"- {said}" in file.raw_content.split("\n")
    assert Fact.objects.get(raw_text=said).is_persons_word
    number = file.raw_content.split("\n").index(f"- {said}") + 1
    assert number in protected_lines(file)
    assert not Fact.objects.get(raw_text=STATUS).is_persons_word


def test_own_words_with_a_likely_password_are_asked_about(world: World) -> None:
    proposal, said = _proposed(world), "Tokyo's password: " + "tulip" + "4711"
    with pytest.raises(AssignmentsFound):
        _accept(world, proposal, {TOKYO}, {TOKYO: said})
    assert _file(world).raw_content == BEFORE
    _accept(world, proposal, {TOKYO}, {TOKYO: said}, no_secrets=True)
    assert f"- {said}" in _file(world).raw_content.split("\n")


def test_undoing_brings_the_file_and_the_proposal_back(world: World) -> None:
    proposal = _proposed(world)
    _accept(world, proposal, {TOKYO, STATUS}, {TOKYO: "Tokyo helps from 18:00."})
    _undo(world, proposal)
    assert _file(world).raw_content == BEFORE
    proposal.refresh_from_db()
    assert (proposal.state, proposal.decided_by, proposal.taken) == ("pending", None, {})
    assert not proposing.rejected_lines(world.agent.pk, None, "MEMORY.md")
    _accept(world, proposal, {TOKYO, STATUS})
    standing = Fact.objects.filter(file=_file(world), state="active").values_list(
        "raw_text", flat=True
    )
    assert {TOKYO, STATUS} <= set(standing)
    assert not Fact.objects.filter(
        raw_text__in=[TOKYO, STATUS], corrected_at__isnull=False
    ).exists()


def test_undoing_a_rejection_lets_it_wait_again(world: World) -> None:
    proposal = _proposed(world)
    with write_transaction(world.team) as tx:
        proposals.reject(tx, proposal, by=world.alice)
    _undo(world, proposal)
    _accept(world, proposal, {STATUS})
    assert STATUS in _file(world).raw_content
    with pytest.raises(Decided):
        _accept(world, proposal, {STATUS})


def test_what_was_written_since_is_not_undone(world: World) -> None:
    proposal = _proposed(world)
    _accept(world, proposal, {STATUS})
    content = _write(world, _file(world).raw_content + "- Later.\n").raw_content
    with pytest.raises(Stale):
        _undo(world, proposal)
    assert _file(world).raw_content == content
    proposal.refresh_from_db()
    assert proposal.state == "accepted"


def test_nobody_accepts_what_they_have_not_seen(world: World) -> None:
    proposal = _proposed(world)
    picked = Pick(frozenset({1}), seen=print_of(BEFORE, "other"))
    with pytest.raises(ProposalChanged), write_transaction(world.team) as tx:
        proposals.accept_lines(tx, proposal, by=world.alice, picked=picked)
    with pytest.raises(NothingTicked):
        _accept(world, proposal, set())
    proposal.refresh_from_db()
    assert proposal.state == "pending"


def _old(spans: object) -> str:
    return "".join(span.text for span in spans).removeprefix("- ")  # type: ignore[attr-defined]


def _write(world: World, content: str) -> File:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "MEMORY.md")
        writer = Writer(AuthorKind.DREAM, is_vouched=True)
        return write.write(tx, place, content, writer=writer).file


def _file(world: World) -> File:
    return File.objects.get(agent=world.agent, owner=None, path="MEMORY.md")


def _proposed(world: World) -> Proposal:
    file = _write(world, BEFORE)
    run = Run.objects.create(team=world.team, agent=world.agent, kind="dream", trigger="cron")
    lines = enumerate(AFTER.split("\n"), 1)
    origins = {n: Origin(durable=True) for n, line in lines if line.startswith("- ")}
    with write_transaction(world.team, run=run) as tx:
        made = proposing.propose(tx, run=run, file=file, content=AFTER, origins=origins, broken=[])
    return Proposal.objects.select_related("file__agent").get(pk=made.pk)


def _accept(
    world: World,
    proposal: Proposal,
    texts: set[str],
    edits: dict[str, str] | None = None,
    *,
    no_secrets: bool = False,
) -> None:
    numbers = {one.new: one.number for one in changes_of(BEFORE, AFTER)}
    picked = Pick(
        frozenset(numbers[text] for text in texts),
        {numbers[text]: said for text, said in (edits or {}).items()},
        print_of(BEFORE, AFTER),
    )
    proposal = Proposal.objects.select_related("file__agent", "run").get(pk=proposal.pk)
    with write_transaction(world.team) as tx:
        proposals.accept_lines(tx, proposal, by=world.alice, picked=picked, no_secrets=no_secrets)


def _undo(world: World, proposal: Proposal) -> None:
    with write_transaction(world.team) as tx:
        proposals.undo(tx, proposal, by=world.alice)
