"""What was held of a statement at a moment: as a page, and as a pack that is checked elsewhere."""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.models import Owner, Reader
from memoryweb.audit import keys, verify_export
from memoryweb.audit.models import Event, Label
from memoryweb.audit.record import SYSTEM, erase_labels_of
from memoryweb.memory import facts as deciding
from memoryweb.memory import forgetting, prompt
from memoryweb.memory.models import AuthorKind, Fact, Injection
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing import write
from memoryweb.runs import engine
from tests.web.pages import text, tight, url
from tests.web.stage import CUSTOMERS, PERSONAL, SHARED, Stage


def _fact(stage: Stage, owner: Owner | None = None) -> Fact:
    return Fact.objects.of(stage.world.agent.pk, owner.pk if owner else None).living().get()


def _asked(stage: Stage, owner: Owner | None = None) -> None:
    """A prompt is built and handed out."""
    with write_transaction(stage.world.team) as tx:
        reader = Reader(stage.world.agent, owner)
        prompt.served(tx, prompt.build(reader, "When is the release?"))


def _page(stage: Stage, fact: Fact, at: datetime | None = None, owner: str = "") -> str:
    asked = f"?fact={fact.pk}" + (f"&at={at:%Y-%m-%dT%H:%M:%S.%fZ}" if at else "")
    more = f"&owner={owner}" if owner else ""
    return url(stage.world.team, "agents_moments", stage.world.agent.pk, query=asked + more)


def _pack(stage: Stage, client: Client, fact: Fact, **more: Any) -> Any:
    owner = f"?owner={fact.owner_id}" if fact.owner_id else ""
    address = url(stage.world.team, "agents_fact_pack", stage.world.agent.pk, fact.pk, query=owner)
    return client.post(address, {"at": timezone.now().isoformat(), **more})


def _files(answer: Any) -> dict[str, bytes]:
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _told(answer: Any) -> Any:
    return json.loads(_files(answer)["evidence.json"])


def verified(folder: Path, files: dict[str, bytes], *more: str) -> tuple[int, str]:
    """By the verifier that is in the pack, in a Python that has nothing of memoryweb."""
    path, verifier = folder / "evidence.zip", folder / "verify_export.py"
    with zipfile.ZipFile(path, "w") as archive:
        for name, said in files.items():
            archive.writestr(name, said)
    verifier.write_bytes(files.get("verify_export.py") or Path(verify_export.__file__).read_bytes())
    command = [sys.executable, "-I", "-S", str(verifier), str(path), *more]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def test_the_page_tells_what_was_held_on_what_and_in_which_prompts(
    stage: Stage, vera: Client
) -> None:
    _asked(stage)
    page = tight(vera.get(_page(stage, _fact(stage))))
    held = page.split('id="be"')[1].split('id="fi"')[0]
    assert held.count(SHARED) >= 2  # the line, and the message that it stands on
    assert "MEMORY.md:" in held
    assert "In the 30 days before, 1 prompt or search had it." in held
    assert "Evidence pack" not in held


def test_before_it_was_learned_nothing_was_held(stage: Stage, vera: Client) -> None:
    page = tight(vera.get(_page(stage, _fact(stage), timezone.now() - timedelta(days=300))))
    assert "Nothing about it stood in the files then" in page


def test_what_was_replaced_since_is_held_then(stage: Stage, vera: Client) -> None:
    fact = _fact(stage)
    _asked(stage)
    then = timezone.now()
    writer = Writer(AuthorKind.PERSON, user=stage.world.bob)
    with write_transaction(stage.world.team) as tx:
        deciding.edit(tx, fact, "The release is on Friday.", writer=writer)
    _asked(stage)
    fact.refresh_from_db()
    assert fact.superseded_by
    for asked in (fact, fact.superseded_by):
        held = tight(vera.get(_page(stage, asked, then))).split('id="be"')[1]
        assert SHARED in held.split('class="pad"')[1]
        assert "1 prompt or search had it." in held
    now = tight(vera.get(_page(stage, fact))).split('id="be"')[1]
    assert "The release is on Friday." in now.split('class="pad"')[1]


def test_a_statement_leads_to_it(stage: Stage, vera: Client) -> None:
    fact = _fact(stage)
    page = text(vera.get(url(stage.world.team, "agents_fact", stage.world.agent.pk, fact.pk)))
    assert f'href="{_page(stage, fact)}"' in page


