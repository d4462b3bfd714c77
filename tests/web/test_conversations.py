from datetime import timedelta

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.models import Conversation
from memoryweb.memory.models.writer import write_transaction
from tests.web.pages import text, url
from tests.web.stage import NOTE, PERSONAL, SHARED, Stage


def test_the_list_is_ones_own_and_the_shared(stage: Stage, bob: Client) -> None:
    page = text(bob.get(_list(stage)))
    assert "bob-lunch" in page
    assert "standup" in page
    assert "jonas-hello" not in page


def test_an_admin_sees_counts_of_others_without_a_name(stage: Stage, alice: Client) -> None:
    page = text(alice.get(_list(stage)))
    assert "jonas-hello" not in page
    assert str(stage.customers_talk.pk)[:8] in page


def test_messages_lead_to_the_lines_they_became(stage: Stage, vera: Client) -> None:
    page = text(vera.get(_page(stage, stage.shared_talk)))
    assert SHARED in page
    assert f"{NOTE}:3" in page


def test_messages_are_for_their_owner_alone(stage: Stage, bob: Client, alice: Client) -> None:
    address = _page(stage, stage.bobs_talk)
    assert PERSONAL in text(bob.get(address))
    assert alice.get(address).status_code == 403


def test_a_link_to_a_message_opens_its_page(stage: Stage, bob: Client) -> None:
    now = timezone.now()
    with write_transaction(stage.world.team) as tx:
        add_messages(
            tx,
            agent=stage.world.agent,
            owner=stage.world.bobs_memory,
            conversation_id="bob-lunch",
            messages=[
                NewMessage(
                    id=f"m{n}", role="user", content=f"word {n}", timestamp=now + timedelta(0, n)
                )
                for n in range(60)
            ],
        )
    page = text(bob.get(_page(stage, stage.bobs_talk) + "?message=58"))
    assert 'id="m58"' in page
    assert 'id="m1"' not in page


def test_messages_are_text_and_never_markup(stage: Stage, bob: Client) -> None:
    stage.bobs_talk.messages.filter(position=1).update(raw_content="<img src=x onerror=alert(1)>")
    assert "<img src=x" not in text(bob.get(_page(stage, stage.bobs_talk)))


def test_the_same_statements_for_many_conversations(stage: Stage, alice: Client) -> None:
    few = _statements(alice, _list(stage))
    for number in range(12):
        Conversation.objects.create(
            team=stage.world.team, agent=stage.world.agent, owner=stage.world.customer,
            external_id=f"more-{number}",
        )  # fmt: skip
    assert _statements(alice, _list(stage)) == few


def test_the_list_goes_on_behind_its_first_page(stage: Stage, alice: Client) -> None:
    for number in range(40):
        Conversation.objects.create(
            team=stage.world.team, agent=stage.world.agent, owner=stage.world.customer,
            external_id=f"more-{number}", message_count=1,
        )  # fmt: skip
    first, second = (text(alice.get(f"{_list(stage)}?page={n}")) for n in (1, 2))
    assert "of more than 30" in first
    assert "31–43 of 43" in second
    for odd in ("99", "0", "-1", "2-", "x", "99999999"):
        assert alice.get(f"{_list(stage)}?page={odd}").status_code == 200


def _list(stage: Stage) -> str:
    return url(stage.world.team, "agents_conversations", stage.world.agent.pk)


def _page(stage: Stage, talk: Conversation) -> str:
    return url(stage.world.team, "agents_conversation", stage.world.agent.pk, talk.pk)


def _statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)
