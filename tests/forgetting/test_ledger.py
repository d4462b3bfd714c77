"""No receipt says that something is erased before the ledger knows, in a second place if there is
one."""

from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from memoryweb.audit import ledger
from memoryweb.audit.ledger import ERASED, LedgerEntry
from memoryweb.memory.forgetting import Replayed, erase_again, hiding
from memoryweb.memory.models import AuthorKind, File, ForgetRequest, Receipt, Tombstone
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.visible.hidden import hidden
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine
from memoryweb.runs.lease import Lease
from memoryweb.runs.models import Run
from tests.forgetting.asking import WEIGHT, lived
from tests.forgetting.test_erasing import erased, forgotten, holding
from tests.forgetting.test_steps import Killed
from tests.world import World

WORDS = ("weigh", "kilo")
pytestmark = pytest.mark.django_db


def entries(world: World) -> list[LedgerEntry]:
    found = ledger.read(world.team.pk, [ledger.path_of(world.team.pk).parent])
    return [entry for _digest, entry in found if entry.what == ERASED]


def test_it_tells_where_it_stood_and_no_word(world: World, settings: Any, tmp_path: Path) -> None:
    settings.LEDGER_DIR = str(tmp_path)
    fact = lived(world, world.customer)
    request = erased(world, fact)
    (entry,) = entries(world)
    assert {place.table for place in entry.places} == {
        "",
        "memory.Fact",
        "memory.File",
        "memory.Message",
    }
    assert str(fact.pk) in {place.row for place in entry.places}
    made = ledger.print_of(world.agent.pk, world.customer.pk, WEIGHT)
    assert made in {(place.print, place.words) for place in entry.places}
    assert not any(word in (tmp_path / f"{world.team.pk}.ledger").read_text() for word in WORDS)
    receipt = Receipt.objects.get(request=request)
    assert receipt.in_ledger
    assert receipt.hash == hiding.receipt_digest(receipt)


def test_without_a_second_place_the_receipt_says_so(world: World) -> None:
    erased(world, lived(world, world.customer))
    assert not Receipt.objects.get().in_ledger
    assert len(entries(world)) == 1


def test_it_waits_until_the_ledger_can_be_written(
    world: World, settings: Any, tmp_path: Path
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / f"{world.team.pk}.ledger").symlink_to("/dev/full")
    settings.LEDGER_DIR = str(full)
    request = forgotten(world, lived(world, world.customer))
    engine.tick(timezone.now() + timedelta(seconds=1))
    list(engine.run_pending())
    run = Run.objects.get(kind=Run.Kind.ERASURE)
    assert (run.status, run.reason) == (Run.Status.FAILED, "ledger_unavailable")
    assert "The ledger of erasures can't be written to" in run.error
    assert "No space left on device" in run.error
    assert not Receipt.objects.exists()
    request.refresh_from_db()
    assert request.state == ForgetRequest.State.HIDDEN
    settings.LEDGER_DIR = str(tmp_path)
    Run.objects.update(due_at=timezone.now())
    list(engine.run_pending())
    assert Receipt.objects.get(request=request).in_ledger
    assert len(entries(world)) == 1
    assert holding("62 kilos") == set()


def test_killed_between_the_ledger_and_the_receipt_it_goes_on(
    world: World, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LEDGER_DIR = str(tmp_path)
    request = forgotten(world, lived(world, world.customer))
    engine.tick(timezone.now() + timedelta(seconds=1))
    run = Run.objects.get(kind=Run.Kind.ERASURE)

    def dies(*_given: object, **_named: object) -> Any:
        raise Killed

    for place, name in ((ledger, "deliver"), (Lease, "finish")):
        with monkeypatch.context() as patch, suppress(Killed):
            patch.setattr(place, name, dies)
            engine.work(run.pk)
        Run.objects.filter(pk=run.pk).update(status=Run.Status.QUEUED, fence=F("fence") + 1)
    assert not Receipt.objects.exists()
    engine.work(run.pk)
    assert Receipt.objects.get(request=request).in_ledger
    assert len(entries(world)) == 1


def as_before(world: World, said: str) -> None:
    """As in an older database: it stands there, in other rows, and nothing keeps it out."""
    Tombstone.objects.all().delete()
    place = Place(world.agent, world.customer, "KNOWLEDGE.md")
    with write_transaction(world.team) as tx:
        write(tx, place, f"# Old\n\n{said}\n", writer=Writer(AuthorKind.PERSON, user=world.alice))


def again(world: World) -> Replayed:
    done = Replayed()
    erase_again(world.team, entries(world), done)
    return done


@pytest.mark.parametrize(
    "said", ["- I weigh 62 kilos.", "Well, I  WEIGH 62 kilos, as my doctor says. I like tea."]
)
def test_it_is_found_again_by_its_prints(world: World, said: str) -> None:
    erased(world, lived(world, world.customer))
    as_before(world, said)
    assert holding("62 kilos")
    done = again(world)
    assert (done.told, done.missing, done.waiting, done.remaining) == (1, [], 0, 0)
    assert holding("62 kilos") == set()
    assert holding("like tea")


def test_what_is_not_there_is_told(world: World) -> None:
    erased(world, lived(world, world.customer))
    as_before(world, "- I weigh 63 kilos.")
    done = again(world)
    assert (done.told, len(done.missing)) == (1, 1)
    assert holding("63 kilos")


def test_another_s_same_words_are_not_touched(world: World) -> None:
    erased(world, lived(world, world.customer))
    lived(world, world.sender)
    assert len(again(world).missing) == 1
    assert holding("62 kilos") >= {"memory.File", "memory.Fact"}


def test_a_hold_of_the_backup_keeps_it_hidden(world: World) -> None:
    erased(world, lived(world, world.customer))
    as_before(world, "- I weigh 62 kilos.")
    with write_transaction(world.team) as tx:
        hiding.make_hold(tx, by=world.alice, reason="Claim 7")
    assert again(world).waiting > 0
    assert holding("62 kilos")
    file = File.objects.get(owner=world.customer, path="KNOWLEDGE.md")
    assert hidden(files=[file]).lines_of(file)
