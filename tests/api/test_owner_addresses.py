"""The address of an end user: given, confirmed and removed by their app."""

import re
import uuid
from smtplib import SMTPRecipientsRefused
from typing import Any

import pytest
from django.core import mail

from memoryweb.accounts.integrations import create_integration
from memoryweb.agents.models import Owner, OwnerAddress
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from tests.api.callers import Callers
from tests.api.client import Api
from tests.world import World, integration_token

PATH = "/owners/api:helpdesk/customer-1/address"
EMAIL = {"email": " Ann@Harbour.example"}


def mailed() -> str:
    found = re.search(r"[A-Z2-9]{4}-[A-Z2-9]{4}", str(mail.outbox[-1].body))
    assert found
    return found[0]


def test_a_mailed_code_confirms_it(callers: Callers) -> None:
    given = callers.helpdesk.call("PUT", PATH, EMAIL)
    assert given.status_code == 200
    assert given.json()["confirmed"] is False
    assert mail.outbox[0].to == ["ann@harbour.example"]
    assert mailed() not in given.content.decode()
    done = callers.helpdesk.post(PATH + "/confirm", {"code": mailed()})
    assert done.json() == {"confirmed": True, "expiresAt": None}
    event = Event.objects.get(action="owner.address_confirmed")
    assert event.token_id
    again = callers.helpdesk.call("PUT", PATH, EMAIL)
    assert again.json()["confirmed"] is True
    assert len(mail.outbox) == 1


def test_an_owner_is_named_by_id_or_as_owner_takes_it(world: World, callers: Callers) -> None:
    for named in (str(world.customer.pk), "api:customer-1", "slack:U1"):
        given = callers.helpdesk.call("PUT", f"/owners/{named}/address", EMAIL)
        assert given.status_code == 200
    assert {row.owner for row in OwnerAddress.objects.all()} == {world.customer, world.sender}


def test_the_mail_speaks_the_language_that_was_named(callers: Callers) -> None:
    assert callers.helpdesk.call("PUT", PATH, EMAIL | {"language": "de"}).status_code == 200
    assert OwnerAddress.objects.get().language == "de"
    assert callers.helpdesk.call("PUT", PATH, EMAIL | {"language": "xx"}).status_code == 400


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        (PATH, {"email": "no address"}, 400, "address_refused"),
        (PATH, {"email": "a@b.example\nBcc: c@d.example"}, 400, "address_refused"),
        (PATH, {}, 400, "invalid"),
        ("/owners/shared/address", EMAIL, 400, "invalid"),
        ("/owners/slack:room:C1/address", EMAIL, 400, "invalid"),
        ("/owners/me/address", EMAIL, 403, "owner_forbidden"),
        ("/owners/api:intranet/1/address", EMAIL, 403, "owner_forbidden"),
        ("/owners/feishu:U1/address", EMAIL, 403, "owner_forbidden"),
    ],
)
def test_what_is_refused(
    world: World, callers: Callers, path: str, body: dict[str, Any], status: int, code: str
) -> None:
    world.team.integrations.create(name="intranet", scopes=["memory:write"])
    answer = callers.helpdesk.call("PUT", path, body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not mail.outbox


def test_another_programs_owner_is_out_of_reach(world: World, callers: Callers) -> None:
    callers.helpdesk.call("PUT", PATH, EMAIL)
    path = f"/owners/{world.customer.pk}/address"
    shop = Api(integration_token(create_integration(team=world.team, name="shop", by=SYSTEM)))
    for api in (shop, callers.foreign_helpdesk, callers.admin):
        assert api.call("PUT", path, EMAIL).status_code == 403
        assert api.post(path + "/confirm", {"code": mailed()}).status_code == 403
        assert api.delete(path).status_code == 403
        of_nobody = api.call("PUT", f"/owners/{uuid.uuid4()}/address", EMAIL)
        assert of_nobody.content == api.call("PUT", path, EMAIL).content
    assert OwnerAddress.objects.get().confirmed_at is None


def test_a_wrong_code_confirms_nothing(callers: Callers) -> None:
    callers.helpdesk.call("PUT", PATH, EMAIL)
    refused = callers.helpdesk.post(PATH + "/confirm", {"code": "AAAA-AAAA"})
    assert (refused.status_code, refused.json()["code"]) == (400, "code_refused")
    assert OwnerAddress.objects.get().confirmed_at is None


def test_a_code_for_somebody_never_seen_makes_no_owner(callers: Callers) -> None:
    path = "/owners/api:new/address"
    assert callers.helpdesk.post(path + "/confirm", {"code": "AAAA-AAAA"}).status_code == 400
    assert callers.helpdesk.delete(path).status_code == 204
    assert not Owner.objects.filter(external_id="new").exists()


def test_it_is_removed(callers: Callers) -> None:
    callers.helpdesk.call("PUT", PATH, EMAIL)
    assert callers.helpdesk.delete(PATH).status_code == 204
    assert not OwnerAddress.objects.exists()


def test_without_a_mail_server_nothing_is_kept(callers: Callers, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    answer = callers.helpdesk.call("PUT", PATH, EMAIL)
    assert (answer.status_code, answer.json()["code"]) == (503, "mail_unavailable")
    assert not OwnerAddress.objects.exists()


def test_a_mail_server_that_refuses_tells_no_address(
    callers: Callers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_mail: object) -> None:
        raise SMTPRecipientsRefused({"ann@harbour.example": (550, b"no such user")})

    monkeypatch.setattr("memoryweb.notify.owner_mail.send_mail", refuse)
    answer = callers.helpdesk.call("PUT", PATH, EMAIL)
    assert (answer.status_code, answer.json()["code"]) == (503, "mail_unavailable")
    assert "harbour" not in answer.content.decode() + caplog.text
