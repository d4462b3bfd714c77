"""The ledger: signed, each entry bound to the one before, the same in a second place."""

import json
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from memoryweb.audit import checkpoints, ledger
from memoryweb.audit.ledger import ERASED, HEAD, LedgerEntry, LedgerRefused, LedgerUnavailable
from memoryweb.audit.models import ChainHead, Maintenance
from memoryweb.audit.record import SYSTEM, Entry, lock, record, record_all
from memoryweb.commands import restoring

TEAM = uuid.UUID(int=7)
AGENT, OWNER = uuid.UUID(int=8), uuid.UUID(int=9)
TOKEN = str(uuid.UUID(int=10))


@pytest.fixture
def second(db: None, settings: Any, tmp_path: Path) -> Path:
    Maintenance.objects.create(allowed=True)
    settings.LEDGER_DIR = str(tmp_path)
    record_all(TEAM, [Entry("file.written", SYSTEM) for _n in range(3)])
    return tmp_path / f"{TEAM}.ledger"


def head() -> ChainHead:
    return ChainHead.objects.get(team_id=TEAM)


def write(*entries: LedgerEntry) -> None:
    with transaction.atomic():
        ledger.write(lock(TEAM), timezone.now(), *entries)


def erased(seq: int = 3) -> LedgerEntry:
    places = (ledger.Place(print=ledger.print_of(AGENT, OWNER, "I weigh 62 kilos.")[0], words=4),)
    return LedgerEntry(str(TEAM), seq, ERASED, places, str(AGENT), str(OWNER))


def read() -> list[LedgerEntry]:
    folder = ledger.path_of(TEAM).parent
    return [entry for _digest, entry in ledger.read(TEAM, [folder])]


def test_entries_are_read_as_they_were_written(second: Path) -> None:
    checkpoints.sign(TEAM, timezone.now())
    write(erased())
    assert [(one.what, one.seq) for one in read()] == [(HEAD, 3), (ERASED, 3)]
    assert read()[1].places == erased().places
    assert read()[0].hash == bytes(head().hash).hex()


def test_what_was_revoked_is_told_by_the_chain(second: Path) -> None:
    """Also what nobody told in time: the next entry tells it first."""
    gone = Entry("token.revoked", SYSTEM, target_kind="token", target_id=TOKEN)
    record_all(TEAM, [gone, Entry("file.written", SYSTEM)])
    write(erased(5))
    write()
    assert [(one.what, one.seq) for one in read()] == [("token.revoked", 4), (ERASED, 5)]
    assert read()[0].places[0].row == TOKEN


def test_the_second_place_has_the_same_bytes(second: Path) -> None:
    write(erased())
    assert ledger.deliver(TEAM)
    write(erased())
    assert ledger.deliver(TEAM)
    assert second.read_bytes() == ledger.path_of(TEAM).read_bytes()
    second.write_bytes(second.read_bytes()[:-40])  # a crash cut it off
    ledger.deliver(TEAM)
    assert second.read_bytes() == ledger.path_of(TEAM).read_bytes()
    second.write_bytes(b"x" * 10)
    with pytest.raises(LedgerUnavailable, match="another ledger"):
        ledger.deliver(TEAM)


def test_a_second_place_that_is_away_is_told(second: Path, settings: Any) -> None:
    write(erased())
    settings.LEDGER_DIR = str(second.parent / "unmounted")
    with pytest.raises(LedgerUnavailable, match="unmounted"):
        ledger.deliver(TEAM)
    assert not (second.parent / "unmounted").exists()


