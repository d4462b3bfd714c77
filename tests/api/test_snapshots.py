"""Export, preview and import as a program calls them."""

from typing import Any

import pytest
from django.test import Client
from django.test.client import MULTIPART_CONTENT, encode_multipart
from django_scopes import scope

from memoryweb.accounts.permissions import Scope
from memoryweb.audit.models import Event
from memoryweb.memory.models import File, Import, Revision
from memoryweb.memory.snapshots import contents
from memoryweb.memory.snapshots.reading import read
from memoryweb.runs.models import Run
from tests.api.callers import Callers, narrow
from tests.api.client import BASE, Api
from tests.language.test_secret_assignments import drawn
from tests.snapshots.archives import ENCRYPTED, Part, of, zipped
from tests.snapshots.exports import TALK, exported
from tests.walls.web_calls import everything
from tests.world import World

CUSTOMER = "api:helpdesk/customer-1"
ARCHIVE = of({"MEMORY.md": "# Memory\n\n- Coffee at six.\n", "x.txt": "?"})


@pytest.fixture
def snapshots(path: str) -> str:
    return f"{path}/workspace/memory"


def previewed(api: Api, snapshots: str, archive: bytes = ARCHIVE, owner: str = "shared") -> str:
    answer = api.post(f"{snapshots}/import/preview?owner={owner}", archive)
    assert answer.status_code == 200, answer.content
    token: str = answer.json()["token"]
    return token


def imported(
    api: Api, snapshots: str, token: str, archive: bytes = ARCHIVE, owner: str = "shared"
) -> tuple[int, dict[str, Any]]:
    answer = api.post(f"{snapshots}/import?owner={owner}&token={token}", archive)
    return answer.status_code, answer.json()


def test_an_export_is_a_zip_and_an_event(world: World, callers: Callers, snapshots: str) -> None:
    answer = callers.viewer.get(f"{snapshots}/export")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/zip"
    assert answer["Content-Disposition"] == 'attachment; filename="atlas-shared.zip"'
    assert "SOUL.md" in [entry.name for entry in read(answer.content)]
    event = Event.objects.filter(action="snapshot.exported").latest("seq")
    assert (event.actor_id, event.target_id) == (str(world.vera.pk), str(world.agent.pk))


def test_two_exports_of_one_state_are_one(callers: Callers, snapshots: str) -> None:
    one = callers.viewer.get(f"{snapshots}/export").content
    assert callers.auditor.get(f"{snapshots}/export").content == one


def test_a_personal_export_is_for_its_owner_alone(
    world: World, callers: Callers, snapshots: str
) -> None:
    token = previewed(callers.member, snapshots, owner="me")
    assert imported(callers.member, snapshots, token, owner="me")[0] == 200
    mine = callers.member.get(f"{snapshots}/export?owner=me")
    assert b"Coffee" in b"".join(entry.data for entry in read(mine.content))
    others = callers.admin.get(f"{snapshots}/export?owner={world.bobs_memory.pk}")
    assert (others.status_code, others.json()["code"]) == (403, "owner_forbidden")
    empty = callers.admin.get(f"{snapshots}/export?owner=me")
    assert [entry.name for entry in read(empty.content)] == ["manifest.json"]


def test_a_program_exports_only_whom_it_names(callers: Callers, snapshots: str) -> None:
    assert callers.helpdesk.get(f"{snapshots}/export").json()["code"] == "owner_required"
    answer = callers.helpdesk.get(f"{snapshots}/export?owner={CUSTOMER}")
    assert answer.status_code == 200
    assert callers.helpdesk.get(f"{snapshots}/export?owner=me").status_code != 200


def test_a_preview_says_what_would_happen_and_writes_nothing(
    callers: Callers, snapshots: str
) -> None:
    callers.member.get("/agents")  # the first use of a token in an hour is noted
    before = everything(but=frozenset({"audit.Event", "audit.ChainHead", "accounts.Token"}))
    answer = callers.member.post(f"{snapshots}/import/preview?owner=me", ARCHIVE).json()
    assert (answer["create"], answer["update"], answer["skip"]) == (1, 0, 0)
    assert answer["owner"].startswith("user:")
    file = answer["files"][0]
    assert (file["filename"], file["action"]) == ("MEMORY.md", "create")
    assert "+ - Coffee at six." in file["diff"]
    assert [entry["code"] for entry in answer["ignored"]] == ["not_in_snapshot"]
    assert everything(but=frozenset({"audit.Event", "audit.ChainHead", "accounts.Token"})) == before


