import hashlib

import pytest
from pytest_django import DjangoAssertNumQueries

from memoryweb.audit.models import Event
from memoryweb.memory.models import AuthorKind, File
from tests.api.callers import Callers
from tests.api.client import Api
from tests.world import World, personal_token

TEXT = "# Knowledge\n\n- Breakfast ends at half past ten.\n"


@pytest.fixture
def files(path: str) -> str:
    return f"{path}/workspace/files"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_new_agents_files_are_listed_in_order(callers: Callers, files: str) -> None:
    listed = callers.viewer.get(files).json()["items"]
    assert [file["filename"] for file in listed] == [
        "AGENTS.md", "SOUL.md", "PROFILE.md", "MEMORY.md",
    ]  # fmt: skip


def test_lists_page_by_an_opaque_cursor(callers: Callers, files: str) -> None:
    first = callers.viewer.get(f"{files}?limit=3").json()
    rest = callers.viewer.get(f"{files}?limit=3&cursor={first['cursor']}").json()
    assert (len(first["items"]), len(rest["items"])) == (3, 1)
    assert rest["cursor"] is None


@pytest.mark.parametrize("cursor", ["x", "W10", "WzFd", "WyJhIiwgMV0", "%00", "W251bGwsbnVsbF0"])
def test_a_foreign_cursor_is_refused(callers: Callers, files: str, cursor: str) -> None:
    answer = callers.viewer.get(f"{files}?cursor={cursor}")
    assert answer.status_code == 400


def test_a_file_is_written_and_read_with_its_hash(callers: Callers, files: str) -> None:
    made = callers.member.put(f"{files}/skills/check-in/SKILL.md", {"content": TEXT})
    read = callers.viewer.get(f"{files}/skills/check-in/SKILL.md")
    assert (made.status_code, made.json()["revision"]) == (201, 1)
    assert read.json()["content"] == TEXT
    assert read.headers["ETag"] == f'"{sha(TEXT)}"'


def test_the_same_text_makes_no_revision(callers: Callers, files: str) -> None:
    callers.member.put(f"{files}/KNOWLEDGE.md", {"content": TEXT})
    again = callers.member.put(f"{files}/KNOWLEDGE.md", {"content": TEXT})
    assert (again.status_code, again.json()["changed"], again.json()["revision"]) == (
        200,
        False,
        1,
    )


def test_a_stale_hash_is_told_the_current_text(callers: Callers, files: str) -> None:
    callers.member.put(f"{files}/KNOWLEDGE.md", {"content": TEXT})
    stale = callers.admin.put(f"{files}/KNOWLEDGE.md", {"content": "Mine.\n"}, if_match=sha("x"))
    assert stale.status_code == 412
    assert stale.json()["current"] == {"content": TEXT, "sha256": sha(TEXT), "revision": 1}


def test_the_hash_that_was_read_lets_a_write_through(callers: Callers, files: str) -> None:
    etag = callers.member.put(f"{files}/KNOWLEDGE.md", {"content": TEXT}).headers["ETag"]
    saved = callers.member.put(f"{files}/KNOWLEDGE.md", {"content": "New.\n"}, if_match=etag)
    assert saved.json()["revision"] == 2


def test_if_none_match_writes_new_files_only(callers: Callers, files: str) -> None:
    callers.member.put(f"{files}/KNOWLEDGE.md", {"content": TEXT})
    refused = callers.member.put(f"{files}/KNOWLEDGE.md", {"content": "Mine.\n"}, if_none_match="*")
    assert refused.status_code == 412


def test_a_hash_for_a_file_that_is_not_there_is_unmet(callers: Callers, files: str) -> None:
    refused = callers.member.put(f"{files}/NEW.md", {"content": TEXT}, if_match=sha("x"))
    assert refused.status_code == 412


