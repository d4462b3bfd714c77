import tracemalloc

import pytest
from django.apps import apps

from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import (
    AuthorKind,
    File,
    LineOrigin,
    Message,
    NoSecret,
    Passage,
    Proposal,
    Revision,
)
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.review import rescan
from memoryweb.memory.writing import screening, write
from memoryweb.memory.writing.revising import sha256
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.language.test_credentials import BASE64, draw
from tests.language.test_secret_assignments import drawn
from tests.world import World

pytestmark = pytest.mark.django_db
TOKEN, VALUE = "ghp_" + draw(36), drawn(9)
KEY = [draw(64, BASE64, seed=n) for n in range(3)]
PEM = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *KEY, "-----END RSA PRIVATE KEY-----"])
PLACES = ("PLACE_ONE", "PLACE_TWO", "PLACE_THREE")


def _furnish(world: World) -> File:
    """As if none of the patterns had been known when it was written."""
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, "OLD.md")
        person = Writer(AuthorKind.PERSON, user=world.alice)
        text = "# Old\n\nPLACE_THREE\n- token PLACE_ONE\n- kept\n"
        file = write.write(tx, place, text, writer=person).file
        write.append(tx, place, [NewLine("- password: PLACE_TWO")], writer=person)
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="c",
            messages=[NewMessage("user", "My password is PLACE_TWO!", name="Jo", id="m1")],
        )
    for model, columns in (
        (File, ["raw_content"]),
        (Revision, ["raw_text"]),
        (Message, ["raw_content"]),
        (Passage, ["raw_text", "raw_tokens"]),
    ):
        for row in model._default_manager.all():
            for column in columns:
                text = getattr(row, column)
                for mark, secret in zip(PLACES, (TOKEN, VALUE, PEM), strict=True):
                    text = text.replace(mark, secret).replace(mark.lower(), secret)
                setattr(row, column, text)
            row.save()
    file.refresh_from_db()
    return file


def _scan(world: World, *, fix: bool = False) -> Run:
    with write_transaction(world.team) as tx:
        run = rescan.request(tx, world.agent, fix=fix, trigger=Run.Trigger.COMMAND)
    done = engine.work(run.pk)
    assert done is not None
    return done


def _everything() -> str:
    texts = []
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if getattr(field, "erasable", False) or getattr(field, "no_personal_text", False):
                rows = model._default_manager.values_list(field.name, flat=True)
                texts += [str(value) for value in rows]
    return "\n".join(texts)


def test_it_lists_kinds_and_places_and_changes_nothing(world: World) -> None:
    file = _furnish(world)
    before = file.raw_content
    run = _scan(world)
    seen = {(one["where"], one["kind"], one["line"]) for one in run.result["sightings"]}
    assert ("file", "private-key", 3) in seen
    assert ("file", "github-token", 8) in seen
    assert ("file", "password", 10) in seen
    assert ("message", "password", 1) in seen
    assert run.result["masked"] == 0
    file.refresh_from_db()
    assert file.raw_content == before
    assert not any(secret in str(run.result) for secret in (TOKEN, VALUE, KEY[0]))


def test_a_secret_in_a_proposal_is_listed_once(world: World) -> None:
    file = _furnish(world)
    Proposal.objects.create(
        team=world.team,
        file=file,
        base_revision=file.revision,
        raw_content=f"- {TOKEN}\n",
        created_at=file.updated_at,
    )
    seen = [one for one in _scan(world).result["sightings"] if one["line"] == 1]
    assert [one["where"] for one in seen if one["kind"] == "github-token"] == ["proposal"]


def test_masking_leaves_no_secret_in_any_text_column(world: World) -> None:
    _furnish(world)
    _scan(world, fix=True)
    everything = _everything()
    for secret in (TOKEN, VALUE, *KEY):
        assert secret not in everything
        assert secret.lower() not in everything.lower()


def test_lines_keep_their_numbers_and_their_writers(world: World) -> None:
    file = _furnish(world)
    lines = file.raw_content.split("\n")
    writers = set(LineOrigin.objects.filter(file=file).values_list("line", "author_kind"))
    _scan(world, fix=True)
    file.refresh_from_db()
    now = file.raw_content.split("\n")
    assert len(now) == len(lines)
    assert now[8] == "- kept"
    assert set(LineOrigin.objects.filter(file=file).values_list("line", "author_kind")) == writers


def test_every_digest_fits_its_revision_again(world: World) -> None:
    file = _furnish(world)
    _scan(world, fix=True)
    file.refresh_from_db()
    for revision in Revision.objects.filter(file=file):
        content = content_of(file, revision.number)
        assert revision.sha256 == sha256(content)
        assert revision.size == len(content.encode())


def test_a_secret_that_came_and_went_between_whole_texts_is_masked(world: World) -> None:
    lines = [f"- Plan {n} is for the autumn." for n in range(30)]
    places = [f"PLACE {n}" for n in range(len(PEM.split("\n")))]
    place = Place(world.agent, world.customer, "OLD.md")
    with write_transaction(world.team) as tx:
        for text in (lines, [*places, *lines, "- token PLACE_ONE"], lines[1:], lines):
            machine = Writer(AuthorKind.SYSTEM)
            file = write.write(tx, place, "\n".join(text), writer=machine).file
    second = Revision.objects.filter(file=file, number=2, edits__isnull=False)
    second.update(raw_text=f"{PEM}\n- token {TOKEN}")  # as if no pattern had been known
    assert content_of(file, 2) == "\n".join([PEM, *lines, f"- token {TOKEN}"])
    _scan(world, fix=True)
    assert not any(secret in _everything() for secret in (TOKEN, *KEY))
    assert content_of(file, 2).endswith("\n- token [secret: github-token]")
    assert content_of(file, 2).count("\n") == len(places) + len(lines)
    assert content_of(file, 3) == "\n".join(lines[1:])


def test_what_a_person_said_is_no_secret_stays(world: World) -> None:
    file = _furnish(world)
    known_as = screening.fingerprint(world.team.pk, VALUE)
    NoSecret.objects.create(team=world.team, fingerprint=known_as, said_at=file.updated_at)
    _scan(world, fix=True)
    file.refresh_from_db()
    assert VALUE in file.raw_content
    assert TOKEN not in file.raw_content


def test_a_second_look_finds_nothing(world: World) -> None:
    _furnish(world)
    _scan(world, fix=True)
    again = _scan(world)
    assert (again.result["found"], again.status) == (0, "no_change")


def test_a_long_history_is_looked_through_text_by_text(world: World) -> None:
    writer = Writer(AuthorKind.PERSON, user=world.alice)
    text, revisions = ("A quiet day at the harbour. " * 100 + "\n") * 30, 12
    for number in range(revisions):
        with write_transaction(world.team) as tx:
            place = Place(world.agent, None, "long.md")
            file = write.write(tx, place, f"{number}\n{text}", writer=writer).file
    with write_transaction(world.team) as tx:
        tracemalloc.start()
        rescan.in_past(file, fix=False)
        _now, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < len(text) * revisions / 2


def test_it_goes_on_where_it_stood(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _furnish(world)
    monkeypatch.setattr(rescan, "STEP", 1)
    whole = _scan(world).result
    assert whole["done"] == whole["total"] > 3
