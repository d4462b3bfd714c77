"""A link from People with which a person without an account sees and corrects their own memory."""

import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.core import mail
from django.test import Client

from memoryweb.agents.models import OneTimeCode, Owner
from memoryweb.agents.owners import api_owner
from memoryweb.memory.forgetting import erase_owner
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs import engine
from tests.web.pages import actions, text, url
from tests.world import World, confirm_address

REASON = {"reason": "They asked what is kept about them."}


@pytest.fixture
def opened(world: World, alice: Client) -> Client:
    """Alice has opened the customer's memory with a reason."""
    alice.post(_url(world, "owners_open"), REASON)
    return alice


def test_a_link_is_shown_once_and_opens_that_memory_alone(
    world: World, opened: Client, client: Client
) -> None:
    page = text(opened.post(_url(world, "owners_link")))
    link = _link_in(page)
    assert link not in text(opened.get(_url(world, "owners_detail")))
    assert "owner.code_issued" in actions(world.team)
    visited = client.post("/visit/open/", {"code": link}, follow=True)
    assert visited.status_code == 200
    assert client.get(url(world.team, "owners")).status_code == 302
    assert _used(client, link) == 404


def test_the_person_reads_who_made_it_and_why(world: World, opened: Client, client: Client) -> None:
    link = _link_in(text(opened.post(_url(world, "owners_link"), {})))
    page = text(client.post("/visit/open/", {"code": link}, follow=True))
    assert "They asked what is kept about them." in page
    assert "Alice" in page


def test_without_a_reason_there_is_no_link(world: World, alice: Client) -> None:
    assert alice.post(_url(world, "owners_link"), {}).status_code == 403
    assert not OneTimeCode.objects.exists()


def test_only_admins_make_one(world: World, bob: Client, audrey: Client) -> None:
    for client in (bob, audrey):
        assert client.post(_url(world, "owners_link"), {}).status_code == 403
        assert client.post(_url(world, "owners_link_withdraw")).status_code == 403


def test_whoever_has_an_account_needs_none(world: World, alice: Client) -> None:
    bobs = url(world.team, "owners_detail", world.bobs_memory.pk)
    alice.post(url(world.team, "owners_open", world.bobs_memory.pk), REASON)
    assert f"/t/{world.team.slug}/me/" in text(alice.get(bobs))
    answer = alice.post(url(world.team, "owners_link", world.bobs_memory.pk), {})
    assert answer.status_code == 422
    assert not OneTimeCode.objects.exists()


def test_it_is_mailed_to_the_address_that_they_confirmed(
    world: World, alice: Client, client: Client
) -> None:
    confirm_address(world, world.customer, "c@harbour.example")
    assert "Send a link to their address" in text(alice.get(_url(world, "owners_detail")))
    page = text(alice.post(_url(world, "owners_link_mail"), follow=True))
    assert "The link was mailed." in page
    [sent] = mail.outbox
    assert sent.to == ["c@harbour.example"]
    link = _link_in(str(sent.body))
    assert link not in page
    assert client.post("/visit/open/", {"code": link}).status_code == 302


def test_who_asked_for_a_link_and_when_it_was_opened_is_told(
    world: World, alice: Client, audrey: Client, client: Client
) -> None:
    confirm_address(world, world.customer)
    alice.post(_url(world, "owners_link_mail"))
    told = "had a link mailed to the confirmed address."
    before = text(audrey.get(_url(world, "owners_detail")))
    assert "Alice" in before
    assert told in before
    assert "Not opened" in before
    mine = text(
        client.post("/visit/open/", {"code": _link_in(str(mail.outbox[0].body))}, follow=True)
    )
    for page in (mine, text(audrey.get(_url(world, "owners_detail")))):
        assert told in page
        assert "Not opened" not in page
    assert {"owner.code_issued", "visit.opened"} <= {*actions(world.team)}


def test_the_address_is_on_no_page_and_in_no_event(
    world: World, opened: Client, audrey: Client
) -> None:
    confirm_address(world, world.customer, "c@harbour.example")
    opened.post(_url(world, "owners_link_mail"))
    exported = opened.post(_url(world, "owners_export"))
    archive = ZipFile(BytesIO(b"".join(exported.streaming_content)))  # type: ignore[attr-defined]
    seen = [archive.read(name).decode() for name in archive.namelist()]
    for client in (opened, audrey):
        for name in ("owners_detail", "owners", "audit"):
            place = [world.customer.pk] if name == "owners_detail" else []
            seen.append(text(client.get(url(world.team, name, *place))))
    assert "c@harbour" not in "".join(seen)


def test_without_a_confirmed_address_nothing_is_mailed(world: World, alice: Client) -> None:
    assert "Send a link" not in text(alice.get(_url(world, "owners_detail")))
    assert alice.post(_url(world, "owners_link_mail")).status_code == 404
    confirm_address(world, world.customer)
    Owner.objects.filter(pk=world.customer.pk).update(person=world.bob)
    assert alice.post(_url(world, "owners_link_mail")).status_code == 404
    assert not mail.outbox


def test_only_admins_mail_one(world: World, bob: Client, audrey: Client) -> None:
    confirm_address(world, world.customer)
    for client in (bob, audrey):
        assert client.post(_url(world, "owners_link_mail")).status_code == 403
    assert not mail.outbox


def test_without_a_mail_server_it_says_so(world: World, alice: Client, settings: Any) -> None:
    confirm_address(world, world.customer)
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    answer = alice.post(_url(world, "owners_link_mail"))
    assert answer.status_code == 422
    assert "no mail server" in text(answer)


def test_a_link_is_withdrawn_also_while_it_is_open(
    world: World, opened: Client, client: Client
) -> None:
    link = _link_in(text(opened.post(_url(world, "owners_link"), {})))
    client.post("/visit/open/", {"code": link})
    assert client.get("/visit/").status_code == 200
    page = text(opened.post(_url(world, "owners_link_withdraw"), follow=True))
    assert "The link no longer works." in page
    assert client.get("/visit/").status_code == 404
    assert "owner.code_withdrawn" in actions(world.team)


def test_after_their_owner_is_erased_it_opens_nothing_and_nothing_is_mailed(
    world: World, alice: Client, client: Client
) -> None:
    confirm_address(world, world.customer)
    known_as = world.customer.external_id
    alice.post(_url(world, "owners_link_mail"))
    link = _link_in(str(mail.outbox[0].body))
    with write_transaction(world.team) as tx:
        erase_owner(tx, world.customer)
    assert _used(client, link) == 404
    list(engine.run_pending())
    assert _used(client, link) == 404
    assert alice.post(_url(world, "owners_link_mail")).status_code == 404
    again = api_owner(world.team, world.integration, known_as)
    assert again.pk != world.customer.pk
    assert alice.post(url(world.team, "owners_link_mail", again.pk)).status_code == 404
    assert len(mail.outbox) == 1


def _used(client: Client, link: str) -> int:
    return client.post("/visit/open/", {"code": link}).status_code


def _link_in(page: str) -> str:
    found = re.search(r"http://testserver/visit/open/#[\w-]+", page)
    assert found
    return found[0]


def _url(world: World, name: str) -> str:
    return url(world.team, name, world.customer.pk)