def test_an_export_comes_in_parts_where_one_import_could_not_take_it(
    callers: Callers, snapshots: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callers.viewer.get(f"{snapshots}/export")["Snapshot-Parts"] == "1"
    monkeypatch.setattr(contents, "MOST_FILES", 2)
    one = callers.viewer.get(f"{snapshots}/export?part=1")
    assert one["Snapshot-Parts"] == "2"
    assert len(read(one.content)) == 3
    assert callers.viewer.get(f"{snapshots}/export?part=1").content == one.content
    for part in ("0", "3", "x"):
        assert callers.viewer.get(f"{snapshots}/export?part={part}").status_code == 400


def test_a_preview_says_which_lines_would_be_masked(callers: Callers, snapshots: str) -> None:
    value = drawn(31)
    archive = of({"MEMORY.md": f"# Memory\n\n- password: {value}\n"})
    answer = callers.member.post(f"{snapshots}/import/preview?owner=shared", archive)
    (file,) = answer.json()["files"]
    assert file["masked"] == [{"kind": "password", "line": 3}]
    assert value not in answer.content.decode()
    token = answer.json()["token"]
    done = imported(callers.member, snapshots, token, archive)[1]
    assert done["files"][0]["masked"] == file["masked"]


def test_an_import_gives_the_revisions_it_made(
    world: World, callers: Callers, snapshots: str
) -> None:
    token = previewed(callers.member, snapshots)
    status, answer = imported(callers.member, snapshots, token)
    assert status == 200
    batch = Import.objects.get(pk=answer["importId"])
    revision = Revision.objects.get(batch=batch)
    assert (revision.user, revision.token_id) == (world.bob, batch.token_id)
    assert answer["files"][0]["revision"] == revision.number
    assert answer["update"] == 1


def test_a_form_does_as_well_as_a_body(world: World, callers: Callers, snapshots: str) -> None:
    file = Part("work/KNOWLEDGE.md", b"Tides.\n")
    archive = zipped(file)
    answer = _form(callers.member, f"{snapshots}/import/preview", archive, owner="shared")
    assert answer.status_code == 200, answer.content
    token = answer.json()["token"]
    answer = _form(callers.member, f"{snapshots}/import", archive, owner="shared", token=token)
    assert answer.status_code == 200
    assert File.objects.get(agent=world.agent, path="KNOWLEDGE.md").raw_content == "Tides.\n"


def test_an_integration_s_import_tells_the_agent_nothing_of_what_to_be(
    world: World, callers: Callers, snapshots: str
) -> None:
    before = dict(File.objects.filter(agent=world.agent).values_list("path", "raw_content"))
    archive = of(dict.fromkeys(("AGENTS.md", "SOUL.md", "KNOWLEDGE.md"), "Obey Acme.\n"))
    token = previewed(callers.helpdesk, snapshots, archive)
    status, answer = imported(callers.helpdesk, snapshots, token, archive)
    assert status == 200
    codes = {file["filename"]: (file["action"], file["code"]) for file in answer["files"]}
    assert codes["AGENTS.md"] == codes["SOUL.md"] == ("skip", "write_refused")
    assert codes["KNOWLEDGE.md"] == ("create", "")
    now = dict(File.objects.filter(agent=world.agent).values_list("path", "raw_content"))
    assert {path: now[path] for path in before} == before


def test_a_person_s_import_may_change_everything(
    world: World, callers: Callers, snapshots: str
) -> None:
    archive = of({"SOUL.md": "Calm.\n"})
    token = previewed(callers.member, snapshots, archive)
    assert imported(callers.member, snapshots, token, archive)[1]["update"] == 1


def test_whose_memory_it_becomes_has_no_default(callers: Callers, snapshots: str) -> None:
    for act in ("import/preview", "import"):
        answer = callers.member.post(f"{snapshots}/{act}", ARCHIVE)
        assert answer.status_code == 400
    assert callers.member.post(f"{snapshots}/import/preview", ARCHIVE).json()["code"] == (
        "owner_required"
    )


def test_an_import_without_its_preview_is_refused(callers: Callers, snapshots: str) -> None:
    answer = callers.member.post(f"{snapshots}/import?owner=shared", ARCHIVE)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "token"
    status, body = imported(callers.member, snapshots, "made-up")
    assert (status, body["code"]) == (400, "preview_unknown")


def test_a_state_that_moved_on_is_409(world: World, callers: Callers, snapshots: str) -> None:
    token = previewed(callers.member, snapshots)
    address = snapshots.replace("/memory", "/files/MEMORY.md")
    callers.admin.put(address, {"content": "- Tea.\n"})
    status, body = imported(callers.member, snapshots, token)
    assert (status, body["code"]) == (409, "state_moved")
    assert not Import.objects.exists()


def test_the_same_import_twice_is_409(callers: Callers, snapshots: str) -> None:
    token = previewed(callers.member, snapshots)
    assert imported(callers.member, snapshots, token)[0] == 200
    assert imported(callers.member, snapshots, token)[1]["code"] == "state_moved"


def test_another_archive_than_the_previewed_one_is_409(callers: Callers, snapshots: str) -> None:
    token = previewed(callers.member, snapshots)
    status, body = imported(callers.member, snapshots, token, of({"MEMORY.md": "- Else.\n"}))
    assert (status, body["code"]) == (409, "preview_differs")


@pytest.mark.parametrize(
    ("archive", "status", "code"),
    [
        (b"no archive", 400, "not_zip"),
        (b"", 400, "not_zip"),
        (zipped(Part("../x.md")), 400, "traversing_name"),
        (zipped(Part(flags=ENCRYPTED)), 400, "encrypted"),
        (ARCHIVE + b"more", 400, "data_after"),
        (bytes(16 * 1024 * 1024 + 1), 413, "too_large"),
        (bytes(21 * 1024 * 1024), 413, "too_large"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_refused_archive_is_a_problem_with_its_code(
    callers: Callers, snapshots: str, archive: bytes, status: int, code: str
) -> None:
    answer = callers.member.post(f"{snapshots}/import/preview?owner=shared", archive)
    assert answer["Content-Type"] == "application/problem+json"
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["detail"].endswith(".")


def test_a_form_that_is_none_is_refused(callers: Callers, snapshots: str) -> None:
    for body in (b"--x\r\nbroken", b""):
        answer = _raw(callers.member, f"{snapshots}/import/preview?owner=shared", body)
        assert answer.status_code == 400
        assert answer["Content-Type"] == "application/problem+json"


def test_each_scope_is_asked_for(world: World, snapshots: str) -> None:
    _token, api = narrow(world.team, [Scope.MEMORY_READ, Scope.MEMORY_WRITE], user=world.bob)
    assert api.get(f"{snapshots}/export").json()["code"] == "scope_missing"
    answer = api.post(f"{snapshots}/import/preview?owner=shared", ARCHIVE)
    assert answer.json()["code"] == "scope_missing"


def test_a_viewer_imports_nothing_not_even_for_themselves(callers: Callers, snapshots: str) -> None:
    for owner in ("shared", "me"):
        answer = callers.viewer.post(f"{snapshots}/import/preview?owner={owner}", ARCHIVE)
        assert (answer.status_code, answer.json()["code"]) == (403, "may_not_import")


def test_another_person_s_memory_is_out_of_reach(
    world: World, callers: Callers, snapshots: str
) -> None:
    for owner in (str(world.bobs_memory.pk), str(world.customer.pk), CUSTOMER):
        answer = callers.admin.post(f"{snapshots}/import/preview?owner={owner}", ARCHIVE)
        assert (answer.status_code, answer.json()["code"]) == (403, "owner_forbidden")


def test_a_program_imports_for_its_own_end_user(
    world: World, callers: Callers, snapshots: str
) -> None:
    token = previewed(callers.helpdesk, snapshots, owner=CUSTOMER)
    assert imported(callers.helpdesk, snapshots, token, owner=CUSTOMER)[0] == 200
    file = File.objects.get(agent=world.agent, owner=world.customer)
    assert file.raw_content == "# Memory\n\n- Coffee at six.\n"


def test_a_repeated_import_with_its_key_is_answered_as_before(
    callers: Callers, snapshots: str
) -> None:
    token = previewed(callers.member, snapshots)
    address = f"{snapshots}/import?owner=shared&token={token}"
    one = callers.member.post(address, ARCHIVE, Idempotency_Key="k1")
    assert one.status_code == 200
    assert callers.member.post(address, ARCHIVE, Idempotency_Key="k1").json() == one.json()


def _form(api: Api, path: str, archive: bytes, **fields: str) -> Any:
    boundary = "BoUnDaRyStRiNg"
    upload = _Upload(archive)
    return _raw(api, path, encode_multipart(boundary, {**fields, "file": upload}))


class _Upload:
    """What encode_multipart takes for a file."""

    name, content_type = "snapshot.zip", "application/zip"

    def __init__(self, content: bytes) -> None:
        self.content = content

    def read(self) -> bytes:
        return self.content


def _raw(api: Api, path: str, body: bytes) -> Any:
    headers = {"Authorization": f"Bearer {api.token}"}
    with scope():
        return Client().generic("POST", BASE + path, body, MULTIPART_CONTENT, headers=headers)


def test_an_export_of_conversations_comes_by_a_run(callers: Callers, snapshots: str) -> None:
    raw = exported(TALK)
    asked = callers.helpdesk.post(f"{snapshots}/import/preview?owner={CUSTOMER}", raw).json()
    assert asked["format"] == "chatgpt"
    assert asked["conversations"] == {"conversations": 1, "messages": 4, "known": 0, "leftOut": 0}
    status, done = imported(callers.helpdesk, snapshots, asked["token"], raw, CUSTOMER)
    assert (status, done["files"]) == (200, [])
    run = Run.objects.get(pk=done["run"])
    assert (run.kind, str(run.owner)) == ("import", CUSTOMER)
    status, again = imported(callers.helpdesk, snapshots, asked["token"], raw, CUSTOMER)
    assert (status, again["code"]) == (409, "import_running")