def test_who_may_not_read_a_statement_has_no_page_of_it(
    stage: Stage, alice: Client, bob: Client, vera: Client, charlie: Client
) -> None:
    shared, personal = _fact(stage), _fact(stage, stage.world.bobs_memory)
    owner = str(personal.owner_id)
    assert PERSONAL in text(bob.get(_page(stage, personal, owner="me")))
    assert vera.get(_page(stage, personal)).status_code == 404
    assert vera.get(_page(stage, personal, owner=owner)).status_code == 404
    assert alice.get(_page(stage, personal, owner=owner)).status_code == 403
    assert charlie.get(_page(stage, shared)).status_code == 404
    twin = stage.world.twin
    address = url(twin.team, "agents_moments", twin.agent.pk, query=f"?fact={shared.pk}")
    assert charlie.get(address).status_code == 404


@pytest.mark.parametrize("query", ["?fact=1", "?fact=", "?fact=&at=2020-01-01T00:00"])
def test_what_is_no_statement_is_no_error(stage: Stage, vera: Client, query: str) -> None:
    address = url(stage.world.team, "agents_moments", stage.world.agent.pk, query=query)
    assert vera.get(address).status_code == 200


def test_many_prompts_take_no_more_statements(stage: Stage, vera: Client) -> None:
    fact = _fact(stage)
    _asked(stage)
    few = _statements(vera, _page(stage, fact))
    for _time in range(5):
        _asked(stage)
    assert _statements(vera, _page(stage, fact)) == few <= 15


def _statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_a_pack_is_verified_without_memoryweb(stage: Stage, audrey: Client, tmp_path: Path) -> None:
    _asked(stage)
    files = _files(_pack(stage, audrey, _fact(stage)))
    code, said = verified(tmp_path, files, "--key", keys.public_key())
    assert (code, "evidence.json is as it was packed" in said) == (0, True), said
    assert "The chain is whole from event" in said
    told = json.loads(files["evidence.json"])
    assert [one["text"] for one in told["held"]] == [f"- {SHARED}"]
    assert [one["quote"] for one in told["standsOn"]] == [SHARED]
    assert len(told["prompts"]) == 1
    assert files.keys() == {*verify_export.PACKED}
    assert Event.objects.get(action="evidence.packed").actor_id == str(stage.world.audrey.pk)


def test_a_pack_has_prompts_of_long_ago(stage: Stage, audrey: Client) -> None:
    fact = _fact(stage)
    _asked(stage)
    Injection.objects.update(at=timezone.now() - timedelta(days=400))
    assert "no prompt and no search had it." in tight(audrey.get(_page(stage, fact)))
    assert len(_told(_pack(stage, audrey, fact))["prompts"]) == 1


def test_auditors_alone_make_a_pack(
    stage: Stage, alice: Client, bob: Client, vera: Client, charlie: Client
) -> None:
    fact = _fact(stage)
    assert [_pack(stage, one, fact).status_code for one in (alice, bob, vera)] == [403] * 3
    assert _pack(stage, charlie, fact).status_code == 404
    assert not Event.objects.filter(action="evidence.packed").exists()


def test_a_pack_of_another_team_is_not_found(stage: Stage, audrey: Client) -> None:
    twin, world = stage.world.twin, stage.world
    other = url(twin.team, "agents_fact_pack", twin.agent.pk, _fact(stage).pk)
    strange = url(world.team, "agents_fact_pack", twin.agent.pk, _fact(stage).pk)
    for address in (other, strange):
        assert audrey.post(address, {"at": timezone.now().isoformat()}).status_code == 404


def test_a_personal_statement_needs_a_broken_glass(stage: Stage, audrey: Client) -> None:
    world = stage.world
    fact = _fact(stage, world.bobs_memory)
    assert _pack(stage, audrey, fact).status_code == 403
    open_glass(owner=world.bobs_memory, user=world.audrey, reason="A complaint.", by=SYSTEM)
    told = _told(_pack(stage, audrey, fact))
    assert told["held"][0]["text"] == f"- {PERSONAL}"
    assert told["standsOn"][0]["quote"] == PERSONAL
    packed = Event.objects.get(action="evidence.packed")
    assert packed.on_behalf_of == world.bobs_memory.pk
    read = Event.objects.filter(action="personal.read", on_behalf_of=world.bobs_memory.pk)
    assert {one.target_kind for one in read} == {"fact", "conversation"}
    assert all(one.seq < packed.seq for one in read)


def test_of_a_message_that_is_not_theirs_a_pack_has_a_digest(stage: Stage, audrey: Client) -> None:
    """A shared statement may stand on what somebody said in a conversation of their own."""
    fact, talk = _fact(stage), stage.customers_talk
    fact.evidence.update(message=talk.messages.get(position=1))
    files = _files(_pack(stage, audrey, fact))
    [ground] = json.loads(files["evidence.json"])["standsOn"]
    assert ground.keys() == {"statement", "kind", "at", "digest"}
    assert ground["digest"] == keys.print_of("memoryweb.evidence", CUSTOMERS)
    assert not [name for name, said in files.items() if CUSTOMERS.encode() in said]


