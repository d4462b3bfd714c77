from importlib import import_module

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import IntegrityError, connection

from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.models import Conversation, Message
from memoryweb.memory.models.transaction import write_transaction
from tests.world import World

BEFORE = "0002_message_token"
NAMES = ("default", "x" * 255)


def migrate(name: str = "") -> None:
    """Without a name all the way forward: going back takes along what other rooms built on it."""
    target = ["conversations", name] if name else []
    call_command("migrate", *target, verbosity=0, interactive=False)


def talk(world: World, name: str) -> None:
    for owner in (world.customer, world.sender):
        with write_transaction(world.team) as work:
            add_messages(
                work,
                agent=world.agent,
                owner=owner,
                conversation_id=name,
                messages=[NewMessage(role="user", content=f"{name[:9]} of {owner.shown_as}")],
            )


def named(name: str) -> tuple[Conversation, Conversation]:
    """The earlier one first; the later one's name may be cut and have its key behind it."""
    start = name[: 255 - 37]
    first, second = Conversation.objects.filter(external_id__startswith=start).order_by(
        "created_at"
    )
    return first, second


def test_later_conversations_of_one_name_get_their_own(world: World) -> None:
    for name in NAMES:
        talk(world, name)
    migration = import_module("memoryweb.conversations.migrations.0004_names_apart_again")
    migration.tell_apart(apps, connection.schema_editor())
    for name in NAMES:
        first, second = named(name)
        assert (first.external_id, first.owner) == (name, world.customer)
        assert second.external_id == f"{name[: 255 - 37]} {second.pk}"


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_all_the_way_back_and_forth_nothing_is_lost(world: World) -> None:
    for name in NAMES:
        talk(world, name)
    seconds = []
    try:
        migrate(BEFORE)
        for name in NAMES:
            named = Conversation.objects.filter(external_id__startswith=name[: 255 - 37])
            first, second = named.only("external_id", "owner").order_by("created_at")
            assert (first.external_id, first.owner) == (name, world.customer)
            assert second.external_id == f"{name[: 255 - 37]} {second.pk}"
            with pytest.raises(IntegrityError):
                Conversation.objects.filter(pk=second.pk).update(external_id=name)
            seconds.append(second.pk)
        assert Message.objects.count() == 4
    finally:
        migrate()
    assert Conversation.objects.filter(message_count=1).count() == 4
    for name, key in zip(NAMES, seconds, strict=True):
        Conversation.objects.filter(pk=key).update(external_id=name)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_talks_of_several_before_stay_talks_of_several(world: World) -> None:
    for name, people in (("one", ["Ines", "ines", ""]), ("two", ["Ines", "Tom"])):
        said = [NewMessage(role="user", content="Hello!", name=person) for person in people]
        with write_transaction(world.team) as work:
            add_messages(
                work,
                agent=world.agent,
                owner=world.customer,
                conversation_id=name,
                messages=said,
            )
    try:
        migrate("0011_source_mem0")
    finally:
        migrate()
    found = Conversation.objects.values_list("external_id", "several_from")
    assert dict(found) == {"one": 0, "two": 1}
