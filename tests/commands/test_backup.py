"""A backup is restored that is older than an erasure: nothing that was erased, revoked or removed
is back."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any
from unittest.mock import Mock
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.utils import timezone

from memoryweb.accounts import members, tokens
from memoryweb.accounts.models import Membership, Token
from memoryweb.accounts.permissions import Role
from memoryweb.agents import one_time_codes, owners
from memoryweb.agents.models import OneTimeCode, Owner
from memoryweb.audit import checkpoints, ledger
from memoryweb.audit.record import SYSTEM, Entry, record_all
from memoryweb.commands import restoring
from memoryweb.core import database_copies, home_lock
from memoryweb.llm import choices
from memoryweb.llm.models import TeamEmbedding, TeamModel
from memoryweb.memory.agents import change_agent
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting import Wish, erase_owner, finding, hide, open_request
from memoryweb.memory.models import AuthorKind, ForgetRequest, Message, Receipt
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine
from tests.commands.calling import Answer, run
from tests.forgetting.test_erasing import holding
from tests.world import World, confirm_address

pytestmark = pytest.mark.django_db(transaction=True)
CANARIES = [f"My locker code {n} is Zebrafinch{n}0{n}." for n in range(10)]
SAID = [f"I hid the key {n} below the Quetzal{n} stone." for n in range(6)]
SHARED = [f"The vault {n} opens with Okapi{n}77." for n in range(4)]
WORDS = ("zebrafinch", "quetzal", "okapi")


@pytest.fixture
def home(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(home_lock, "claim", lambda: True)  # held until the process ends
    settings.HOME, settings.SHARED = tmp_path / "home", tmp_path / "shared"
    settings.LEDGER_DIR = str(tmp_path / "second")
    settings.HOME.mkdir()
    settings.SHARED.mkdir()
    (tmp_path / "second").mkdir()
    return tmp_path


@pytest.fixture
def remembering(home: Path, world: World) -> World:
    """Canaries stand in statements of an owner, in what another said, and in shared memory."""
    with write_transaction(world.team) as tx:
        for owner, said in ((world.customer, CANARIES), (None, SHARED)):
            place = Place(world.agent, owner, "MEMORY.md")
            text = "# Memory\n\n" + "".join(f"- {one}\n" for one in said) + "- I like tea.\n"
            write(tx, place, text, writer=Writer(AuthorKind.DREAM, is_vouched=owner is None))
        talk = [
            NewMessage("user", f"Rain. {one} I like tea.", str(n)) for n, one in enumerate(SAID)
        ]
        add_messages(
            tx, agent=world.agent, owner=world.sender, conversation_id="talk", messages=talk
        )
    return world


def erase(world: World, *texts: str, owner: Owner | None) -> None:
    for text in texts:
        with write_transaction(world.team) as tx:
            memory = Memory(world.agent, owner)
            request = open_request(tx, Wish(memory, ForgetRequest.Via.API))
            hide(tx, request, finding.of_text(memory, text).meant, seconds=0)
    work()


def work() -> None:
    engine.tick(timezone.now())
    assert not [one.error for one in engine.run_pending() if one.error]


def erase_all(world: World) -> None:
    """What is shared was moved since, so that no row of the backup is named."""
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.PERSON, user=world.alice)
        write(tx, Place(world.agent, None, "MEMORY.md"), "# Memory\n", writer=writer)
        moved = "# Vaults\n\n" + "".join(f"- {one}\n" for one in SHARED)
        write(tx, Place(world.agent, None, "KNOWLEDGE.md"), moved, writer=writer)
    erase(world, *CANARIES, owner=world.customer)
    erase(world, *SAID[:3], owner=world.sender)
    erase(world, *SAID[3:], owner=world.sender)
    erase(world, *SHARED, owner=None)
    assert left() == set()


def left() -> set[str]:
    return {label for word in WORDS for label in holding(word)}


def restore(home: Path, *options: str) -> Answer:
    """Into the same place, which was emptied."""
    with emptied():
        return run("restore", str(home / "kept"), "--json", *options)


@contextmanager
def emptied() -> Iterator[None]:
    database_copies.empty()
    yield
    connection.close()


@pytest.mark.databases
def test_twenty_canaries_stay_away(home: Path, remembering: World) -> None:
    assert run("backup", str(home / "kept")).failure == ""
    erase_all(remembering)
    assert Receipt.objects.filter(in_ledger=True).count() == 20
    done = restore(home)
    assert done.failure == ""
    assert (done.json["told"], done.json["missing"]) == (4, [])
    assert left() == set()
    assert holding("like tea") >= {"memory.File", "memory.Message", "memory.Fact"}
    assert not home_lock.restoring().exists()
    assert sum(len(one.read_bytes()) for one in (home / "second").iterdir())
    assert not any(word in one for word in WORDS for one in told(home))


def told(home: Path) -> list[str]:
    return [one.read_text().casefold() for one in (home / "second").iterdir()]


def test_who_was_sent_away_stays_away(home: Path, world: World) -> None:
    """Also whoever got another copy of a link, and a whole person's memory."""
    person = Membership.objects.get(user=world.bob, team=world.team)
    token, _secret = tokens.issue(
        team=world.team, by=SYSTEM, name="ci", scopes=["chat"], integration=world.home.integration
    )
    invited, _secret = members.invite(
        team=world.team, email="eve@harbour.example", role=Role.MEMBER, by=SYSTEM
    )
    one_time_codes.issue(
        owner=world.customer,
        purpose=OneTimeCode.Purpose.VISIT,
        integration=world.home.integration,
        by=SYSTEM,
    )
    confirm_address(world, world.sender)
    talk = [NewMessage("user", "I met a Zebrafinch.", "1")]
    with write_transaction(world.team) as tx:
        add_messages(
            tx, agent=world.agent, owner=world.customer, conversation_id="talk", messages=talk
        )
    assert run("backup", str(home / "kept")).failure == ""
    tokens.revoke(token=token, by=SYSTEM)
    members.remove_member(membership=person, by=SYSTEM)
    members.withdraw(invitation=invited, by=SYSTEM)
    one_time_codes.withdraw(owner=world.customer, by=SYSTEM)
    one_time_codes.remove_address(owner=world.sender, by=SYSTEM)
    with write_transaction(world.team) as tx:
        erase_owner(tx, world.customer)
    work()
    done = restore(home)
    assert done.failure == ""
    assert done.json["revoked"] == 5
    assert Token.objects.get(pk=token.pk).revoked_at is not None
    assert not Membership.objects.filter(user=world.bob, team=world.team).exists()
    assert members.find_open(str(invited.pk)) is None
    assert not any(link.is_live for link in one_time_codes.links_of([world.customer.pk]))
    assert one_time_codes.confirmed_address(world.sender) is None
    assert left() == set()
    assert not Message.objects.filter(conversation__owner=world.customer).exists()


