from django.test import Client

from memoryweb.agents.models import Agent
from tests.web.pages import actions, text, url
from tests.world import World

FORM = {
    "name": "Comet",
    "description": "Night desk",
    "time_zone": "Asia/Tokyo",
    "language": "de",
    "dreaming": "on",
    "dream_at": "03:30",
    "injection": "files",
    "journal_tokens": "50000",
    "auto_summarize": "on",
    "owner_isolation": "on",
    "policy": "review",
    "extractor": "auto",
    "consolidator": "rules",
}


def test_an_admin_creates_an_agent_with_its_files(world: World, alice: Client) -> None:
    alice.post(url(world.team, "agents_new"), FORM)
    agent = Agent.objects.get(name="Comet")
    assert (agent.time_zone, agent.language, agent.dream_at.hour) == ("Asia/Tokyo", "de", 3)
    assert agent.policy == "review"
    assert agent.files.filter(path="MEMORY.md").exists()


def test_a_name_that_is_taken_is_422(world: World, alice: Client) -> None:
    answer = alice.post(url(world.team, "agents_new"), FORM | {"name": "atlas"})
    assert answer.status_code == 422
    assert "already" in text(answer)


def test_settings_move_the_next_dream(world: World, alice: Client) -> None:
    alice.post(_settings(world), FORM | {"name": "Atlas"})
    before = world.agent.next_dream_at
    world.agent.refresh_from_db()
    assert world.agent.next_dream_at != before
    assert actions(world.team)[-1] == "agent.changed"


def test_dreaming_is_switched_off(world: World, alice: Client) -> None:
    form = {name: value for name, value in FORM.items() if name != "dreaming"}
    alice.post(_settings(world), form | {"name": "Atlas"})
    world.agent.refresh_from_db()
    assert not world.agent.dreaming
    assert world.agent.next_dream_at is None


def test_a_member_reads_the_settings_but_changes_nothing(world: World, bob: Client) -> None:
    assert "disabled" in text(bob.get(_settings(world)))
    assert bob.post(_settings(world), FORM).status_code == 403


def test_a_zone_that_is_none_is_422(world: World, alice: Client) -> None:
    answer = alice.post(_settings(world), FORM | {"time_zone": "Mars/Base"})
    assert answer.status_code == 422


def test_archiving_takes_it_out_of_every_list(world: World, alice: Client) -> None:
    alice.post(url(world.team, "agents_archive", world.agent.pk))
    address = url(world.team, "agents_files", world.agent.pk)
    assert address not in text(alice.get(url(world.team, "agents")))
    assert alice.get(address).status_code == 404


def test_an_archived_agent_is_brought_back(world: World, alice: Client) -> None:
    alice.post(url(world.team, "agents_archive", world.agent.pk))
    page = text(alice.get(url(world.team, "agents")))
    assert "Kept until" in page
    back = url(world.team, "agents_unarchive", world.agent.pk)
    assert back in page
    assert "Atlas was restored." in text(alice.post(back, follow=True))
    assert alice.get(url(world.team, "agents_files", world.agent.pk)).status_code == 200


def test_one_whose_name_was_given_away_is_not(world: World, alice: Client) -> None:
    alice.post(url(world.team, "agents_archive", world.agent.pk))
    alice.post(url(world.team, "agents_new"), FORM | {"name": "Atlas"})
    answer = alice.post(url(world.team, "agents_unarchive", world.agent.pk), follow=True)
    assert "Rename that one first" in text(answer)
    assert "agent.restored" not in actions(world.team)


def test_only_admins_see_the_archive(world: World, alice: Client, bob: Client) -> None:
    alice.post(url(world.team, "agents_archive", world.agent.pk))
    assert "Archived" not in text(bob.get(url(world.team, "agents")))
    assert bob.post(url(world.team, "agents_unarchive", world.agent.pk)).status_code == 403


def test_an_agent_that_is_not_archived_cannot_be_brought_back(world: World, alice: Client) -> None:
    assert alice.post(url(world.team, "agents_unarchive", world.agent.pk)).status_code == 404


def _settings(world: World) -> str:
    return url(world.team, "agents_settings", world.agent.pk)


def test_a_journaler_and_the_summary_are_chosen(world: World, alice: Client) -> None:
    asked = {**FORM, "name": "Atlas", "injection": "summary", "shadow_journal": "on"}
    asked |= {"journal_model": "small-one", "journal_tokens": "2000"}
    settings = url(world.team, "agents_settings", world.agent.pk)
    assert alice.post(settings, asked).status_code == 302
    agent = Agent.objects.get(pk=world.agent.pk)
    assert (agent.injection, agent.shadow_journal) == ("summary", True)
    assert (agent.journal_model, agent.journal_tokens) == ("small-one", 2000)
    for wrong in ({"journal_tokens": "-1"}, {"injection": "all"}, {"journal_model": "a" * 121}):
        assert alice.post(settings, {**asked, **wrong}).status_code == 422
