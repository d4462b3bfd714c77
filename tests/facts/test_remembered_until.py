"""A last day that a person chose for a statement, whatever its text says."""

from datetime import UTC, date, datetime, time, timedelta

import pytest

from memoryweb.agents.models import Owner
from memoryweb.memory import facts, snapshots
from memoryweb.memory.models import AuthorKind, Fact
from memoryweb.memory.models.refusals import ContentRefused
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.statements import repair
from memoryweb.memory.writing import write
from memoryweb.memory.writing.matrix import WriteRefused
from tests.clock import Clock
from tests.dreaming.nights import NIGHT, add, answer, dream, memory, note, text_of
from tests.fakes import ModelServer
from tests.world import World

KEY = "I live in Leeds, and the spare key is with Jo until 2030-01-01."
ROWS = "Marta rows on Tuesdays."
FAR = date(2099, 12, 31)


def _alice(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def _keep_until(
    world: World, day: date | None, text: str = KEY, writer: Writer | None = None
) -> Fact:
    with write_transaction(world.team) as tx:
        fact = Fact.objects.get(raw_text=text, file__isnull=False)
        facts.remember_until(tx, fact, day, writer=writer or _alice(world))
    return fact


def _save(world: World, owner: Owner | None, content: str, writer: Writer) -> None:
    with write_transaction(world.team) as tx:
        write.write(tx, Place(world.agent, owner, "MEMORY.md"), content, writer=writer)


def _last_day(text: str = KEY) -> date | None:
    return Fact.objects.get(raw_text=text, file__isnull=False).valid_to


def test_it_outlasts_every_rewriting_of_its_file(world: World) -> None:
    owner = world.customer
    memory(world, owner, f"# Memory\n\n- {KEY}\n- {ROWS}\n")
    _keep_until(world, FAR)
    _save(world, owner, f"# Memory\n\n## Home\n\n- {ROWS}\n-  {KEY}\n", _alice(world))
    assert _last_day() == FAR
    note(world, owner, NIGHT, "Marta's team ships on Thursdays.")
    dream(world, owner)
    assert "ships" in text_of(world, owner)
    assert _last_day() == FAR
    assert repair.check(world.team).differing == ()


def test_an_edit_of_the_line_keeps_it_and_another_statement_has_none(world: World) -> None:
    memory(world, world.customer, f"# Memory\n\n- {KEY}\n- {ROWS}\n")
    fact = _keep_until(world, FAR)
    with write_transaction(world.team) as tx:
        facts.edit(tx, fact, "The spare key is with Jo, next door.", writer=_alice(world))
    assert _last_day("The spare key is with Jo, next door.") == FAR
    assert _last_day(ROWS) is None


def test_an_import_brings_the_line_back_with_it(world: World) -> None:
    kept = Memory(world.agent, world.customer)
    memory(world, world.customer, f"# Memory\n\n- {KEY}\n")
    _keep_until(world, FAR)
    with write_transaction(world.team) as tx:
        archive = snapshots.export(tx, kept).archive
    memory(world, world.customer, "# Memory\n\n- Marta rows.\n", _alice(world))
    token = snapshots.preview(kept, archive, by=_alice(world)).token
    with write_transaction(world.team) as tx:
        snapshots.apply(tx, kept, archive, token, by=_alice(world))
    assert _last_day() == FAR


@pytest.mark.parametrize("writer", ["machine", "person"])
def test_after_its_day_it_leaves_like_what_is_over_and_can_be_brought_back(
    world: World, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    by = _alice(world) if writer == "person" else Writer(AuthorKind.EXTRACTION, is_vouched=True)
    memory(world, world.customer, f"# Memory\n\n- {KEY}\n- {ROWS}\n", by)
    _keep_until(world, FAR)
    assert dream(world, world.customer, FAR).status == "skipped"
    assert dream(world, world.customer, FAR + timedelta(days=1)).status == "succeeded"
    gone = Fact.objects.get(raw_text=KEY)
    assert (gone.state, gone.why, gone.file) == ("expired", "expired", None)
    Clock(datetime.combine(FAR + timedelta(days=2), time(), UTC), monkeypatch)
    with write_transaction(world.team) as tx:
        facts.restore(tx, gone, writer=_alice(world))
    gone.refresh_from_db()
    assert (gone.state, gone.remembered_until, gone.valid_to) == ("active", None, None)


def test_it_may_be_lengthened_beyond_its_text_and_taken_back(world: World) -> None:
    text = "The parcel is due until 2099-05-31."
    memory(world, world.customer, f"# Memory\n\n- {text}\n")
    assert _last_day(text) == date(2099, 5, 31)
    _keep_until(world, FAR, text)
    assert _last_day(text) == FAR
    _keep_until(world, None, text)
    assert _last_day(text) == date(2099, 5, 31)


def test_only_a_person_chooses_and_no_day_that_is_over(world: World) -> None:
    memory(world, world.customer, f"# Memory\n\n- {KEY}\n")
    with pytest.raises(WriteRefused):
        _keep_until(world, FAR, writer=Writer(AuthorKind.AGENT))
    with pytest.raises(ContentRefused):
        _keep_until(world, date(2020, 1, 1))
    assert _last_day() is None


def test_a_model_that_says_it_again_keeps_it(world: World, model_server: ModelServer) -> None:
    memory(world, world.customer, f"# Memory\n\n- {KEY}\n")
    _keep_until(world, FAR)
    note(world, world.customer, NIGHT, "The spare key is with Jo, in the shed.", ROWS)
    model_server.answer(answer(add(ROWS, "n2")))
    dream(world, world.customer)
    assert _last_day() == FAR
