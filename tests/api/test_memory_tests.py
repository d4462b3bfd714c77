"""Memory tests through the API: by people alone, of what each may read."""

from tests.api.callers import Callers, callers_of
from tests.dreaming.nights import memory
from tests.world import World

GUESTS = "Guests park behind the house."
ASKED = {"question": "Where do guests park?", "must": "behind the house"}


def _path(world: World, rest: str = "") -> str:
    return f"/agents/{world.agent.pk}/tests{rest}"


def test_made_listed_and_run(world: World, callers: Callers) -> None:
    made = callers.member.post(_path(world), ASKED | {"mustNot": "on the square"}).json()
    assert (made["mustNot"], made["owner"], made["state"]) == ("on the square", "shared", "active")
    assert callers.viewer.get(_path(world)).json()["items"] == [made]
    ran = callers.viewer.post(_path(world, "/run")).json()
    assert (ran["passed"], ran["failed"]) == (0, 1)
    assert ran["items"] == [made | {"passed": False}]
    memory(world, None, f"# Memory\n\n- {GUESTS}\n")
    assert callers.viewer.post(_path(world, "/run")).json()["passed"] == 1


def test_of_ones_own_memory_nobody_else_hears(world: World, callers: Callers) -> None:
    assert callers.member.post(_path(world, "?owner=me"), ASKED).status_code == 200
    assert len(callers.member.get(_path(world, "?owner=me")).json()["items"]) == 1
    for other in (callers.viewer, callers.admin):
        assert other.get(_path(world, "?owner=me")).json()["items"] == []
        theirs = f"?owner={world.bobs_memory.pk}"
        assert other.get(_path(world, theirs)).status_code == 403
        assert other.post(_path(world, theirs), ASKED).status_code == 403
        assert other.post(_path(world, f"/run{theirs}")).status_code == 403
    assert callers.stranger.get(_path(world)).status_code == 404


def test_one_is_deleted_by_who_may(world: World, callers: Callers) -> None:
    mine = callers.member.post(_path(world, "?owner=me"), ASKED).json()["id"]
    made = callers.member.post(_path(world), ASKED).json()["id"]
    for one in (f"/{mine}?owner=shared", f"/{made}?owner=me", "/7", "/run"):
        assert callers.member.delete(_path(world, one)).status_code in {404, 405}, one
    assert callers.viewer.delete(_path(world, f"/{made}")).status_code == 403
    for one in (f"/{mine}?owner=me", f"/{made}"):
        assert callers.member.delete(_path(world, one)).status_code == 204
        assert callers.member.delete(_path(world, one)).status_code == 404


def test_who_may_not_make_one(world: World, callers: Callers) -> None:
    assert callers.viewer.post(_path(world), ASKED).status_code == 403
    refused = callers.helpdesk.post(_path(world, "?owner=shared"), ASKED)
    assert (refused.status_code, refused.json()["code"]) == (403, "person_required")
    for rest in ("?owner=shared", "/run?owner=shared"):
        call = callers.helpdesk.post if "run" in rest else callers.helpdesk.get
        assert call(_path(world, rest)).status_code == 403  # it would tell what was taken back


def test_what_is_no_test_gets_a_clear_error(world: World) -> None:
    member = callers_of(world).member
    for asked in (
        {"question": "Where? " * 1_429, "must": "x"},
        {"question": "Where?"},
        {"question": "Where?", "must": "Leeds", "mustNot": "leeds"},
        {"question": "Which?", "must": "AKIA" + "ABCDEFGHIJKLMNOP"},
        {"question": "When?", "must": "x", "asOf": "2026-02-30"},
        {"question": "When?", "must": "x", "asOf": "9999-12-31"},
        {"question": "When?", "must": "x", "asOf": "0001-01-01"},
        {"question": "When?", "must": "x", "owner": "shared"},
    ):
        answer = member.post(_path(world), asked)
        assert (answer.status_code, bool(answer.json()["detail"])) == (400, True)
    assert member.get(_path(world)).json()["items"] == []


def test_pages_of_many(world: World, callers: Callers) -> None:
    for n in range(5):
        asked = {"question": f"What is {n}?", "must": "a number"}
        callers.member.post(_path(world), asked)
    first = callers.member.get(_path(world, "?limit=3")).json()
    rest = callers.member.get(_path(world, f"?limit=3&cursor={first['cursor']}")).json()
    told = [one["question"] for one in (*first["items"], *rest["items"])]
    assert told == [f"What is {n}?" for n in (4, 3, 2, 1, 0)]
    assert rest["cursor"] is None