def test_what_was_switched_off_stays_off(home: Path, world: World) -> None:
    """A pause, a host that is asked nothing any more; and whose sign-in alone was over is back."""
    agent, owner, team = world.agent, world.customer, world.team
    choices.choose(team_id=team.pk, choice="none", by=SYSTEM, table=TeamModel)
    row = TeamEmbedding.objects.create(team_id=team.pk, choice="installation")
    owners.set_paused(owner=owner, paused=True, by=SYSTEM)
    theirs = Membership.objects.get(user=world.bob, team=team)
    assert run("backup", str(home / "kept")).failure == ""
    choices.choose(team_id=team.pk, choice="none", by=SYSTEM, table=TeamEmbedding)
    owners.set_paused(owner=owner, paused=False, by=SYSTEM, what=("using",))
    with write_transaction(team) as tx:
        change_agent(tx, agent, local_models_only=True)
        members.record_change("member.removed", theirs, SYSTEM, "sign_in_over")
    assert restore(home).json["revoked"] == 3
    row.refresh_from_db()
    agent.refresh_from_db()
    owner.refresh_from_db()
    assert (row.choice, agent.local_models_only) == ("none", True)
    assert (owner.keeping, owner.using) == (False, True)
    assert Membership.objects.filter(pk=theirs.pk).exists()


