import pytest
from django.db import IntegrityError

from memoryweb.accounts import teams
from memoryweb.accounts.exceptions import Ambiguous, NameRefused, NotFound
from memoryweb.accounts.models import Team
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from tests.accounts.refusal import refusing_events


@pytest.mark.django_db
def test_a_team_begins_its_chain_with_its_creation() -> None:
    team = teams.create_team(name="Night Watch", by=SYSTEM)
    assert team.slug == "night-watch"
    assert Event.objects.get(team_id=team.pk).action == "team.created"


@pytest.mark.django_db
def test_teams_of_one_name_differ_by_slug() -> None:
    slugs = {teams.create_team(name="Night Watch", by=SYSTEM).slug for _turn in range(3)}
    assert len(slugs) == 3


@pytest.mark.django_db
def test_a_name_without_latin_letters_has_a_slug() -> None:
    assert teams.create_team(name="夜の番", by=SYSTEM).slug


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["", "  ", "x" * 121, "a\x00b", "a\nb"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(NameRefused):
        teams.create_team(name=name, by=SYSTEM)


@pytest.mark.django_db
def test_no_event_no_team() -> None:
    with refusing_events(), pytest.raises(IntegrityError):
        teams.create_team(name="Night Watch", by=SYSTEM)
    assert not Team.objects.filter(name="Night Watch").exists()


@pytest.mark.django_db
def test_there_is_one_system_team() -> None:
    assert teams.system_team() == teams.system_team()
    with pytest.raises(IntegrityError):
        Team.objects.create(name="Another", slug="another", is_system=True)


@pytest.mark.django_db
def test_a_team_is_found_by_slug_name_or_id() -> None:
    team = teams.create_team(name="Night Watch", by=SYSTEM)
    for text in ("night-watch", "Night Watch", "night watch", str(team.pk)):
        assert teams.find(text) == team


@pytest.mark.django_db
def test_a_name_of_two_teams_is_ambiguous() -> None:
    slugs = [teams.create_team(name="Night Watch", by=SYSTEM).slug for _turn in range(2)]
    with pytest.raises(Ambiguous, match=slugs[1]):
        teams.find("Night Watch")


@pytest.mark.django_db
def test_an_unknown_team_is_not_found() -> None:
    with pytest.raises(NotFound):
        teams.find("nobody")
