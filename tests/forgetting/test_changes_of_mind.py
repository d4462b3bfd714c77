"""What is undone or held while its erasure runs, and what can no longer be."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.memory.forgetting import erasing, hiding
from memoryweb.memory.models import Fact, ForgetRequest
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from memoryweb.runs.queue import GiveUp
from tests.forgetting.asking import WEIGHT, lived
from tests.forgetting.test_erasing import erased, forgotten, holding
from tests.world import World

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("is_held", [False, True])
def test_what_is_undone_or_held_before_the_text_goes_stays(
    world: World, monkeypatch: pytest.MonkeyPatch, is_held: bool
) -> None:
    fact = lived(world, world.customer)
    take_out = erasing._take_out

    def late(lease: Any, memory: Any, after: Any) -> None:
        monkeypatch.setattr(erasing, "_take_out", take_out)
        with write_transaction(world.team) as tx:
            if is_held:
                hiding.make_hold(tx, by=world.alice, reason="Claim 7")
            else:
                hiding.undo(tx, ForgetRequest.objects.get())
        take_out(lease, memory, after)

    monkeypatch.setattr(erasing, "_take_out", late)
    request = erased(world, fact)
    assert request.state == (ForgetRequest.State.HELD if is_held else ForgetRequest.State.UNDONE)
    assert Fact.objects.filter(raw_text=WEIGHT).exists()


def test_nothing_is_undone_once_its_text_is_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fact = lived(world, world.customer)
    request = forgotten(world, fact)
    from_past = erasing._from_past

    def late(lease: Any, memory: Any, after: Any) -> str | None:
        with pytest.raises(hiding.NothingToUndo), write_transaction(world.team) as tx:
            hiding.undo(tx, request)
        return from_past(lease, memory, after)

    monkeypatch.setattr(erasing, "_from_past", late)
    assert erased(world, fact).state == ForgetRequest.State.ERASED


def _erasures() -> list[Run]:
    """What is done now; what was said is read meanwhile, too."""
    return [run for run in engine.run_pending() if run.kind == Run.Kind.ERASURE]


def test_an_erasure_that_failed_halfway_is_ended_an_hour_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fact = lived(world, world.customer)
    forgotten(world, fact)
    from_records = erasing._from_records

    def fails(lease: Any, memory: Any, after: Any) -> None:
        raise GiveUp("worker_lost")

    monkeypatch.setattr(erasing, "_from_records", fails)
    now = timezone.now()
    engine.tick(now + timedelta(seconds=1))
    (failed,) = _erasures()
    assert failed.status == failed.Status.FAILED
    assert failed.inputs["texts"]
    monkeypatch.setattr(erasing, "_from_records", from_records)
    engine.tick(now + timedelta(minutes=30))
    assert _erasures() == []
    engine.tick(now + timedelta(hours=2))
    (ended,) = _erasures()
    assert ended.status == ended.Status.SUCCEEDED
    assert holding("62 kilos") == set()
