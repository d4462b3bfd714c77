"""Pages and mails are in the reader's language; the API answers in English."""

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from tests.web.pages import text
from tests.world import World

GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.5"}


def test_a_stranger_reads_the_entrance_in_the_browsers_language(world: World) -> None:
    entrance = reverse("account_login")
    assert '<html lang="de">' in text(Client().get(entrance, headers=GERMAN))
    assert '<html lang="ja">' in text(Client().get(entrance, headers={"accept-language": "ja"}))
    assert '<html lang="en">' in text(Client().get(entrance, headers={"accept-language": "fr"}))


def test_a_person_keeps_a_language_whatever_the_browser_says(world: World, bob: Client) -> None:
    profile = reverse("profile")
    sent = {"name": "Bob", "time_zone": "UTC", "language": "ja"}
    assert bob.post(profile, sent, headers=GERMAN).status_code == 302
    assert '<html lang="ja">' in text(bob.get(profile, headers=GERMAN))
    assert bob.post(profile, sent | {"language": ""}, headers=GERMAN).status_code == 302
    assert '<html lang="de">' in text(bob.get(profile, headers=GERMAN))
    assert bob.post(profile, sent | {"language": "tlh"}).status_code == 422


def test_programs_are_answered_in_english(world: World) -> None:
    english = Client().get("/api/v1/agents").json()
    assert Client().get("/api/v1/agents", headers=GERMAN).json() == english


@pytest.mark.parametrize(("chosen", "subject"), [("", "memoryweb"), ("de", "memoryweb")])
def test_a_mail_is_in_its_readers_language(world: World, chosen: str, subject: str) -> None:
    world.bob.language = chosen
    world.bob.save(update_fields=["language"])
    Client().post(reverse("account_reset_password"), {"email": world.bob.email})
    assert subject in mail.outbox[-1].subject