def test_an_address_gets_what_it_has_not_yet(second: Path, settings: Any) -> None:
    taken: list[bytes] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(500 if len(taken) == 2 else 204)
            self.end_headers()

        def log_message(self, *_given: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    settings.LEDGER_DIR, settings.LEDGER_URL = "", f"http://127.0.0.1:{server.server_port}/"
    write(erased())
    assert ledger.deliver(TEAM)
    write(erased())
    with pytest.raises(LedgerUnavailable, match="500"):
        ledger.deliver(TEAM)
    ledger.deliver(TEAM)
    ledger.deliver(TEAM)
    server.shutdown()
    assert len(taken) == 3
    assert taken[1] == taken[2]
    assert taken[0] + taken[2] == ledger.path_of(TEAM).read_bytes()


def test_an_entry_that_was_cut_off_is_written_over(second: Path) -> None:
    write(erased())
    path = ledger.path_of(TEAM)
    path.write_bytes(path.read_bytes() + b'{"team": "0000')
    assert len(read()) == 1
    write(erased())
    assert len(read()) == 2


@pytest.mark.parametrize("field", ["team", "seq", "what", "agent", "at", "previous", "signature"])
def test_a_changed_entry_is_refused(second: Path, field: str) -> None:
    write(erased(), erased())
    path = ledger.path_of(TEAM)
    lines = path.read_text().splitlines()
    said = json.loads(lines[0])
    said[field] = 4 if field == "seq" else "00" * 32
    path.write_text("\n".join([json.dumps(said), lines[1]]) + "\n")
    with pytest.raises(LedgerRefused, match="entry 1"):
        read()


def test_an_entry_that_was_left_out_is_refused(second: Path) -> None:
    write(erased(), erased(), erased())
    path = ledger.path_of(TEAM)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + lines[2])
    with pytest.raises(LedgerRefused, match="entry 2"):
        read()


def test_another_key_of_prints_is_told_at_once(second: Path, settings: Any) -> None:
    write(erased())
    settings.LEDGER_SECRET = "another"
    with pytest.raises(LedgerUnavailable, match="another ledger-key"):
        write(erased())
    with pytest.raises(LedgerRefused, match="another ledger-key"):
        read()


def test_a_ledger_that_is_older_than_the_backup_is_refused(second: Path) -> None:
    folders = [second.parent]
    write(erased())
    ledger.deliver(TEAM)
    since = {"ledger": {str(TEAM): ledger.newest(TEAM)}}
    record(TEAM, Entry("file.written", SYSTEM))
    with pytest.raises(LedgerRefused, match="older than this backup"):
        restoring.told_since(since, folders)
    with transaction.atomic():
        ledger.write_head(lock(TEAM), timezone.now())
    write(erased(4))
    with pytest.raises(LedgerRefused, match="older than this backup"):
        restoring.told_since(since, folders)
    ledger.deliver(TEAM)
    assert [one.what for one in restoring.told_since(since, folders)[TEAM]] == [HEAD, ERASED]
    strange = {"ledger": {str(TEAM): "00" * 32}}
    with pytest.raises(LedgerRefused, match="older than this backup"):
        restoring.told_since(strange, folders)


def test_words_are_known_again_wherever_they_stand(settings: Any) -> None:
    made, words = ledger.print_of(AGENT, OWNER, "I weigh 62 kilos.")
    text = "Rain.\n- 08:00 “I  WEIGH 62\nkilos”, and tea."
    assert [text[a:b] for _p, a, b in ledger.spans(AGENT, OWNER, text, {words: {made}})] == [
        "I  WEIGH 62\nkilos"
    ]
    assert not list(ledger.spans(AGENT, OWNER, "I weigh 62 kilograms.", {words: {made}}))
    made, words = ledger.print_of(AGENT, None, "猫が好き")
    assert list(ledger.spans(AGENT, None, "私は猫が好きです。", {words: {made}})) == [(made, 2, 6)]
    settings.LEDGER_SECRET = "another"
    assert ledger.print_of(AGENT, None, "猫が好き")[0] != made


def test_two_memories_have_two_prints() -> None:
    """Who has the ledger alone can't tell that two people said the same."""
    prints = {ledger.print_of(AGENT, owner, "I weigh 62 kilos.")[0] for owner in (OWNER, None)}
    assert len(prints) == 2


def test_prints_are_not_made_of_the_secret_key(settings: Any) -> None:
    before = ledger.print_of(AGENT, OWNER, "I weigh 62 kilos.")
    settings.SECRET_KEY = "another"
    assert ledger.print_of(AGENT, OWNER, "I weigh 62 kilos.") == before
