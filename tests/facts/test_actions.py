from datetime import timedelta

import pytest
from django.utils import timezone

from memoryweb.audit.models import Event
from memoryweb.memory import facts
from memoryweb.memory.facts import StatementGone
from memoryweb.memory.models import AuthorKind, Contradiction, Fact, File, SourceClass, Vote
from memoryweb.memory.models.refusals import ContentRefused, Decided
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.statements import repair
from memoryweb.memory.statements.evidence import Ground
from memoryweb.memory.writing import write
from memoryweb.memory.writing.matrix import WriteRefused
from tests.world import World

pytestmark = pytest.mark.databases

MACHINE = Writer(AuthorKind.AGENT)
State, Why = Fact.State, Fact.Why
TOLD = "# Memory\n\n## About\n\n- city: Leeds\n- Anna sings.\n"


def _alice(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def _save(world: World, text: str, writer: Writer = MACHINE, path: str = "KNOWLEDGE.md") -> File:
    with write_transaction(world.team) as tx:
        return write.write(tx, Place(world.agent, None, path), text, writer=writer).file


def _text(world: World) -> str:
    assert repair.check(world.team).differing == ()
    return File.objects.get(agent=world.agent, path="KNOWLEDGE.md").raw_content


def _fact(text: str) -> Fact:
    return Fact.objects.get(raw_text=text)


def _act(world: World, act: object, fact: Fact, *args: object, **more: object) -> None:
    more.setdefault("writer", _alice(world))
    with write_transaction(world.team) as tx:
        act(tx, fact, *args, **more)  # type: ignore[operator]


def test_confirming_leaves_the_file_alone_and_is_an_event(world: World) -> None:
    _save(world, TOLD)
    _act(world, facts.confirm, _fact("Anna sings."))
    fact = _fact("Anna sings.")
    assert (fact.is_persons_word, fact.confirmed_by) == (True, world.alice)
    assert _text(world) == TOLD
    assert Event.objects.filter(action="fact.confirmed", target_id=str(fact.pk)).exists()


def test_an_edit_is_the_persons_line_at_its_place(world: World) -> None:
    _save(world, TOLD)
    _act(world, facts.edit, _fact("city: Leeds"), "Moved away\nlong ago")
    assert _text(world) == TOLD.replace("city: Leeds", "Moved away long ago")
    old, new = _fact("city: Leeds"), _fact("Moved away long ago")
    assert (old.why, old.superseded_by, old.corrected_by) == (Why.REWORDED, new, world.alice)
    with pytest.raises(ContentRefused):
        _act(world, facts.edit, new, " ")


def test_not_true_takes_the_line_out_and_restoring_puts_it_back_under_its_heading(
    world: World,
) -> None:
    _save(world, TOLD)
    _act(world, facts.not_true, _fact("city: Leeds"))
    gone = _fact("city: Leeds")
    assert (gone.state, gone.why, gone.corrected_by) == (State.RETIRED, Why.NOT_TRUE, world.alice)
    assert "Leeds" not in _text(world)
    _act(world, facts.restore, gone)
    assert _text(world) == "# Memory\n\n## About\n\n- Anna sings.\n- city: Leeds\n"
    gone.refresh_from_db()
    assert (gone.state, gone.why, gone.corrected_at) == (State.ACTIVE, "", None)
    with pytest.raises(StatementGone):
        _act(world, facts.restore, gone)


def test_what_is_not_true_stands_nowhere_any_more(world: World) -> None:
    """Neither where a program has said it again since, nor in another file."""
    _save(world, TOLD)
    history = _fact("Anna sings.")
    _save(world, "- city: Leeds\n")
    _save(world, TOLD)
    _save(world, TOLD, path="MEMORY.md")
    _act(world, facts.not_true, history)
    assert "Anna sings" not in _text(world)
    rows = Fact.objects.filter(raw_text="Anna sings.")
    assert rows.count() >= 2
    assert not rows.living().exists()
    assert not File.objects.filter(raw_content__contains="Anna sings").exists()


def test_what_stands_under_no_heading_comes_back_below_the_title(world: World) -> None:
    _save(world, "# Knowledge\n\n- Anna sings.\n\n## Work\n\n- Bob works.\n")
    _act(world, facts.not_true, _fact("Anna sings."))
    _act(world, facts.restore, _fact("Anna sings."))
    assert _text(world).startswith("# Knowledge\n\n- Anna sings.\n\n## Work")


def test_a_program_decides_nothing(world: World) -> None:
    _save(world, TOLD)
    for act in (facts.confirm, facts.not_true, facts.restore):
        with pytest.raises(WriteRefused):
            _act(world, act, _fact("Anna sings."), writer=MACHINE)


def test_one_person_has_one_vote_and_may_change_it(world: World) -> None:
    _save(world, TOLD)
    fact = _fact("Anna sings.")
    for helpful in (True, False):
        _act(world, facts.vote, fact, helpful=helpful)
        assert Vote.objects.get(fact=fact).helpful is helpful
    _act(world, facts.vote, fact, helpful=None)
    assert not Vote.objects.exists()


def _rivals(world: World) -> Contradiction:
    """Alice's value stands; somebody else says another one, ten nights long."""
    _save(world, TOLD, _alice(world))
    file = File.objects.get(agent=world.agent, path="KNOWLEDGE.md")
    for night in range(10):
        _save(world, f"night {night}", path="notes.md")
        root = File.objects.get(agent=world.agent, path="notes.md").revisions.latest("number")
        with write_transaction(world.team) as tx:
            facts.contradict(
                tx,
                _fact("city: Leeds"),
                "city: York",
                source=SourceClass.THIRD_PARTY,
                grounds=[Ground(None, root.pk, root.created_at)],
            )
    assert file.raw_content == TOLD
    return Contradiction.objects.get()


def test_two_people_who_contradict_each_other_ten_nights_long_are_one_contradiction(
    world: World,
) -> None:
    found = _rivals(world)
    stands, rival = facts.sides_of(found)
    assert (stands.raw_text, stands.state) == ("city: Leeds", State.DISPUTED)
    assert (rival.raw_text, rival.state, rival.file) == ("city: York", State.PENDING, None)
    assert rival.evidence.count() == 10
    assert _text(world) == TOLD


@pytest.mark.parametrize(
    ("resolution", "text", "after"),
    [
        ("KEEP_A", "", TOLD),
        ("KEEP_B", "", TOLD.replace("Leeds", "York")),
        ("MERGE", "city: Leeds and York", TOLD.replace("Leeds", "Leeds and York")),
        ("IGNORE", "", f"{TOLD}- city: York\n"),
    ],
)
@pytest.mark.first_two
def test_a_resolution_changes_facts_and_file_and_can_be_undone(
    world: World, resolution: str, text: str, after: str
) -> None:
    found = _rivals(world)
    before = {one.raw_text: one.state for one in facts.sides_of(found)}
    with write_transaction(world.team) as tx:
        facts.resolve(tx, found, resolution, text=text, writer=_alice(world))
    assert _text(world) == after
    assert not Fact.objects.filter(state=State.DISPUTED).exists()
    living = {
        "KEEP_A": "city: Leeds",
        "KEEP_B": "city: York",
        "MERGE": text,
        "IGNORE": "city: Leeds",
    }
    assert _fact(living[resolution]).state == State.ACTIVE
    with pytest.raises(Decided), write_transaction(world.team) as tx:
        facts.resolve(tx, found, resolution, text=text, writer=_alice(world))
    with write_transaction(world.team) as tx:
        facts.undo(tx, found, writer=_alice(world))
    found = Contradiction.objects.get()
    assert found.state == Contradiction.State.OPEN
    assert {one.raw_text: one.state for one in facts.sides_of(found)} == before
    assert sorted(_text(world).split("\n")) == sorted(TOLD.split("\n"))
    assert not Fact.objects.filter(corrected_at__isnull=False).exists()


def test_an_ignored_pair_stays_away_and_another_value_does_not(world: World) -> None:
    found = _rivals(world)
    with write_transaction(world.team) as tx:
        facts.resolve(tx, found, "IGNORE", writer=_alice(world))
    for value, opened in (("York", False), ("Bath", True)):
        with write_transaction(world.team) as tx:
            facts.contradict(
                tx,
                _fact("city: Leeds"),
                f"city: {value}",
                source=SourceClass.AGENT,
                grounds=[],
            )
        assert Contradiction.objects.filter(state="open").exists() is opened


def test_at_most_twenty_contradictions_wait(world: World) -> None:
    lines = [
        f"- key {letter}: {value}" for letter in "abcdefghijklmnopqrstuvwxyz" for value in "12"
    ]
    _save(world, "\n".join(lines))
    assert Contradiction.objects.filter(state="open").count() == 20


def test_another_owners_value_contradicts_nothing(world: World) -> None:
    for owner in (world.bobs_memory, world.customer):
        with write_transaction(world.team) as tx:
            place = Place(world.agent, owner, "MEMORY.md")
            write.write(tx, place, f"- city: {owner.pk}\n", writer=MACHINE)
    assert not Contradiction.objects.exists()


def test_what_is_over_contradicts_nothing(world: World) -> None:
    _save(world, "- city: Leeds\n")
    Fact.objects.update(valid_to=timezone.now().date() - timedelta(days=2))
    _save(world, "- city: Leeds\n- city: York\n")
    assert not Contradiction.objects.exists()