def test_labels_that_were_erased_stay_empty(stage: Stage, audrey: Client, tmp_path: Path) -> None:
    bob = stage.world.bobs_memory
    open_glass(owner=bob, user=stage.world.audrey, reason="A complaint of Bob.", by=SYSTEM)
    files = _files(_pack(stage, audrey, _fact(stage, bob)))
    assert b"A complaint of Bob." in files["audit.jsonl"]
    assert Label.objects.filter(text="A complaint of Bob.").exists()
    erase_labels_of(stage.world.team.pk, bob.pk)
    files = _files(_pack(stage, audrey, _fact(stage, bob)))
    assert not [name for name, said in files.items() if b"A complaint of Bob." in said]
    assert verified(tmp_path, files)[0] == 0


def test_what_is_to_be_forgotten_is_in_no_pack(stage: Stage, audrey: Client, vera: Client) -> None:
    fact = _fact(stage)
    writer = Writer(AuthorKind.PERSON, user=stage.world.alice)
    with write_transaction(stage.world.team) as tx:
        forgetting.forget_fact(tx, fact, writer=writer, is_theirs=True)
    files = _files(_pack(stage, audrey, fact))
    assert not [name for name, said in files.items() if SHARED.encode() in said]
    assert SHARED not in text(vera.get(_page(stage, fact)))


def test_a_pack_outlives_what_its_statement_stood_on(
    stage: Stage, audrey: Client, tmp_path: Path
) -> None:
    """Whoever said it is erased, and an older revision of its file comes back since."""
    world, fact = stage.world, _fact(stage)
    fact.evidence.update(message=stage.customers_talk.messages.get(position=1), root=None)
    with write_transaction(world.team) as tx:
        forgetting.erase_owner(tx, world.customer)
    engine.tick(timezone.now())
    assert not [one.error for one in engine.run_pending() if one.error]
    assert fact.file
    number, writer = fact.file.revision, Writer(AuthorKind.PERSON, user=world.alice)
    with write_transaction(world.team) as tx:
        write.write(tx, Place(world.agent, None, fact.path), "# Memory\n", writer=writer)
        write.restore(tx, fact.file, number, writer=writer)
    files = _files(_pack(stage, audrey, fact))
    told = json.loads(files["evidence.json"])
    assert [one["quote"] for one in told["standsOn"]] == [SHARED]
    assert [one["text"] for one in told["held"]] == [f"- {SHARED}"]
    assert not [name for name, said in files.items() if CUSTOMERS.encode() in said]
    assert verified(tmp_path, files)[0] == 0


def _edited(files: dict[str, bytes]) -> dict[str, bytes]:
    return files | {"evidence.json": files["evidence.json"].replace(b"Thursday", b"Tuesday")}


def _without_events(files: dict[str, bytes]) -> dict[str, bytes]:
    lines = files["audit.jsonl"].splitlines(keepends=True)
    return files | {"audit.jsonl": b"".join([*lines[:-3], *lines[-2:]])}


def _as_filtered(files: dict[str, bytes]) -> dict[str, bytes]:
    said = files["audit.jsonl"].replace(b'"filter": {}', b'"filter": {"a": "b"}')
    return files | {"audit.jsonl": said}


@pytest.mark.parametrize(
    "forge",
    [
        _edited,
        _without_events,
        _as_filtered,
        lambda files: files | {"more.json": b"{}"},
        lambda files: {name: files[name] for name in files if name != "evidence.json"},
        lambda files: files | {"audit.jsonl": b""},
    ],
)
def test_a_forged_pack_is_found(
    stage: Stage,
    audrey: Client,
    tmp_path: Path,
    forge: Callable[[dict[str, bytes]], dict[str, bytes]],
) -> None:
    files = _files(_pack(stage, audrey, _fact(stage)))
    forged = forge(files)
    assert forged != files
    code, said = verified(tmp_path, forged)
    assert (code, "Traceback" in said) == (1, False), said


def test_a_pack_that_is_signed_by_somebody_else_is_found(
    stage: Stage, audrey: Client, tmp_path: Path
) -> None:
    files = _files(_pack(stage, audrey, _fact(stage)))
    assert verified(tmp_path, files, "--key", "00" * 32)[0] == 1


@pytest.mark.parametrize("at", ["", "yesterday", "9" * 400])
def test_a_pack_of_no_moment_is_none(stage: Stage, audrey: Client, at: str) -> None:
    answer = _pack(stage, audrey, _fact(stage), at=at)
    assert answer.status_code == 302
    assert not Event.objects.filter(action="evidence.packed").exists()
