from tests.api.callers import Callers
from tests.world import World

KEYS = {"name": "Keys", "content": "Two for each room.", "aliases": ["room keys"]}


def test_added_found_by_each_name_renamed_and_removed(callers: Callers, path: str) -> None:
    made = callers.member.post(f"{path}/entries?owner=shared", KEYS)
    assert (made.status_code, made.json()["id"], made.json()["kind"]) == (201, 1, "note")
    for asked in ("1", "keys", "ROOM%20KEYS"):
        assert callers.viewer.get(f"{path}/entries/{asked}?owner=shared").json() == made.json()
    change = {"name": "Key cards", "content": "One for each guest."}
    changed = callers.member.patch(f"{path}/entries/room%20keys?owner=shared", change)
    assert changed.json().items() >= {"id": 1, **change, "aliases": ["room keys"]}.items()
    assert callers.viewer.get(f"{path}/entries/keys?owner=shared").status_code == 404
    assert callers.member.delete(f"{path}/entries/1?owner=shared").status_code == 204
    assert callers.viewer.get(f"{path}/entries?owner=shared").json()["items"] == []


def test_an_entry_that_somebody_changed_meanwhile_is_not_overwritten(
    callers: Callers, path: str
) -> None:
    seen = callers.member.post(f"{path}/entries?owner=shared", KEYS).json()["sha256"]
    change = {"name": "Key cards", "content": "One for each guest."}
    now = callers.member.patch(f"{path}/entries/1?owner=shared", change, if_match=seen).json()[
        "sha256"
    ]
    for late in ({"content": "Lost."}, {"name": "Lost"}):
        refused = callers.member.patch(f"{path}/entries/1?owner=shared", late, if_match=seen)
        assert (refused.status_code, refused.json()["code"]) == (412, "stale")
        assert refused.json()["current"]["content"] == change["content"]
    assert callers.member.delete(f"{path}/entries/1?owner=shared", if_match=seen).status_code == 412
    assert callers.viewer.get(f"{path}/entries/1?owner=shared").json().items() >= change.items()
    assert (
        callers.member.delete(f"{path}/entries/1?owner=shared", if_match=f'"{now}"').status_code
        == 204
    )


def test_a_taken_name_is_told_and_nothing_is_half_written(callers: Callers, path: str) -> None:
    callers.member.post(f"{path}/entries?owner=shared", KEYS)
    other = {"name": "Lift", "content": "Out of order.", "aliases": ["elevator", "room keys"]}
    refused = callers.member.post(f"{path}/entries?owner=shared", other)
    assert (refused.status_code, refused.json()["code"]) == (409, "name_taken")
    assert [
        one["name"] for one in callers.viewer.get(f"{path}/entries?owner=shared").json()["items"]
    ] == ["Keys"]


def test_each_owner_has_entries_of_their_own(callers: Callers, path: str, world: World) -> None:
    owner = f"?owner=api:{world.integration.name}/customer-1"
    made = callers.helpdesk.post(f"{path}/entries{owner}", KEYS)
    assert made.json()["id"] == 1
    assert callers.helpdesk.get(f"{path}/entries/keys{owner}").status_code == 200
    assert callers.member.get(f"{path}/entries/keys?owner=shared").status_code == 404
    assert callers.member.get(f"{path}/entries/keys?owner=me").status_code == 404


def test_without_an_owner_it_is_one_s_own(callers: Callers, path: str) -> None:
    made = callers.member.post(f"{path}/entries", KEYS).json()
    assert made["owner"].startswith("user:")
    assert callers.member.get(f"{path}/entries").json()["items"][0]["name"] == "Keys"
    assert callers.member.patch(f"{path}/entries/keys", {"content": "Three."}).status_code == 200
    assert callers.member.post(f"{path}/entries/1/aliases", {"name": "cards"}).status_code == 200
    tool = callers.member.post(f"{path}/tools/entry_write", {"name": "Tool", "content": "Own."})
    assert tool.json()["entry"]["owner"] == made["owner"]
    assert callers.viewer.get(f"{path}/entries").json()["items"] == []
    assert callers.member.get(f"{path}/entries?owner=shared").json()["items"] == []
    assert callers.member.delete(f"{path}/entries/1").status_code == 204
    assert callers.helpdesk.post(f"{path}/entries", KEYS).json()["code"] == "owner_required"


def test_other_names_come_and_go(callers: Callers, path: str) -> None:
    callers.member.post(f"{path}/entries?owner=shared", KEYS)
    more = callers.member.post(f"{path}/entries/1/aliases?owner=shared", {"name": "spare keys"})
    assert more.json()["aliases"] == ["room keys", "spare keys"]
    gone = f"{path}/entries/1/aliases/Spare%20Keys?owner=shared"
    assert callers.member.delete(gone).status_code == 204
    assert callers.member.delete(gone).status_code == 404
    assert callers.viewer.get(f"{path}/entries/spare%20keys?owner=shared").status_code == 404


def test_lists_page_and_narrow_to_a_kind(callers: Callers, path: str) -> None:
    for name in ("one", "two", "three"):
        callers.member.post(f"{path}/entries?owner=shared", {"name": name, "content": "x"})
    first = callers.viewer.get(f"{path}/entries?owner=shared&limit=2").json()
    rest = callers.viewer.get(
        f"{path}/entries?owner=shared&limit=2&cursor={first['cursor']}"
    ).json()
    names = [one["name"] for part in (first, rest) for one in part["items"]]
    assert names == ["one", "two", "three"]
    assert callers.viewer.get(f"{path}/entries?owner=shared&kind=archive").json()["items"] == []


def test_search_tells_which_hits_are_entries_and_finds_them_alone(
    callers: Callers, path: str
) -> None:
    callers.member.post(f"{path}/entries?owner=shared", KEYS)
    callers.member.put(f"{path}/workspace/files/KNOWLEDGE.md", {"content": "- Keys for the lift."})
    search = f"{path}/workspace/search?q=keys&kinds="
    both = callers.viewer.get(search + "file,message").json()["hits"]
    assert {(hit["kind"], hit["entryId"]) for hit in both} == {("entry", 1), ("file", None)}
    alone = callers.viewer.get(search + "entry").json()["hits"]
    assert [(hit["kind"], hit["filename"]) for hit in alone] == [("entry", "entries/Keys.md")]
    now = callers.viewer.get(search + "entry&q=keys at:2031-01-01").json()["hits"]
    assert [hit["entryId"] for hit in now] == [1]
