from tests.api.callers import Callers

OWN = {"endUserId": "customer-1"}
SHARED = {"owner": "shared"}


def test_written_read_by_another_name_renamed_and_removed(callers: Callers, path: str) -> None:
    tool = f"{path}/tools/entry_"
    host = callers.helpdesk
    host.post(f"{tool}write", {"name": "Ludwig", "content": "Feed it at seven.", **OWN})
    host.post(f"{tool}alias", {"name": "Ludwig", "newName": "starter", **OWN})
    read = host.post(f"{tool}read", {"name": "Starter", **OWN}).json()
    assert (read["content"], read["entry"]["id"]) == ("Feed it at seven.", 1)
    host.post(f"{tool}write", {"name": "starter", "content": "Feed it at eight.", **OWN})
    renamed = host.post(f"{tool}rename", {"name": "1", "newName": "Levain", **OWN}).json()
    assert renamed["entry"]["name"] == "Levain"
    assert host.post(f"{tool}read", {"name": "levain", **OWN}).json()["content"] == (
        "Feed it at eight."
    )
    host.post(f"{tool}remove", {"name": "levain", **OWN})
    assert host.post(f"{tool}list", OWN).json()["count"] == 0


def test_ones_own_is_read_before_the_shared_one(callers: Callers, path: str) -> None:
    tool = f"{path}/tools/entry_"
    callers.member.post(f"{tool}write", {"name": "Keys", "content": "Shared.", **SHARED})
    host = callers.helpdesk
    assert host.post(f"{tool}read", {"name": "keys", **OWN}).json()["content"] == "Shared."
    host.post(f"{tool}write", {"name": "Keys", "content": "Own.", **OWN})
    assert host.post(f"{tool}read", {"name": "keys", **OWN}).json()["content"] == "Own."
    assert [one["owner"] for one in host.post(f"{tool}list", OWN).json()["entries"]] == [
        "api:helpdesk/customer-1",
        "shared",
    ]
    other = {"endUserId": "customer-2"}
    assert host.post(f"{tool}read", {"name": "keys", **other}).json()["content"] == "Shared."
    assert host.post(f"{tool}remove", {"name": "keys", **other}).status_code == 404


def test_without_an_owner_a_person_s_entry_is_their_own(callers: Callers, path: str) -> None:
    tool = f"{path}/tools/entry_"
    made = callers.member.post(f"{tool}write", {"name": "Keys", "content": "Own."}).json()
    assert made["entry"]["owner"].startswith("user:")
    assert callers.member.post(f"{tool}list", {}).json()["count"] == 1
    assert callers.member.post(f"{tool}list", SHARED).json()["count"] == 0
    assert callers.viewer.post(f"{tool}list", {}).json()["count"] == 0
    asked = callers.helpdesk.post(f"{tool}write", {"name": "Keys", "content": "Whose?"})
    assert asked.json()["code"] == "owner_required"


def test_a_taken_name_is_told(callers: Callers, path: str) -> None:
    tool = f"{path}/tools/entry_"
    for name in ("Keys", "Lift"):
        callers.member.post(f"{tool}write", {"name": name, "content": "x", **SHARED})
    for change in ("alias", "rename"):
        asked = {"name": "Lift", "newName": "keys", **SHARED}
        refused = callers.member.post(f"{tool}{change}", asked)
        assert (refused.status_code, refused.json()["code"]) == (409, "name_taken")
    listed = callers.member.post(f"{tool}list", SHARED).json()["entries"]
    assert {one["name"]: one["aliases"] for one in listed} == {"Keys": [], "Lift": []}


def test_search_tells_which_hits_are_entries_and_finds_them_alone(
    callers: Callers, path: str
) -> None:
    keys = {"name": "Keys", "content": "Two for each room.", **SHARED}
    callers.member.post(f"{path}/tools/entry_write", keys)
    callers.member.put(f"{path}/workspace/files/KNOWLEDGE.md", {"content": "- Keys for the lift."})
    search = f"{path}/workspace/search?q=keys&kinds="
    both = callers.viewer.get(search + "file,message").json()["hits"]
    assert {(hit["kind"], hit["entryId"]) for hit in both} == {("entry", 1), ("file", None)}
    alone = callers.viewer.get(search + "entry").json()["hits"]
    assert [(hit["kind"], hit["filename"]) for hit in alone] == [("entry", "entries/Keys.md")]
    now = callers.viewer.get(search + "entry&q=keys at:2031-01-01").json()["hits"]
    assert [hit["entryId"] for hit in now] == [1]
