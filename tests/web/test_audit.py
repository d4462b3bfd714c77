import json
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryweb.audit import checkpoints, keys, verify_export
from memoryweb.audit.models import ChainHead, Event, Maintenance
from memoryweb.web import audit
from memoryweb.web.audit import _row
from tests.web.pages import text, tight, url
from tests.web.stage import NOTE, PERSONAL, Stage


def test_every_event_reads_as_a_sentence(stage: Stage, audrey: Client) -> None:
    page = text(audrey.get(url(stage.world.team, "audit")))
    assert "Wrote a file." in page
    assert "Finished a run." in page


def test_the_filter_stands_in_the_address(stage: Stage, audrey: Client) -> None:
    page = text(audrey.get(url(stage.world.team, "audit", query="?action=run.finished")))
    assert "Finished a run." in page.split('id="events"')[1]
    assert "Wrote a file." not in page.split('id="events"')[1]


def test_one_run_is_followed(stage: Stage, audrey: Client) -> None:
    run = stage.shared_run
    page = text(audrey.get(url(stage.world.team, "audit", query=f"?run={run.pk}")))
    assert page.count(url(stage.world.team, "agents_run", run.pk)) == _events(run.pk)


def test_names_of_personal_files_are_hidden(stage: Stage, audrey: Client) -> None:
    """An event about Bob's note says neither what it holds nor how it is called."""
    target = stage.world.agent.files.get(owner=stage.world.bobs_memory, path=NOTE)
    page = text(audrey.get(url(stage.world.team, "audit", query=f"?target={target.pk}")))
    assert NOTE not in page
    assert PERSONAL not in page


@pytest.mark.parametrize("query", ["?since=yesterday", "?run=1", "?action=nothing", "?page=zz"])
def test_what_is_no_filter_is_no_error(stage: Stage, audrey: Client, query: str) -> None:
    assert audrey.get(url(stage.world.team, "audit", query=query)).status_code == 200


def test_the_same_statements_for_a_full_page(stage: Stage, audrey: Client) -> None:
    address = url(stage.world.team, "audit")
    few = _statements(audrey, f"{address}?action=run.finished")
    assert _statements(audrey, address) == few


def _events(run_id: UUID) -> int:
    return Event.objects.filter(run_id=run_id).count()


def _statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_a_code_is_shown_as_its_words(stage: Stage, bob: Client, audrey: Client) -> None:
    bob.get(url(stage.world.team, "audit"))
    page = text(audrey.get(url(stage.world.team, "audit", query="?outcome=denied")))
    assert "t see the audit log." in page
    assert "see_audit" not in page


def test_done_finds_runs_that_succeeded(stage: Stage, audrey: Client) -> None:
    query = "?outcome=ok&action=run.finished"
    assert "succeeded" in {event.outcome for event in Event.objects.all()}
    page = text(audrey.get(url(stage.world.team, "audit", query=query)))
    assert "Finished a run." in page.split('id="events"')[1]


def _export(stage: Stage, client: Client, kind: str, query: str = "") -> str:
    response = client.post(url(stage.world.team, "audit_export", query=query), {"kind": kind})
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]


def _verified(tmp_path: Path, exported: str, *more: str) -> tuple[int, str]:
    """By another Python process that has nothing of memoryweb."""
    path = tmp_path / "audit.jsonl"
    path.write_text(exported)
    command = [sys.executable, "-I", "-S", verify_export.__file__, str(path), *more]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def test_an_export_is_verified_without_memoryweb(
    stage: Stage, audrey: Client, tmp_path: Path
) -> None:
    first, exported = (_export(stage, audrey, "jsonl") for _time in range(2))
    code, said = _verified(tmp_path, exported, "--key", keys.public_key())
    assert (code, "The chain is whole." in said) == (0, True)
    assert "audit.exported" in exported
    assert "audit.exported" not in first


