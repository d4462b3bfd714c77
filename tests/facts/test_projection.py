import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryweb.memory.models import AuthorKind, Contradiction, Evidence, Fact, File, SourceClass
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.statements import projection, repair
from memoryweb.memory.statements.projection import Departure
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from tests.statements import statements
from tests.world import World

MACHINE = Writer(AuthorKind.AGENT)
State, Why = Fact.State, Fact.Why


def _person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def _save(
    world: World, text: str, writer: Writer = MACHINE, path: str = "KNOWLEDGE.md", **more: object
) -> File:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, path)
        return write.write(tx, place, text, writer=writer, **more).file  # type: ignore[arg-type]


def _standing(world: World) -> dict[str, Fact]:
    rows = Fact.objects.filter(agent=world.agent, file__path="KNOWLEDGE.md")
    assert repair.check(world.team).differing == ()
    return {row.raw_text: row for row in rows}


def test_each_bullet_is_a_fact_with_what_it_stands_on(world: World) -> None:
    file = _save(world, "## Anna\n\n- city: Leeds\n- Anna sings.\n", _person(world))
    city = _standing(world)["city: Leeds"]
    assert (city.subject, city.attribute, city.raw_value) == ("anna", "city", "Leeds")
    assert (city.heading, city.state, city.source) == ("Anna", State.ACTIVE, SourceClass.PERSON)
    assert city.is_persons_word
    revision = file.revisions.get()
    assert city.said_at == revision.created_at
    assert Evidence.objects.get(fact=city).root == revision


def test_a_moved_or_respelled_line_keeps_its_fact(world: World) -> None:
    _save(world, "- Anna sings.\n- city: Leeds\n")
    before = {row.pk for row in _standing(world).values()}
    _save(world, "## Anna\n\n- city: Leeds\n- Anna  sings!\n", _person(world))
    now = _standing(world)
    assert {row.pk for row in now.values()} == before
    assert now["Anna sings!"].heading == "Anna"


def test_another_value_replaces_the_fact_and_takes_no_confirmation_over(world: World) -> None:
    _save(world, "- city: Leeds\n")
    Fact.objects.update(confirmed_at="2026-11-01T00:00Z")
    _save(world, "- city: York\n")
    old, new = Fact.objects.get(raw_value="Leeds"), _standing(world)["city: York"]
    assert (old.state, old.why, old.superseded_by) == (State.SUPERSEDED, Why.SUPERSEDED, new)
    assert (old.file, new.confirmed_at, old.corrected_at) == (None, None, None)


def test_what_a_person_rewords_or_deletes_is_taken_back(world: World) -> None:
    _save(world, "- city: Leeds\n- Anna sings.\n")
    _save(world, "- city: York\n", _person(world))
    leeds, sings = Fact.objects.get(raw_value="Leeds"), Fact.objects.get(raw_text="Anna sings.")
    assert (leeds.state, leeds.why) == (State.SUPERSEDED, Why.REWORDED)
    assert (sings.state, sings.why) == (State.RETIRED, Why.DELETED)
    assert leeds.corrected_by == sings.corrected_by == world.alice


def test_a_program_that_brings_back_what_was_taken_back_has_its_line_flagged(world: World) -> None:
    _save(world, "- city: Leeds\n- Anna sings.\n")
    _save(world, "- city: York\n", _person(world))
    _save(world, "- city: York\n- Anna sings.\n- City: Leeds\n")
    now = _standing(world)
    assert now["Anna sings."].state == now["City: Leeds"].state == State.PENDING
    assert now["city: York"].state == State.ACTIVE


def test_a_person_who_brings_it_back_lifts_that(world: World) -> None:
    file = _save(world, "- Anna sings.\n")
    (fact,) = _standing(world).values()
    with write_transaction(world.team) as tx:
        write.delete(tx, file, writer=_person(world))
    fact.refresh_from_db()
    assert (fact.why, fact.file, fact.corrected_by) == (Why.DELETED, None, world.alice)
    with write_transaction(world.team) as tx:
        write.restore(tx, file, 1, writer=_person(world))
    assert list(_standing(world).values()) == [fact]
    fact.refresh_from_db()
    assert (fact.state, fact.why, fact.corrected_at) == (State.ACTIVE, "", None)


def test_a_writer_says_why_statements_went(world: World) -> None:
    _save(world, "- Anna has a cold.\n- Anna sings.\n")
    whys = {
        "anna has a cold": Departure(Why.EXPIRED),
        "anna sings": Departure(Why.DUPLICATE, "Anna sings a lot."),
    }
    _save(world, "- Anna sings a lot.\n", whys=whys)
    cold, sings = (
        Fact.objects.get(raw_text="Anna has a cold."),
        Fact.objects.get(raw_text="Anna sings."),
    )
    assert (cold.state, cold.why) == (State.EXPIRED, Why.EXPIRED)
    assert sings.superseded_by == _standing(world)["Anna sings a lot."]


