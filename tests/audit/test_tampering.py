"""What somebody can do to a team's history with the database and the folder of checkpoints, but
without the keys. Each is found: at once, and after the team has gone on writing."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from memoryweb.audit import checkpoints, keys
from memoryweb.audit.models import ChainHead, Event, Label, Maintenance
from memoryweb.audit.record import SYSTEM, Entry, record, record_all
from memoryweb.audit.verify import verify
from tests.commands.calling import run
from tests.soaking import first_in_gate
from tests.world import World, signed_in


@pytest.fixture
def team(world: World) -> UUID:
    """Its history: three signed checkpoints and an end that is not signed yet, in a database whose
    guards somebody has taken down."""
    Maintenance.objects.create(allowed=True)
    for turn in range(4):
        labels = {"path": f"note-{turn}.md"}
        record_all(world.team.pk, [Entry("file.written", SYSTEM, labels=labels) for _n in range(3)])
        if turn < 3:
            checkpoints.sign(world.team.pk, timezone.now())
    return world.team.pk


# What is done to the chain.


def change_a_column(team: UUID) -> None:
    _middle(team).update(outcome="refused")


def change_what_was_hashed(team: UUID) -> None:
    _middle(team).update(canonical=_other(_middle(team).get()))


def rewrite_an_event(team: UUID) -> None:
    _rewrite(team, _middle(team).get().seq, to_the_end=False)


def rewrite_to_the_end(team: UUID) -> None:
    _rewrite(team, _middle(team).get().seq)


def rewrite_the_unsigned_end(team: UUID) -> None:
    _rewrite(team, _last(team).seq - 1)


def rewrite_all(team: UUID) -> None:
    _rewrite(team, 1)


def remove_an_event(team: UUID) -> None:
    _middle(team).delete()


def remove_the_last_event(team: UUID) -> None:
    Event.objects.filter(pk=_last(team).pk).delete()


def shorten(team: UUID) -> None:
    _shorten(team, _middle(team).get().seq)


def shorten_the_unsigned_end(team: UUID) -> None:
    _shorten(team, _last(team).seq - 1)


def add_an_event(team: UUID) -> None:
    last = _last(team)
    canonical = _other(last)
    added = Event.objects.get(pk=last.pk)
    added.pk, added.seq, added.previous = None, last.seq + 1, last.hash
    added.outcome, added.canonical = "refused", canonical
    said = json.loads(canonical) | {"labels": {}}
    added.canonical = keys.canonical(said)
    added.hash = keys.link(team, added.seq, bytes(last.hash), added.canonical)
    added.save()
    _set_head(team, added)


def swap_two_events(team: UUID) -> None:
    seq = _middle(team).get().seq
    Event.objects.filter(team_id=team, seq=seq).update(seq=10_000)
    Event.objects.filter(team_id=team, seq=seq + 1).update(seq=seq)
    Event.objects.filter(team_id=team, seq=10_000).update(seq=seq + 1)


def remove_the_head(team: UUID) -> None:
    ChainHead.objects.filter(team_id=team).delete()


def remove_all(team: UUID) -> None:
    Event.objects.filter(team_id=team).delete()
    ChainHead.objects.filter(team_id=team).delete()


def change_a_word(team: UUID) -> None:
    Label.objects.filter(event=_last(team)).update(text="another.md")


def erase_a_word(team: UUID) -> None:
    Label.objects.filter(event=_last(team)).update(text="", salt=None)


TO_THE_CHAIN = [
    change_a_column,
    change_what_was_hashed,
    rewrite_an_event,
    rewrite_to_the_end,
    rewrite_the_unsigned_end,
    rewrite_all,
    remove_an_event,
    remove_the_last_event,
    shorten,
    shorten_the_unsigned_end,
    add_an_event,
    swap_two_events,
    remove_the_head,
    remove_all,
    change_a_word,
    erase_a_word,
]


# What is done to the checkpoints: by itself, and so that those left agree with a changed chain.


def cut_the_last(team: UUID) -> None:
    _keep_lines(team, lambda lines: lines[:-1])


def cut_one_between(team: UUID) -> None:
    _keep_lines(team, lambda lines: [*lines[:1], *lines[2:]])


def cut_all_but_the_first(team: UUID) -> None:
    _keep_lines(team, lambda lines: lines[:1])


def empty_the_file(team: UUID) -> None:
    _keep_lines(team, lambda lines: [])


def remove_the_file(team: UUID) -> None:
    _file(team).unlink()


def remove_the_folder(team: UUID) -> None:
    shutil.rmtree(_file(team).parent)


def double_another(team: UUID) -> None:
    _keep_lines(team, lambda lines: [*lines[:2], lines[1]])


def put_another_teams(team: UUID) -> None:
    other = uuid4()
    with transaction.atomic():
        record_all(other, [Entry("file.written", SYSTEM)])
    for _turn in range(3):
        checkpoints.sign(other, timezone.now())
    shutil.copy(_file(other), _file(team))


def sign_with_another_key(team: UUID) -> None:
    key = Ed25519PrivateKey.generate()
    found = list(checkpoints.kept(team))
    public = key.public_key().public_bytes_raw().hex()
    lines = [
        one.told() | {"key": public, "signature": key.sign(one._signed()).hex()} for one in found
    ]
    _file(team).write_text("".join(json.dumps(line) + "\n" for line in lines))


TO_THE_FILE = [
    cut_the_last,
    cut_one_between,
    cut_all_but_the_first,
    empty_the_file,
    remove_the_file,
    remove_the_folder,
    double_another,
    put_another_teams,
    sign_with_another_key,
]


def shorten_to_the_first_checkpoint(team: UUID) -> None:
    cut_all_but_the_first(team)
    _shorten(team, next(checkpoints.kept(team)).seq)


def rewrite_after_the_first_checkpoint(team: UUID) -> None:
    cut_all_but_the_first(team)
    _rewrite(team, next(checkpoints.kept(team)).seq + 1)


def shorten_and_count_one_less(team: UUID) -> None:
    cut_the_last(team)
    _shorten(team, list(checkpoints.kept(team))[-1].seq)
    _count(team, 2)


def rewrite_all_and_remove_the_file(team: UUID) -> None:
    remove_the_file(team)
    _rewrite(team, 1)
    _count(team, 0)


def shorten_to_the_beginning(team: UUID) -> None:
    remove_the_folder(team)
    _shorten(team, 1)
    _count(team, 0)


def remove_all_with_the_file(team: UUID) -> None:
    remove_the_file(team)
    remove_all(team)


def begin_anew(team: UUID) -> None:
    """As before a first event, so that the next one begins a chain."""
    remove_all_with_the_file(team)
    ChainHead.objects.create(team_id=team)


def take_the_seal_away(team: UUID) -> None:
    remove_the_file(team)
    ChainHead.objects.filter(team_id=team).update(seal=b"", checkpoints=0)


TO_BOTH = [
    shorten_to_the_first_checkpoint,
    rewrite_after_the_first_checkpoint,
    shorten_and_count_one_less,
    rewrite_all_and_remove_the_file,
    shorten_to_the_beginning,
    remove_all_with_the_file,
    begin_anew,
    take_the_seal_away,
]


@pytest.mark.parametrize("tamper", [*TO_THE_CHAIN, *TO_THE_FILE, *TO_BOTH])
def test_it_is_found_at_once(world: World, team: UUID, tamper: Callable[[UUID], None]) -> None:
    tamper(team)
    _assert_found(world, team)


# One of each kind, and what is hidden best by what follows, first.
LATER = [rewrite_to_the_end, cut_the_last, begin_anew, remove_the_last_event]


@pytest.mark.parametrize(
    "tamper",
    first_in_gate(
        len(LATER),
        [*LATER, *(t for t in (*TO_THE_CHAIN, *TO_THE_FILE, *TO_BOTH) if t not in LATER)],
    ),
)
def test_it_is_found_later(world: World, team: UUID, tamper: Callable[[UUID], None]) -> None:
    tamper(team)
    _go_on(team)
    _assert_found(world, team)


def _assert_found(world: World, team: UUID) -> None:
    found = verify(team, stands=True)
    assert not found.ok
    assert found.first_bad_seq
    assert found.problem
    assert not _is_whole(world)


def test_what_nobody_touched_is_whole(world: World, team: UUID) -> None:
    assert _is_whole(world)


def test_who_goes_on_after_an_interrupted_signing_is_whole(world: World, team: UUID) -> None:
    """The line came to the file, and the process was killed before it was counted."""
    before = ChainHead.objects.get(team_id=team)
    checkpoints.sign(team, timezone.now())
    ChainHead.objects.filter(team_id=team).update(checkpoints=before.checkpoints, seal=before.seal)
    assert _is_whole(world)
    _go_on(team)
    assert _is_whole(world)
    cut_the_last(team)
    assert not _is_whole(world)


def _is_whole(world: World) -> bool:
    """The command and the page say the same."""
    page = signed_in(world.audrey).get(reverse("web:audit_verify", args=[world.team.slug]))
    shown = "The log is whole" in page.content.decode()
    assert shown == (not run("audit_verify", "--team", world.team.slug).failure)
    assert shown == verify(world.team.pk, stands=True).ok
    return bool(shown)


def _go_on(team: UUID) -> None:
    try:
        with transaction.atomic():
            record(team, Entry("file.written", SYSTEM))
    except IntegrityError:
        pass  # where its number is taken, the team writes nothing more
    checkpoints.sign_moved(timezone.now())


def _middle(team: UUID) -> Any:
    """A signed event with others after it."""
    return Event.objects.filter(team_id=team, seq=next(checkpoints.kept(team)).seq)


def _last(team: UUID) -> Event:
    return Event.objects.filter(team_id=team).latest("seq")


def _other(event: Event) -> bytes:
    return keys.canonical(json.loads(bytes(event.canonical)) | {"outcome": "refused"})


def _rewrite(team: UUID, first: int, to_the_end: bool = True) -> None:
    """Another outcome from that event on, with all hashes and the head as they then are."""
    events = list(Event.objects.filter(team_id=team, seq__gte=first).order_by("seq"))
    for event, before in zip(events, [None, *events], strict=False):
        event.previous = before.hash if before else event.previous
        event.outcome, event.canonical = "refused", _other(event)
        event.hash = keys.link(team, event.seq, bytes(event.previous), event.canonical)
        event.save()
        if not to_the_end:
            return
    _set_head(team, events[-1])


def _shorten(team: UUID, last: int) -> None:
    Event.objects.filter(team_id=team, seq__gt=last).delete()
    _set_head(team, _last(team))


def _set_head(team: UUID, event: Event) -> None:
    ChainHead.objects.filter(team_id=team).update(seq=event.seq, hash=event.hash)


def _file(team: UUID) -> Path:
    return checkpoints._path(team)


def _keep_lines(team: UUID, kept: Callable[[list[str]], list[str]]) -> None:
    path = _file(team)
    path.write_text("".join(kept(path.read_text().splitlines(keepends=True))))


def _count(team: UUID, checkpoints: int) -> None:
    ChainHead.objects.filter(team_id=team).update(checkpoints=checkpoints)