def test_without_the_ledger_it_is_back_and_admins_are_told(home: Path, world: World) -> None:
    assert run("backup", str(home / "kept")).failure == ""
    with write_transaction(world.team) as tx:
        tx.record("team.changed")
    later = checkpoints.sign(world.team.pk, timezone.now())
    assert later is not None
    for path in [*(home / "second").iterdir(), *checkpoints_folder().glob("*.ledger")]:
        path.unlink()
    with emptied():
        refused = run("restore", str(home / "kept"))
        assert "is older than this backup, or not there" in refused.failure
        assert database_copies.is_empty()
        assert not home_lock.restoring().exists()
        assert "is back" in run("restore", str(home / "kept"), "--without-ledger").output
    head = json.dumps(later.told())
    assert "Declared gap" in run("audit_verify", "--head", head).output
    assert "Declared gap" in run("audit_verify").output
    assert run("audit_verify", "--head", head.replace("2026", "2025")).failure
    checkpoints.unledgered_at.cache_clear()
    assert checkpoints.unledgered_at(world.team.pk) is not None
    assert run("restore", "--hide-warning").failure == ""
    checkpoints.unledgered_at.cache_clear()
    assert checkpoints.unledgered_at(world.team.pk) is None


def test_what_can_t_be_done_is_told(home: Path) -> None:
    assert (
        "cannot be used" in run("backup", str(home / "kept"), "--passphrase-file", "none").failure
    )
    assert "its folder is not there" in run("backup", str(home / "none" / "kept")).failure
    assert "There is no file" in run("restore", str(home / "kept")).failure
    (home / "kept").touch()
    assert "there is a file already" in run("backup", str(home / "kept")).failure
    assert "is no whole backup" in run("restore", str(home / "kept")).failure
    (home / "kept").unlink()
    assert run("backup", str(home / "kept")).failure == ""
    assert "is not empty" in run("restore", str(home / "kept")).failure
    assert not home_lock.restoring().exists()


def test_a_restore_that_was_cut_short_stops_every_host(
    home: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("backup", str(home / "kept")).failure == ""
    settings.HOME = home / "another"
    settings.HOME.mkdir()
    with emptied(), monkeypatch.context() as patched:
        patched.setattr(restoring, "begin", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run("restore", str(home / "kept"))
    settings.HOME = home / "home"
    with pytest.raises(home_lock.HalfRestored):
        home_lock.check()
    assert run("restore", str(home / "kept")).failure == ""
    home_lock.check()


def checkpoints_folder() -> Path:
    return ledger.path_of(UUID(int=0)).parent


@pytest.mark.only_on("sqlite", why="pg_dump reads one snapshot by itself")
def test_a_copy_is_of_one_moment_while_others_write(home: Path, world: World) -> None:
    ended = Event()

    def write_on() -> None:
        while not ended.is_set():
            with transaction.atomic():
                record_all(world.team.pk, [Entry("file.written", SYSTEM) for _n in range(20)])
        connection.close()

    writer = Thread(target=write_on)
    writer.start()
    try:
        for n in range(5):
            database_copies.dump(home / str(n))
    finally:
        ended.set()
        writer.join()
    heads = []
    for n in range(5):
        with closing(sqlite3.connect(home / str(n))) as copy:
            ((seq, hash_),) = copy.execute(
                "SELECT seq, hash FROM audit_chainhead WHERE team_id = ?", [world.team.pk.hex]
            )
            last = "SELECT max(seq), count(*), max(hash) FILTER (WHERE seq = ?) FROM audit_event"
            found = copy.execute(f"{last} WHERE team_id = ?", [seq, world.team.pk.hex]).fetchone()
            assert found == (seq, seq, hash_)
            assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            heads.append(seq)
    assert heads[0] < heads[-1]
