"""Words of a statement that have ended: restored, edited, said to be true still."""

from datetime import date

import pytest

from memoryweb.audit.models import Event
from memoryweb.markdown.marks import Ended, without
from memoryweb.memory import facts
from memoryweb.memory.facts import StatementGone
from memoryweb.memory.models import AuthorKind, Fact, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.still_true import still_true
from memoryweb.memory.writing import write
from memoryweb.memory.writing.matrix import WriteRefused
from tests.world import World

SAID = "I live in Altona and keep bees."
MARK, BEES = "<!-- until 2026-09-28: live in Altona -->", "<!-- until 2026-10-02: keep bees -->"
TEXT = f"# Memory\n\n- {SAID} {MARK} {BEES}\n- Tea.\n"
ALTONA = Ended(date(2026, 9, 28), "live in Altona")
TOKEN = Writer(AuthorKind.AGENT)


def _alice(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def _act(world: World, act: object, *args: object, **more: object) -> object:
    more.setdefault("writer", _alice(world))
    with write_transaction(world.team) as tx:
        return act(tx, *args, **more)  # type: ignore[operator]


def _text(world: World) -> str:
    return File.objects.get(agent=world.agent, path="KNOWLEDGE.md").raw_content


def _fact() -> Fact:
    return Fact.objects.get(raw_text=SAID)


@pytest.fixture
def fact(world: World) -> Fact:
    place = Place(world.agent, None, "KNOWLEDGE.md")
    with write_transaction(world.team) as tx:
        write.write(tx, place, TEXT, writer=Writer(AuthorKind.PERSON, user=world.alice))
    return _fact()


def test_still_true_takes_the_marks_away_and_is_undone_with_the_file(
    world: World, fact: Fact
) -> None:
    _act(world, still_true, fact)
    assert (_text(world), _fact().ended, _fact().pk) == (without(TEXT), (), fact.pk)
    assert _fact().confirmed_by == world.alice
    assert Event.objects.filter(action="fact.still_true").count() == 1
    file = File.objects.get(agent=world.agent, path="KNOWLEDGE.md")
    _act(world, write.restore, file, file.revision - 1)
    assert (_text(world), len(_fact().ended)) == (TEXT, 2)


def test_one_claim_of_two_lives_again(world: World, fact: Fact) -> None:
    _act(world, still_true, fact, words="keep bees")
    assert (_text(world), _fact().ended) == (TEXT.replace(f" {BEES}", ""), (ALTONA,))
    with pytest.raises(StatementGone):
        _act(world, still_true, fact, words="keep bees")


def test_a_program_says_no_such_thing(world: World, fact: Fact) -> None:
    with pytest.raises(WriteRefused):
        _act(world, still_true, fact, writer=TOKEN)
    assert _text(world) == TEXT


def test_without_a_line_the_statement_lives_again(world: World, fact: Fact) -> None:
    Fact.objects.filter(pk=fact.pk).update(file=None)
    assert _act(world, still_true, fact) is None
    assert _fact().ended == ()


def test_what_left_with_its_last_claim_comes_back_alive(world: World, fact: Fact) -> None:
    _act(world, facts.not_true, fact)
    _act(world, still_true, _fact())
    assert f"- {SAID}\n" in _text(world)
    assert _fact().state == Fact.State.ACTIVE


def test_a_statement_that_is_restored_has_its_ends_still(world: World, fact: Fact) -> None:
    _act(world, still_true, fact, words="keep bees")
    _act(world, facts.not_true, fact)
    _act(world, facts.restore, _fact())
    assert f"- {SAID} {MARK}\n" in _text(world)
    assert _fact().ended == (ALTONA,)


@pytest.mark.parametrize(
    ("text", "is_line", "line"),
    [
        (
            "I live in Altona and keep some bees.",
            False,
            f"I live in Altona and keep some bees. {MARK}",
        ),
        (
            "I live in Altona and keep bees!",
            False,
            f"I live in Altona and keep bees! {MARK} {BEES}",
        ),
        (SAID, True, SAID),
        (f"{SAID} {MARK}", True, f"{SAID} {MARK}"),
        ("I keep goats.", False, "I keep goats."),
    ],
)
def test_an_edit_drops_a_mark_only_where_it_was_shown(
    world: World, fact: Fact, text: str, is_line: bool, line: str
) -> None:
    _act(world, facts.edit, fact, text, is_line=is_line)
    assert _text(world) == f"# Memory\n\n- {line}\n- Tea.\n"


def test_a_program_s_edit_keeps_them(world: World, fact: Fact) -> None:
    File.objects.update(enabled=False)
    fact.file.origins.update(released=True) if fact.file else None
    _act(world, facts.edit, fact, f"{SAID[:-1]}!", writer=TOKEN, is_line=True)
    assert _text(world) == TEXT.replace("bees.", "bees!")