@pytest.mark.parametrize(
    "name", ["notes.txt", "a/../b.md", "memory/2026-02-30.md", "МEMORY.md", "a//b.md", "x" * 300]
)
def test_a_path_that_no_file_may_have_is_refused(callers: Callers, files: str, name: str) -> None:
    refused = callers.member.put(f"{files}/{name}", {"content": TEXT})
    assert (refused.status_code, refused.json()["code"]) == (400, "path_refused")


def test_a_file_over_one_mebibyte_is_too_large(callers: Callers, files: str) -> None:
    refused = callers.member.put(f"{files}/BIG.md", {"content": "x" * (1024 * 1024 + 1)})
    assert refused.status_code == 413


def test_a_secret_is_refused_with_its_line(world: World, callers: Callers, files: str) -> None:
    key = "AKIA" + "QYLPMN5HHHFPZAM2"
    refused = callers.member.put(f"{files}/KEYS.md", {"content": f"# Keys\n\n{key}\n"})
    assert (refused.status_code, refused.json()["line"]) == (400, 3)
    assert key not in refused.content.decode()
    assert Event.objects.filter(team_id=world.team.pk, action="secret.refused").exists()


def test_who_types_a_likely_password_is_asked(callers: Callers, files: str) -> None:
    typed = {"content": "# Wi-Fi\n\npassword: " + "tulip" + "4711\n"}
    refused = callers.member.put(f"{files}/WIFI.md", typed)
    assert (refused.status_code, refused.json()["code"]) == (400, "likely_secret")
    assert refused.json()["found"] == [{"kind": "password", "line": 3}]
    assert callers.member.get(f"{files}/WIFI.md").status_code == 404
    saved = callers.member.put(f"{files}/WIFI.md", typed | {"noSecrets": True})
    assert (saved.status_code, "masked" in saved.json()) == (201, False)
    assert callers.member.get(f"{files}/WIFI.md").json()["content"] == typed["content"]


def test_a_program_s_likely_password_is_masked_whatever_it_says(world: World, files: str) -> None:
    program = Api(personal_token(world.team, world.bob, act_as_person=False))
    typed = {"content": "password: " + "tulip" + "4711\n", "noSecrets": True}
    saved = program.put(f"{files}/WIFI.md", typed)
    assert saved.json()["masked"] == [{"kind": "password", "line": 1}]
    shown = program.get(f"{files}/WIFI.md").json()["content"]
    assert shown == "password: [secret: password]\n"


def test_history_lists_reads_and_restores(callers: Callers, files: str) -> None:
    file = f"{files}/KNOWLEDGE.md"
    callers.member.put(file, {"content": TEXT, "reason": "Opening hours."})
    callers.member.put(file, {"content": "Gone.\n"})

    listed = callers.viewer.get(f"{file}/revisions").json()["items"]
    first = callers.viewer.get(f"{file}/revisions/1").json()
    restored = callers.member.post(f"{file}/restore", {"revision": 1}).json()

    assert [row["number"] for row in listed] == [2, 1]
    assert (first["content"], first["reason"]) == (TEXT, "Opening hours.")
    assert (restored["revision"], restored["sha256"]) == (3, sha(TEXT))


@pytest.mark.parametrize("number", [0, -1, 99, 2**40, "one"])
def test_a_revision_that_never_was_is_not_found(
    callers: Callers, files: str, number: object
) -> None:
    assert callers.viewer.get(f"{files}/MEMORY.md/revisions/{number}").status_code == 404


def test_a_deleted_file_is_gone_and_can_be_restored(callers: Callers, files: str) -> None:
    file = f"{files}/KNOWLEDGE.md"
    callers.member.put(file, {"content": TEXT})
    assert callers.member.delete(file).status_code == 204
    assert callers.member.get(file).status_code == 404
    callers.member.post(f"{file}/restore", {"revision": 1})
    assert callers.member.get(file).json()["content"] == TEXT


