from typing import Any

import pytest

from tests.api.callers import Callers
from tests.world import World


def test_a_new_agent_has_its_seed_files(callers: Callers) -> None:
    made = callers.admin.post("/agents", {"name": "Night porter", "timeZone": "Asia/Tokyo"})
    files = callers.admin.get(f"/agents/{made.json()['id']}/workspace/files").json()["items"]
    assert (made.json()["timeZone"], len(files)) == ("Asia/Tokyo", 4)


def test_a_name_is_taken_once_whatever_its_case(callers: Callers) -> None:
    refused = callers.admin.post("/agents", {"name": "ATLAS"})
    assert (refused.status_code, refused.json()["code"]) == (409, "name_taken")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": " "}, "name"),
        ({"name": "a\u0007"}, "name"),
        ({"name": "x" * 65}, "name"),
        ({"name": 7}, "name"),
        ({"name": "A", "timeZone": "Mars/Olympus"}, "timeZone"),
        ({"name": "A", "timeZone": "../etc/passwd"}, "timeZone"),
        ({"name": "A", "dreamAt": "24:00"}, "dreamAt"),
        ({"name": "A", "dreamAt": "02:00\n"}, "dreamAt"),
        ({"name": "A", "policy": "never"}, "policy"),
        ({"name": "A", "description": "x" * 501}, "description"),
        ({"name": "A", "ownerIsolation": 0}, "ownerIsolation"),
        ({"name": "A", "dreaming": "yes"}, "dreaming"),
    ],
)
def test_a_setting_that_cannot_be_is_named(
    callers: Callers, body: dict[str, Any], field: str
) -> None:
    refused = callers.admin.post("/agents", body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, field)


def test_a_change_keeps_what_is_left_out(world: World, callers: Callers) -> None:
    changed = callers.admin.patch(f"/agents/{world.agent.pk}", {"dreamAt": "03:30"}).json()
    assert (changed["dreamAt"], changed["name"]) == ("03:30", "Atlas")
    assert changed["nextDreamAt"].endswith("T03:30:00Z")


def test_a_change_by_case_alone_is_no_conflict_with_oneself(world: World, callers: Callers) -> None:
    changed = callers.admin.patch(f"/agents/{world.agent.pk}", {"name": "ATLAS"})
    assert changed.json()["name"] == "ATLAS"


def test_an_archived_agent_is_gone(world: World, callers: Callers) -> None:
    assert callers.admin.delete(f"/agents/{world.agent.pk}").status_code == 204
    assert callers.admin.get(f"/agents/{world.agent.pk}").status_code == 404
    names = [agent["name"] for agent in callers.admin.get("/agents").json()["items"]]
    assert names == ["Beacon"]


def test_an_archived_agent_is_brought_back(world: World, callers: Callers) -> None:
    callers.admin.delete(f"/agents/{world.agent.pk}")
    back = callers.admin.post(f"/agents/{world.agent.pk}/restore", {})
    assert (back.status_code, back.json()["name"]) == (200, "Atlas")
    assert callers.admin.get(f"/agents/{world.agent.pk}").status_code == 200


def test_an_agent_that_is_not_archived_cannot_be_brought_back(
    world: World, callers: Callers
) -> None:
    assert callers.admin.post(f"/agents/{world.agent.pk}/restore", {}).status_code == 404


def test_an_agent_whose_name_is_taken_is_not_brought_back(world: World, callers: Callers) -> None:
    callers.admin.delete(f"/agents/{world.agent.pk}")
    callers.admin.post("/agents", {"name": "Atlas"})
    assert callers.admin.post(f"/agents/{world.agent.pk}/restore", {}).status_code == 409


def test_a_language_is_one_of_the_products(world: World, callers: Callers) -> None:
    at = f"/agents/{world.agent.pk}"
    assert callers.admin.get(at).json()["language"] == "en"
    assert callers.admin.patch(at, {"language": "de"}).json()["language"] == "de"
    refused = callers.admin.patch(at, {"language": "fr"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "language")