@pytest.mark.parametrize(
    ("kind", "broken"), [("jsonl", {"canonical": b"\xff"}), ("csv", {"at_us": 10**18})]
)
def test_an_export_that_fails_is_no_event(
    stage: Stage, audrey: Client, kind: str, broken: dict[str, object]
) -> None:
    """Its last event can't be read: that is found when most has been written."""
    Maintenance.objects.update_or_create(pk=1, defaults={"allowed": True})
    last = Event.objects.filter(team_id=stage.world.team.pk).latest("seq")
    Event.objects.filter(pk=last.pk).update(**broken)
    audrey.raise_request_exception = False
    answer = audrey.post(url(stage.world.team, "audit_export"), {"kind": kind})
    assert answer.status_code == 500
    assert not Event.objects.filter(action="audit.exported").exists()


@pytest.mark.parametrize(
    "alter",
    [
        lambda lines: [*lines[:2], *lines[3:]],
        lambda lines: [*lines[:-2], lines[-1]],
        lambda lines: lines[:-1],
        lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
        lambda lines: [*lines[:3], lines[3].replace("at_us", "at_US"), *lines[4:]],
        lambda lines: [*lines[:-1], lines[-1].replace('"signature": "', '"signature": "0')],
        lambda lines: ["{}", *lines[1:]],
        lambda lines: ["[" * 100],
    ],
)
@pytest.mark.first_two
def test_an_altered_export_is_found(
    stage: Stage, audrey: Client, tmp_path: Path, alter: Callable[[list[str]], list[str]]
) -> None:
    lines = _export(stage, audrey, "jsonl").splitlines()
    assert _verified(tmp_path, "\n".join(alter(lines)))[0] == 1


def test_a_key_of_somebody_else_is_refused(stage: Stage, audrey: Client, tmp_path: Path) -> None:
    exported = _export(stage, audrey, "jsonl")
    code, said = _verified(tmp_path, exported, "--key", "00" * 32)
    assert (code, "signed with another key" in said) == (1, True)


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_an_export_holds_exactly_what_the_filter_shows(
    stage: Stage, audrey: Client, tmp_path: Path, kind: str
) -> None:
    query = f"?action=file.written&agent={stage.world.agent.pk}"
    wanted = Event.objects.filter(
        team_id=stage.world.team.pk, action="file.written", agent_id=stage.world.agent.pk
    )
    exported = _export(stage, audrey, kind, query)
    assert (
        0
        < wanted.count()
        == exported.count('\\"action\\":\\"file.written') + exported.count(",file.written,")
    )
    assert "run.finished" not in exported
    if kind == "jsonl":
        assert _verified(tmp_path, exported)[0] == 0


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_an_export_names_no_personal_file(stage: Stage, audrey: Client, kind: str) -> None:
    file = stage.world.agent.files.get(owner=stage.world.bobs_memory, path=NOTE)
    exported = _export(stage, audrey, kind, f"?target={file.pk}")
    assert "file.written" in exported
    assert NOTE not in exported


def test_a_cell_is_never_a_formula() -> None:
    assert _row(["=1+1", "-2", "@x", "plain"]) == "'=1+1,'-2,'@x,plain\r\n"


def test_only_who_sees_the_log_verifies_and_exports(stage: Stage, bob: Client) -> None:
    assert bob.get(url(stage.world.team, "audit_verify")).status_code == 403
    assert bob.post(url(stage.world.team, "audit_export"), {"kind": "csv"}).status_code == 403


def test_people_and_agents_filter(stage: Stage, audrey: Client) -> None:
    def shown(query: str) -> str:
        return text(audrey.get(url(stage.world.team, "audit", query=query)))

    audrey.post(url(stage.world.team, "audit_export"), {"kind": "csv"})
    audreys = shown(f"?actor={stage.world.audrey.pk}").split('id="events"')[1]
    assert "Exported the audit log." in audreys
    assert "Wrote a file." not in audreys
    assert "Wrote a file." in shown(f"?agent={stage.world.agent.pk}").split('id="events"')[1]
    assert "Nothing matches this filter." not in shown(f"?agent={uuid4()}")  # that is no choice


def test_the_page_verifies_the_log(stage: Stage, audrey: Client) -> None:
    assert "The log is whole" in text(audrey.get(url(stage.world.team, "audit_verify")))
    Maintenance.objects.update_or_create(pk=1, defaults={"allowed": True})
    Event.objects.filter(team_id=stage.world.team.pk, seq=3).update(outcome="failed")
    page = tight(audrey.get(url(stage.world.team, "audit_verify")))
    assert "not as it was written is number 3." in page


