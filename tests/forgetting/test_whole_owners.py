"""Erasing an owner takes what was asked and answered about them too."""

import pytest

from memoryweb.api.models import Idempotency
from memoryweb.memory.forgetting import erasing, hiding
from memoryweb.memory.models import ForgetRequest, Receipt
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs import engine
from tests.forgetting.asking import hidden, lived
from tests.forgetting.test_erasing import holding
from tests.world import World, integration_token

pytestmark = pytest.mark.django_db


def erased_owner(world: World) -> None:
    with write_transaction(world.team) as tx:
        erasing.erase_owner(tx, world.customer, world.alice)
    assert {run.error for run in engine.run_pending()} == {""}


def test_what_they_asked_before_goes_with_them(world: World) -> None:
    request = hidden(world, lived(world, world.customer))
    with write_transaction(world.team) as tx:
        hiding.undo(tx, request)
    erased_owner(world)
    assert holding("my weight") == set()
    assert "memory.ForgetRequest" in {name for row in Receipt.objects.all() for name in row.counts}
    assert set(ForgetRequest.objects.values_list("state", flat=True)) == {
        ForgetRequest.State.ERASED
    }


def test_no_answer_that_was_kept_for_a_repeated_call_is_left(world: World) -> None:
    integration_token(world.integration)
    token = world.integration.tokens.latest("created_at")
    for key, body in (("done", "I weigh 62 kilos."), ("worked on", "")):
        Idempotency.objects.create(team=world.team, token=token, key=key, body=body)
    erased_owner(world)
    assert set(Idempotency.objects.values_list("key", flat=True)) == {"worked on"}
