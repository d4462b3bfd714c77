import pytest

from memoryweb.accounts import tokens
from memoryweb.accounts.models import Integration, Membership, Team, Token, User
from memoryweb.audit.models import ChainHead, Event, Maintenance
from memoryweb.audit.triggers import create_triggers, drop_triggers
from tests.commands.calling import run
from tests.world import World, personal_token

TEAM = "--team=harbour"


@pytest.mark.django_db
def test_create_team_says_its_slug() -> None:
    answer = run("create_team", "--name", "Night Watch")
    assert "night-watch" in answer.output
    assert Team.objects.filter(slug="night-watch").exists()


@pytest.mark.django_db
def test_create_team_fails_on_a_blank_name() -> None:
    assert run("create_team", "--name", " ").failure == "A name has 1 to 120 characters."


def test_add_member_makes_a_person_who_can_sign_in(world: World) -> None:
    run("add_member", TEAM, "--email=n@example.org", "--role=viewer", "--password=long enough")
    user = User.objects.get(email="n@example.org")
    assert user.check_password("long enough")
    assert user.memberships.get().role == "viewer"


def test_add_member_says_when_a_password_was_not_taken(world: World) -> None:
    answer = run(
        "add_member",
        "--team=" + world.twin.team.slug,
        "--email=bob@example.org",
        "--role=viewer",
        "--password=something new",
        "--json",
    )
    assert answer.json["passwordKept"] is True


def test_add_member_takes_a_last_day(world: World) -> None:
    run("add_member", TEAM, "--email=n@example.org", "--role=auditor", "--until=2999-12-31")
    ends_at = Membership.objects.get(user__email="n@example.org").ends_at
    assert ends_at
    assert ends_at.isoformat().startswith("2999-12-31T23:59")


@pytest.mark.parametrize("day", ["tomorrow", "2999-02-30", "2001-01-01"])
def test_add_member_refuses_a_day_that_cannot_be(world: World, day: str) -> None:
    assert run(
        "add_member", TEAM, "--email=n@example.org", "--role=auditor", f"--until={day}"
    ).failure
    assert not User.objects.filter(email="n@example.org").exists()


def test_remove_member_removes(world: World) -> None:
    assert not run("remove_member", TEAM, "--email=bob@example.org").failure
    assert not world.bob.memberships.exists()


def test_remove_member_keeps_the_last_admin(world: World) -> None:
    assert "at least one admin" in run("remove_member", TEAM, "--email=alice@example.org").failure


def test_create_integration_takes_channels_and_agents_by_name(world: World) -> None:
    run("create_integration", TEAM, "--name=Line", "--channels=slack, feishu", "--agents=atlas")
    made = Integration.objects.get(name="Line")
    assert made.channels == ["feishu", "slack"]
    assert made.agents == [str(world.agent.pk)]


def test_create_integration_refuses_an_unknown_agent(world: World) -> None:
    assert "no agent" in run("create_integration", TEAM, "--name=Line", "--agents=Zed").failure


@pytest.mark.parametrize("holder", ["--email=bob@example.org", "--integration=helpdesk"])
def test_create_token_prints_the_token_alone(world: World, holder: str) -> None:
    answer = run("create_token", TEAM, holder, "--name=Script")
    token = tokens.recognise(answer.output.strip())
    assert token
    assert token.name == "Script"
    assert str(token) in answer.errors


def test_create_token_takes_scopes_and_days(world: World) -> None:
    secret = run(
        "create_token",
        TEAM,
        "--email=bob@example.org",
        "--name=Script",
        "--scopes=memory:read,dream:run",
        "--days=7",
    ).output.strip()
    token = tokens.recognise(secret)
    assert token
    assert token.scopes == ["dream:run", "memory:read"]
    assert (token.expires_at - token.created_at).days in {6, 7}


def test_create_token_makes_one_that_writes_as_its_person_alone(world: World) -> None:
    asked = ("create_token", TEAM, "--name=Script", "--act-as-person")
    token = tokens.recognise(run(*asked, "--email=bob@example.org").output.strip())
    assert token
    assert token.act_as_person
    assert "personal token" in run(*asked, "--integration=helpdesk").failure


def test_create_token_fails_for_a_stranger(world: World) -> None:
    answer = run("create_token", TEAM, "--email=charlie@example.org", "--name=Script")
    assert (answer.output, bool(answer.failure)) == ("", True)


def test_create_token_needs_one_holder(world: World) -> None:
    assert run("create_token", TEAM, "--name=Script").failure
    assert run(
        "create_token", TEAM, "--name=S", "--email=bob@example.org", "--integration=helpdesk"
    ).failure
    assert not Token.objects.exists()


def test_revoke_token_revokes(world: World) -> None:
    secret = personal_token(world.team, world.bob)
    assert not run("revoke_token", TEAM, secret).failure
    assert tokens.recognise(secret) is None


def test_revoke_token_fails_the_second_time(world: World) -> None:
    secret = personal_token(world.team, world.bob)
    run("revoke_token", TEAM, secret)
    assert run("revoke_token", TEAM, secret).failure == "This is already revoked."


def test_a_failure_in_json_says_why(world: World) -> None:
    answer = run("remove_member", "--team=nowhere", "--email=bob@example.org", "--json")
    assert answer.json == {
        "ok": False,
        "message": "There is no team “nowhere”.",
        "code": "not_found",
    }
    assert answer.failure


def test_what_a_command_did_is_the_systems_act(world: World) -> None:
    run("remove_member", TEAM, "--email=bob@example.org")
    assert Event.objects.get(action="member.removed").actor_kind == "system"


def test_audit_verify_speaks_of_every_chain(world: World) -> None:
    answer = run("audit_verify", "--json")
    assert answer.json["ok"]
    assert {team["team"] for team in answer.json["teams"]} == {
        world.team.slug,
        world.twin.team.slug,
    }


def test_audit_verify_names_the_first_bad_event(world: World) -> None:
    Maintenance.objects.create(allowed=True)
    Event.objects.filter(team_id=world.team.pk, seq__in=[2, 4]).update(outcome="refused")
    answer = run("audit_verify", TEAM)
    assert "harbour: the chain breaks at event 2." in answer.failure


def test_audit_verify_of_one_team_leaves_others_out(world: World) -> None:
    Maintenance.objects.create(allowed=True)
    Event.objects.filter(team_id=world.twin.team.pk).update(outcome="refused")
    assert not run("audit_verify", TEAM).failure
    assert run("audit_verify").failure


def test_audit_verify_misses_a_chain_that_was_wiped_with_its_head(world: World) -> None:
    Maintenance.objects.create(allowed=True)
    Event.objects.filter(team_id=world.team.pk).delete()
    ChainHead.objects.filter(team_id=world.team.pk).delete()
    assert "harbour: the chain breaks at event 1. The whole chain is missing." in (
        run("audit_verify").failure
    )


def test_audit_verify_says_what_it_cannot_see_and_what_to_keep(world: World) -> None:
    answer = run("audit_verify", TEAM)
    head = ChainHead.objects.get(team_id=world.team.pk)
    assert bytes(head.hash).hex() in answer.output
    assert "keep a copy of the checkpoints on another machine" in answer.output


def test_audit_verify_says_that_nothing_protects_the_events(world: World) -> None:
    drop_triggers()
    answer = run("audit_verify", TEAM)
    create_triggers()
    assert "does not protect audit events" in answer.failure


@pytest.mark.django_db
def test_audit_verify_of_an_empty_installation_passes() -> None:
    assert run("audit_verify").output == "There are no audit events yet.\n"
