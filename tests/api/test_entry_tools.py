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