def test_a_file_is_renamed_with_its_history(callers: Callers, files: str) -> None:
    etag = callers.member.put(f"{files}/notes.md", {"content": TEXT}).headers["ETag"]
    to = {"filename": "KNOWLEDGE.md"}
    renamed = callers.member.post(f"{files}/notes.md/rename", to, if_match=etag)
    assert (renamed.status_code, renamed.json()["filename"]) == (200, "KNOWLEDGE.md")
    assert callers.viewer.get(f"{files}/notes.md").status_code == 404
    listed = callers.viewer.get(f"{files}/KNOWLEDGE.md/revisions").json()["items"]
    assert [row["number"] for row in listed] == [2, 1]


def test_renaming_is_refused_for_a_taken_name_and_a_stale_hash(
    callers: Callers, files: str
) -> None:
    callers.member.put(f"{files}/notes.md", {"content": TEXT})
    address = f"{files}/notes.md/rename"
    taken = callers.member.post(address, {"filename": "MEMORY.md"})
    stale = callers.member.post(address, {"filename": "other.md"}, if_match=sha("x"))
    assert (taken.status_code, stale.status_code) == (409, 412)
    assert stale.json()["current"]["content"] == TEXT


def test_deleting_with_a_stale_hash_is_refused(callers: Callers, files: str) -> None:
    callers.member.put(f"{files}/KNOWLEDGE.md", {"content": TEXT})
    refused = callers.member.delete(f"{files}/KNOWLEDGE.md", if_match=sha("x"))
    assert refused.status_code == 412


def test_one_name_holds_a_shared_and_a_personal_file(callers: Callers, files: str) -> None:
    mine = callers.viewer.put(f"{files}/PROFILE.md?owner=me", {"content": "I am Vera.\n"})
    assert (mine.json()["scope"], mine.json()["enabled"]) == ("PERSONAL", True)
    shared = callers.viewer.get(f"{files}/PROFILE.md").json()
    assert (shared["owner"], shared["scope"]) == ("shared", "TEAM")


def test_a_programs_write_is_an_agents(world: World, callers: Callers, files: str) -> None:
    callers.helpdesk.put(f"{files}/K.md?owner=api:42", {"content": TEXT})
    revision = File.objects.get(path="K.md").revisions.get()
    assert (revision.author_kind, revision.integration) == (AuthorKind.AGENT, world.integration)


def test_the_order_of_injection_is_set_and_read(callers: Callers, path: str) -> None:
    order = [
        {"filename": "MEMORY.md", "enabled": True},
        {"filename": "SOUL.md", "enabled": False},
    ]
    callers.member.put(f"{path}/workspace/prompt-files", {"files": order})
    items = callers.viewer.get(f"{path}/workspace/prompt-files").json()["items"]
    assert [(item["filename"], item["enabled"]) for item in items[:2]] == [
        ("MEMORY.md", True),
        ("SOUL.md", False),
    ]


def test_an_order_may_be_plain_names(callers: Callers, path: str) -> None:
    off = {"filename": "AGENTS.md", "enabled": False}
    order = ["SOUL.md", off, "MEMORY.md"]
    answer = callers.member.put(f"{path}/workspace/prompt-files", {"files": order})
    assert [(item["filename"], item["enabled"]) for item in answer.json()["items"][:3]] == [
        ("SOUL.md", True),
        ("AGENTS.md", False),
        ("MEMORY.md", True),
    ]
    wrong = callers.member.put(f"{path}/workspace/prompt-files", {"files": ["SOUL.md", 7]})
    assert wrong.json()["errors"][0]["field"] == "files[1]"


def test_an_order_with_an_unknown_file_is_refused(callers: Callers, path: str) -> None:
    order = [{"filename": "NONE.md", "enabled": True}]
    refused = callers.member.put(f"{path}/workspace/prompt-files", {"files": order})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "files")


def test_a_program_reads_a_file_in_three_statements(
    callers: Callers, files: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Its token, the agent, and the file with whether any of its lines is withheld."""
    callers.helpdesk.get(f"{files}/MEMORY.md?owner=shared")
    with django_assert_num_queries(3):
        assert callers.helpdesk.get(f"{files}/MEMORY.md?owner=shared").status_code == 200
