"""Pages and mails are in the reader's language; the API answers in English."""

import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from tests.web.pages import text, url
from tests.web.stage import Stage
from tests.world import World

GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.5"}


def test_a_stranger_reads_the_entrance_in_the_browsers_language(world: World) -> None:
    entrance = reverse("account_login")
    assert '<html lang="de"' in text(Client().get(entrance, headers=GERMAN))
    assert '<html lang="ja"' in text(Client().get(entrance, headers={"accept-language": "ja"}))
    assert '<html lang="en"' in text(Client().get(entrance, headers={"accept-language": "fr"}))


def test_a_person_keeps_a_language_whatever_the_browser_says(world: World, bob: Client) -> None:
    profile = reverse("profile")
    sent = {"name": "Bob", "time_zone": "UTC", "language": "ja"}
    assert bob.post(profile, sent, headers=GERMAN).status_code == 302
    assert '<html lang="ja"' in text(bob.get(profile, headers=GERMAN))
    assert bob.post(profile, sent | {"language": ""}, headers=GERMAN).status_code == 302
    assert '<html lang="de"' in text(bob.get(profile, headers=GERMAN))
    assert bob.post(profile, sent | {"language": "tlh"}).status_code == 422


def test_words_and_dates_are_german_and_pictures_stay_whole(stage: Stage, alice: Client) -> None:
    """A comma for a point would move every bar of a picture."""
    team, agent = stage.world.team, stage.world.agent
    addresses = [
        url(team, "last_night"),
        url(team, "over_time"),
        url(team, "agents_detail", agent.pk),
    ]
    pages = "".join(text(alice.get(address, headers=GERMAN)) for address in addresses)
    assert "Letzte Nacht" in pages
    assert "Last night" not in pages
    assert re.findall(r'="-?\d+,\d+', pages) == []


def test_programs_are_answered_in_english(world: World) -> None:
    english = Client().get("/api/v1/agents").json()
    assert Client().get("/api/v1/agents", headers=GERMAN).json() == english


SUBJECTS = {
    "": "Choose a new password for memoryweb",
    "de": "Wähle ein neues Passwort für memoryweb",
}


@pytest.mark.parametrize("chosen", SUBJECTS)
def test_a_mail_is_in_its_readers_language(world: World, chosen: str) -> None:
    world.bob.language = chosen
    world.bob.save(update_fields=["language"])
    Client().post(reverse("account_reset_password"), {"email": world.bob.email})
    assert mail.outbox[-1].subject == SUBJECTS[chosen]
