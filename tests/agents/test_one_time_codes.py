"""One-time codes and links: once, for a short while, in one team, for one person."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts.integrations import revoke_integration
from memoryweb.accounts.models import User
from memoryweb.agents import one_time_codes
from memoryweb.agents.exceptions import CodeRefused, OwnerRefused, TooManyCodes, TooManyTries
from memoryweb.agents.models import OneTimeCode, Owner
from memoryweb.agents.one_time_codes import (
    MOST_CODES,
    MOST_TRIES,
    Purpose,
    issue,
    open_visit,
    redeem_link,
    redeem_visit,
    unlink,
)
from memoryweb.agents.owners import room_owner, system_owner
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM, Actor
from tests.accounts.refusal import refusing_events
from tests.snapshot import restored_world
from tests.waiting import SECONDS
from tests.world import Home, World

WRONG = "AAAA-AAAA"


def code_for(home: Home, owner: Owner | None = None) -> str:
    return _secret(home, owner or home.sender, Purpose.LINK)


def link_for(home: Home, owner: Owner | None = None) -> str:
    return _secret(home, owner or home.customer, Purpose.VISIT)


def _secret(home: Home, owner: Owner, purpose: Purpose) -> str:
    issued = issue(owner=owner, integration=home.integration, purpose=purpose, by=SYSTEM)
    return issued.secret


def by(user: User) -> Actor:
    return Actor("person", str(user.pk), "member")


def redeem(world: World, code: str, user: User | None = None) -> Owner:
    user = user or world.bob
    return redeem_link(team=world.team, user=user, code=code, by=by(user))


def age(minutes: int) -> None:
    moment = timezone.now() - timedelta(minutes=minutes)
    for code in OneTimeCode.objects.all():
        OneTimeCode.objects.filter(pk=code.pk).update(
            created_at=moment, expires_at=code.expires_at - timedelta(minutes=minutes)
        )


def actions(world: World) -> list[str]:
    events = Event.objects.filter(team_id=world.team.pk).order_by("seq")
    return list(events.values_list("action", flat=True))


def test_a_code_links_the_owner_to_who_types_it(world: World) -> None:
    redeem(world, code_for(world.home))
    world.sender.refresh_from_db()
    assert world.sender.person == world.bob
    assert actions(world)[-2:] == ["owner.code_issued", "owner.linked"]


@pytest.mark.parametrize("change", [str.lower, lambda c: c.replace("-", ""), lambda c: f" {c} "])
def test_a_code_may_be_typed_loosely(world: World, change: "type[str]") -> None:
    assert redeem(world, change(code_for(world.home))) == world.sender


def test_a_code_is_easily_read_aloud(world: World) -> None:
    code = code_for(world.home)
    assert len(code) == 9
    assert not set(code) & set("01OIL")


def test_only_a_keyed_hash_is_kept(world: World) -> None:
    code = code_for(world.home)
    kept = OneTimeCode.objects.values().get()
    assert code not in str(kept)
    assert code.replace("-", "") not in str(kept)


def test_a_code_works_once(world: World) -> None:
    code = code_for(world.home)
    redeem(world, code)
    with pytest.raises(CodeRefused):
        redeem(world, code, world.vera)
    world.sender.refresh_from_db()
    assert world.sender.person == world.bob


def test_a_code_ends_after_ten_minutes(world: World) -> None:
    code = code_for(world.home)
    age(minutes=10)
    with pytest.raises(CodeRefused):
        redeem(world, code)


def test_a_new_code_ends_the_older_one(world: World) -> None:
    old, new = code_for(world.home), code_for(world.home)
    with pytest.raises(CodeRefused):
        redeem(world, old)
    assert redeem(world, new) == world.sender


def test_a_code_of_another_team_is_wrong_here(world: World) -> None:
    code = code_for(world.twin)
    with pytest.raises(CodeRefused):
        redeem(world, code)
    assert Owner.objects.get(pk=world.twin.sender.pk).person is None


def test_a_revoked_integrations_codes_are_wrong(world: World) -> None:
    code, link = code_for(world.home), link_for(world.home)
    revoke_integration(integration=world.integration, by=SYSTEM)
    with pytest.raises(CodeRefused):
        redeem(world, code)
    with pytest.raises(CodeRefused):
        redeem_visit(link)


def test_every_refusal_reads_the_same(world: World) -> None:
    used, foreign = code_for(world.home), code_for(world.twin)
    redeem(world, used)
    said = set()
    for code in (used, foreign, WRONG, "", "\0", "\ud800"):
        try:
            redeem(world, code)
        except (CodeRefused, TooManyTries) as refused:
            said.add(str(refused))
    assert said == {str(CodeRefused()), str(TooManyTries(one_time_codes.WINDOW))}


def test_a_link_is_no_code_and_a_code_no_link(world: World) -> None:
    with pytest.raises(CodeRefused):
        redeem_visit(code_for(world.home))
    with pytest.raises(CodeRefused):
        redeem(world, link_for(world.home))


def test_who_guesses_wrong_five_times_has_to_wait(world: World) -> None:
    for _turn in range(MOST_TRIES):
        with pytest.raises(CodeRefused):
            redeem(world, WRONG)
    code = code_for(world.home)
    with pytest.raises(TooManyTries):
        redeem(world, code)
    assert redeem(world, code, world.vera) == world.sender


def test_those_who_guess_together_have_to_wait_all_of_them(world: World) -> None:
    for guesser in range(one_time_codes.MOST_TRIES_OF_TEAM):
        somebody = Actor("person", str(guesser), "member")
        with pytest.raises(CodeRefused):
            redeem_link(team=world.team, user=world.bob, code=WRONG, by=somebody)
    code = code_for(world.home)
    with pytest.raises(TooManyTries):
        redeem(world, code)
    with scope(team=world.twin.team):
        assert redeem_link(
            team=world.twin.team, user=world.bob, code=code_for(world.twin), by=by(world.bob)
        )


def test_an_integration_has_a_hundred_codes_at_once_and_links_still(world: World) -> None:
    code_for(world.home)
    one = OneTimeCode.objects.get()
    OneTimeCode.objects.bulk_create(
        OneTimeCode(
            team=world.team,
            owner=world.customer,
            integration=world.integration,
            purpose=Purpose.LINK,
            sha256=str(number),
            expires_at=one.expires_at,
        )
        for number in range(one_time_codes.MOST_LIVE_CODES)
    )
    with pytest.raises(TooManyCodes):
        code_for(world.home)
    assert link_for(world.home, world.sender)
    age(minutes=10)
    assert code_for(world.home)


def test_each_wrong_try_is_an_event_of_who_tried(world: World) -> None:
    with pytest.raises(CodeRefused):
        redeem(world, WRONG)
    event = Event.objects.filter(team_id=world.team.pk).latest("seq")
    assert (event.action, event.outcome) == ("owner.link_refused", "refused")
    assert event.actor_id == str(world.bob.pk)
    assert WRONG not in bytes(event.canonical).decode()


def test_a_try_whose_event_cannot_be_written_is_no_try(world: World) -> None:
    code = code_for(world.home)
    with refusing_events(), pytest.raises(DatabaseError):
        redeem(world, code)
    world.sender.refresh_from_db()
    assert world.sender.person is None
    assert redeem(world, code) == world.sender


def test_an_owner_of_another_person_cannot_be_taken(world: World) -> None:
    redeem(world, code_for(world.home))
    code = code_for(world.home)
    with pytest.raises(OwnerRefused):
        redeem(world, code, world.vera)
    world.sender.refresh_from_db()
    assert world.sender.person == world.bob


def test_rooms_the_system_and_members_get_no_code(world: World) -> None:
    room = room_owner(world.team, "slack", "C1")
    for owner in (room, system_owner(world.team), world.bobs_memory):
        for purpose in Purpose:
            with pytest.raises(OwnerRefused):
                issue(owner=owner, integration=world.integration, purpose=purpose, by=SYSTEM)
    assert not OneTimeCode.objects.exists()


def test_too_many_codes_for_one_owner_are_refused(world: World) -> None:
    for _turn in range(MOST_CODES):
        code_for(world.home)
    with pytest.raises(TooManyCodes):
        code_for(world.home)
    age(minutes=16)
    assert code_for(world.home)


def test_the_person_unlinks_again(world: World) -> None:
    owner = redeem(world, code_for(world.home))
    assert unlink(owner=owner, user=world.bob, by=by(world.bob))
    world.sender.refresh_from_db()
    assert world.sender.person is None
    assert actions(world)[-1] == "owner.unlinked"


def test_nobody_else_unlinks(world: World) -> None:
    owner = redeem(world, code_for(world.home))
    assert not unlink(owner=owner, user=world.alice, by=by(world.alice))
    assert not unlink(owner=world.bobs_memory, user=world.bob, by=by(world.bob))
    world.sender.refresh_from_db()
    assert world.sender.person == world.bob


def test_a_link_opens_one_visit(world: World) -> None:
    secret = link_for(world.home)
    opened = redeem_visit(secret)
    assert opened.owner == world.customer
    with pytest.raises(CodeRefused):
        redeem_visit(secret)
    assert actions(world).count("visit.opened") == 1


def test_a_link_ends_unused_after_a_day(world: World) -> None:
    secret = link_for(world.home)
    age(minutes=24 * 60)
    with pytest.raises(CodeRefused):
        redeem_visit(secret)


def test_a_visit_lasts_half_an_hour(world: World) -> None:
    opened = redeem_visit(link_for(world.home))
    assert open_visit(str(opened.pk)) == opened
    age(minutes=31)
    assert open_visit(str(opened.pk)) is None


def test_an_unused_link_is_no_visit(world: World) -> None:
    link_for(world.home)
    assert open_visit(str(OneTimeCode.objects.get().pk)) is None


def test_a_visit_ends_with_its_integration(world: World) -> None:
    opened = redeem_visit(link_for(world.home))
    revoke_integration(integration=world.integration, by=SYSTEM)
    assert open_visit(str(opened.pk)) is None


def test_the_hash_alone_finds_the_team(world: World) -> None:
    secret = link_for(world.home)
    with scope():
        opened = redeem_visit(secret)
        assert open_visit(str(opened.pk)) is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("purpose", Purpose)
def test_of_two_who_redeem_at_once_one_wins(purpose: Purpose) -> None:
    world = restored_world()
    code = code_for(world.home) if purpose == Purpose.LINK else link_for(world.home)
    barrier = Barrier(2)

    def run(user: User) -> bool:
        try:
            barrier.wait(SECONDS)
            with scope(team=world.team):
                redeem(world, code, user) if purpose == Purpose.LINK else redeem_visit(code)
        except CodeRefused:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(run, (world.bob, world.vera))) == [False, True]
    assert OneTimeCode.objects.filter(used_at__isnull=False).count() == 1