def test_facts_follow_a_file_to_its_new_name(world: World) -> None:
    file = _save(world, "- Anna sings.\n", path="structured/people.md")
    fact = Fact.objects.get()
    for path, stands in (
        ("structured/singers.md", True),
        ("other.md", False),
        ("structured/a.md", True),
    ):
        with write_transaction(world.team) as tx:
            write.rename(tx, file, path, writer=_person(world))
        fact.refresh_from_db()
        assert (fact.file is not None, fact.corrected_at) == (stands, None)
        assert repair.check(world.team).differing == ()
    assert (fact.path, fact.state) == ("structured/a.md", State.ACTIVE)


def test_the_same_statement_in_two_files_outlives_one_of_them(world: World) -> None:
    _save(world, "- Anna sings.\n")
    other = _save(world, "- Anna sings.\n", path="structured/people.md")
    with write_transaction(world.team) as tx:
        write.delete(tx, other, writer=_person(world))
    gone = Fact.objects.get(file=None)
    assert (gone.why, gone.corrected_at) == (Why.DUPLICATE, None)
    assert gone.superseded_by == _standing(world)["Anna sings."]


def test_rivals_in_a_file_open_one_contradiction_until_an_edit_decides(world: World) -> None:
    _save(world, "- city: Leeds\n")
    _save(world, "- city: Leeds\n- city: York\n")
    found = Contradiction.objects.get()
    assert {row.state for row in found.facts.all()} == {State.DISPUTED}
    _save(world, "- city: York\n", _person(world))
    found.refresh_from_db()
    assert found.state == Contradiction.State.RESOLVED
    assert _standing(world)["city: York"].state == State.ACTIVE


def test_facts_that_differ_from_files_are_found_and_mended(world: World) -> None:
    file = _save(world, "- Anna sings.\n- city: Leeds\n")
    lost = Fact.objects.get(raw_value="Leeds")
    Fact.objects.exclude(pk=lost.pk).delete()
    Fact.objects.update(raw_text="city: Bath", fingerprint="x", attribute="town")
    assert repair.check(world.team).differing == (str(file.pk),)
    assert repair.project(world.team).differing == (str(file.pk),)
    assert set(_standing(world)) == {"Anna sings.", "city: Leeds"}
    Fact.objects.update(attribute="town")  # as another version read it
    assert repair.project(world.team).differing == (str(file.pk),)
    assert _standing(world)["city: Leeds"].attribute == "city"
    assert repair.project(world.team).differing == ()


@pytest.mark.slow
@pytest.mark.parametrize("by_person", [True, False])
def test_one_changed_line_of_hundreds_touches_few_rows(world: World, *, by_person: bool) -> None:
    writer = _person(world) if by_person else MACHINE
    lines = [f"- Statement number {n} of many." for n in range(600)]

    def change(path: str, word: str) -> int:
        lines[300] = f"- Statement {word}."
        with CaptureQueriesContext(connection) as queries:
            _save(world, "\n".join(lines), writer, path)
        return len(statements(queries))

    for path in ("other.md", "KNOWLEDGE.md"):
        change(path, "first")
    kept = dict(Fact.objects.values_list("pk", "changed_at"))
    plain, followed = (change(path, "second") for path in ("other.md", "KNOWLEDGE.md"))
    now = dict(Fact.objects.values_list("pk", "changed_at"))
    assert len(now.items() - kept.items()) <= 5
    assert followed <= plain + 12


def test_files_without_facts_cost_nothing_more(world: World) -> None:
    with CaptureQueriesContext(connection) as queries, write_transaction(world.team) as tx:
        place = Place(world.agent, None, "memory/2026-11-20.md")
        write.append(tx, place, [NewLine("- Anna sings.")], writer=MACHINE)
        write.write(tx, place, "- Anna sings a lot.\n", writer=MACHINE)
    # One statement asks what is hidden of a file: flagged, spoken against, or to be forgotten.
    of_facts = [sql for sql in statements(queries) if "facts_" in sql]
    assert [sql for sql in of_facts if "lineorigin" not in sql] == []


def test_files_of_before_get_their_facts_and_a_stopped_start_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _save(world, "- city: Leeds\n- city: York\n", _person(world))
    _save(world, "- Anna sings.\n", path="structured/people.md")
    before = {row.raw_text: row.source for row in Fact.objects.all()}
    Fact.objects.all().delete()
    Contradiction.objects.all().delete()
    bring = projection.bring_in_line
    turns = iter([bring])
    monkeypatch.setattr(projection, "bring_in_line", lambda *args: next(turns)(*args))
    with pytest.raises(StopIteration):
        repair.project_older()
    assert 0 < Fact.objects.values("file").distinct().count() < 2
    monkeypatch.setattr(projection, "bring_in_line", bring)
    repair.project_older()
    assert {row.raw_text: row.source for row in Fact.objects.all()} == before
    assert {row.state for row in Fact.objects.filter(attribute="city")} == {State.DISPUTED}
    assert Evidence.objects.filter(fact__raw_value="Leeds", root__author_kind="person").exists()
    assert repair.check(world.team).differing == ()
