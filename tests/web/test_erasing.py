"""The page of receipts, legal holds and how long things are kept."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django_scopes import scope

from memoryweb.agents.models import Owner
from memoryweb.audit import checkpoints
from memoryweb.memory.forgetting import hiding, retention
from memoryweb.memory.models import Conversation, LegalHold, Message, Receipt
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs import engine
from tests.forgetting.asking import lived
from tests.forgetting.test_erasing import erased
from tests.web.pages import actions, text, tight, url
from tests.world import World


def test_receipts_are_listed_without_words(world: World, alice: Client, audrey: Client) -> None:
    erased(world, lived(world, world.customer))
    for client in (alice, audrey):
        page = tight(client.get(url(world.team, "settings_erasing")))
        assert Receipt.objects.get().hash[:16] in page
        assert "kilos" not in page
        assert "Erased here; an older backup can bring it back." in page
    Receipt.objects.update(in_ledger=True)
    assert "an older backup" not in tight(alice.get(url(world.team, "settings_erasing")))


def test_admins_are_warned_of_a_restore_without_the_ledger(
    world: World, alice: Client, audrey: Client
) -> None:
    checkpoints.declare_gap(world.team.pk, timezone.now(), 900, checkpoints.WITHOUT_LEDGER)
    checkpoints.unledgered_at.cache_clear()
    address = url(world.team, "settings_erasing")
    assert "A backup was restored on" in text(alice.get(address))
    assert "A backup was restored on" not in text(audrey.get(address))
    verified = text(audrey.get(url(world.team, "audit_verify")))
    assert "Declared gap: a backup was restored on" in verified
    assert "the log had 900 events" in verified
    checkpoints.unledgered_at.cache_clear()


def test_a_hold_is_made_with_a_reason_seen_and_ended(
    world: World, alice: Client, audrey: Client
) -> None:
    address = url(world.team, "settings_hold")
    assert alice.post(address, {"reason": ""}).status_code == 422
    assert (
        alice.post(address, {"reason": "x", "owner": str(world.twin.sender.pk)}).status_code == 422
    )
    alice.post(address, {"reason": "Claim 7", "owner": str(world.customer.pk)})
    hold = LegalHold.objects.get()
    assert hold.owner == world.customer
    page = text(audrey.get(url(world.team, "settings_erasing")))
    assert "Claim 7" in page
    assert "End the hold" not in page
    alice.post(url(world.team, "settings_hold_end", hold.pk))
    assert actions(world.team)[-2:] == ["hold.made", "hold.ended"]


def _age(world: World, owner: Owner, days: int) -> None:
    before = timezone.now() - timedelta(days=days)
    with scope(team=world.team):
        said = Message.objects.filter(conversation__owner=owner)
        said.update(created_at=before)
        talks = Conversation.objects.filter(owner=owner)
        talks.update(last_message_at=before, waiting=False)
        Owner.objects.filter(pk=owner.pk).update(created_at=before)


@pytest.mark.databases
def test_old_messages_and_silent_people_go_unless_held(world: World, alice: Client) -> None:
    for owner in (world.customer, world.sender):
        lived(world, owner)
        _age(world, owner, 500)
    with write_transaction(world.team) as tx:
        hiding.make_hold(tx, by=world.alice, reason="Claim 7", owner=world.sender)
    alice.post(url(world.team, "settings_keep"), {"messages_days": "400", "owners_days": "450"})
    retention.expire(timezone.now())
    said = Message.objects.filter(team=world.team)
    assert set(said.values_list("conversation__owner", flat=True)) == {world.sender.pk}
    list(engine.run_pending())
    assert not world.agent.files.filter(owner=world.customer).exists()
    assert world.agent.files.filter(owner=world.sender).exists()