def test_a_long_log_is_verified_in_steps(
    stage: Stage, audrey: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "_A_STEP", 3)
    page = text(audrey.get(url(stage.world.team, "audit_verify")))
    assert 'name="after" value="3"' in page
    page = text(audrey.get(url(stage.world.team, "audit_verify", query="?after=3")))
    assert 'name="after" value="6"' in page


def _head(stage: Stage) -> dict[str, Any]:
    signed = checkpoints.sign(stage.world.team.pk, timezone.now())
    assert signed
    return signed.told()


def _compared(stage: Stage, client: Client, said: object) -> str:
    pasted = said if isinstance(said, str) else json.dumps(said)
    return tight(client.post(url(stage.world.team, "audit_verify"), {"head": pasted}))


def test_a_head_that_was_kept_is_compared(stage: Stage, audrey: Client) -> None:
    head = _head(stage)
    exported = _export(stage, audrey, "jsonl").splitlines()[-1]
    message = {"type": "checkpoint.signed", "data": {"checkpoint": head}}
    for said in (head, {"checkpoint": head}, message, exported):
        assert "is as it was signed." in _compared(stage, audrey, said)


def test_a_head_of_a_log_that_was_rewritten_since_fits_no_more(
    stage: Stage, audrey: Client
) -> None:
    head = _head(stage)
    Maintenance.objects.update_or_create(pk=1, defaults={"allowed": True})
    last = Event.objects.filter(team_id=stage.world.team.pk, seq=head["seq"])
    last.update(hash=bytes(32))
    assert "The log has another event in this place" in _compared(stage, audrey, head)
    last.delete()
    ChainHead.objects.filter(team_id=stage.world.team.pk).update(seq=head["seq"] - 1)
    assert "The log has another event in this place, or none." in _compared(stage, audrey, head)


def test_a_head_that_a_restored_backup_took_away_is_of_a_declared_gap(
    stage: Stage, audrey: Client
) -> None:
    head, team_id = _head(stage), stage.world.team.pk
    Maintenance.objects.update_or_create(pk=1, defaults={"allowed": True})
    Event.objects.get(team_id=team_id, seq=head["seq"]).delete()
    last = Event.objects.filter(team_id=team_id).latest("seq")
    ChainHead.objects.filter(team_id=team_id).update(seq=last.seq, hash=last.hash)
    checkpoints.declare_gap(team_id, timezone.now() + timedelta(seconds=1), head["seq"])
    assert "Declared gap: a backup was restored" in _compared(stage, audrey, head)


def test_a_head_of_somebody_else_is_none_of_this_log(stage: Stage, audrey: Client) -> None:
    head, twin = _head(stage), str(stage.world.twin.team.pk)
    assert "is a head of another team" in _compared(stage, audrey, head | {"team": twin})
    for name, value in (("key", "00" * 32), ("signature", "00" * 64), ("seq", 1), ("at", "now")):
        assert "not signed with a key of this" in _compared(stage, audrey, head | {name: value})


@pytest.mark.parametrize(
    "said",
    [
        *("", "no JSON", "[]", "{}", "7", "null", "[" * 3000, '{"data": 7}', "9" * 5000),
        '{"team": 1, "seq": 1, "hash": 2, "at": 3, "key": 4, "signature": 5}',
    ],
)
def test_what_is_no_head_is_said(stage: Stage, audrey: Client, said: str) -> None:
    answer = audrey.post(url(stage.world.team, "audit_verify"), {"head": said})
    assert answer.status_code == 422
    assert 'class="errors"' in text(answer)


def test_a_huge_number_in_a_head_is_no_error(stage: Stage, audrey: Client) -> None:
    said = _compared(stage, audrey, _head(stage) | {"seq": 10**40})
    assert "not signed with a key of this" in said


def test_only_who_sees_the_log_compares_heads(
    stage: Stage, bob: Client, vera: Client, charlie: Client
) -> None:
    address, said = url(stage.world.team, "audit_verify"), {"head": json.dumps(_head(stage))}
    codes = [one.post(address, said).status_code for one in (bob, vera, charlie)]
    assert codes == [403, 403, 404]
