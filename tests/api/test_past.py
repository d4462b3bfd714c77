import pytest
from django.utils import timezone

from tests.api.callers import Callers
from tests.world import World

NOW = timezone.now().isoformat().replace("+00:00", "Z")


@pytest.fixture
def files(path: str) -> str:
    return f"{path}/workspace/files"


@pytest.fixture
def renewed(callers: Callers, files: str) -> str:
    """KNOWLEDGE.md, written twice by a person; the moment between."""
    callers.admin.put(f"{files}/KNOWLEDGE.md", {"content": "One.\n"})
    between = timezone.now().isoformat().replace("+00:00", "Z")
    callers.admin.put(f"{files}/KNOWLEDGE.md", {"content": "Two, and more.\n"})
    return between


def test_files_are_listed_as_they_were(callers: Callers, files: str, renewed: str) -> None:
    listed = callers.viewer.get(f"{files}?at={renewed}").json()["items"]
    (then,) = [file for file in listed if file["filename"] == "KNOWLEDGE.md"]
    assert (then["revision"], then["size"]) == (1, 5)
    assert callers.viewer.get(f"{files}?at=2001-01-01T00:00:00Z").json()["items"] == []


def test_the_past_pages_as_well(callers: Callers, files: str, renewed: str) -> None:
    first = callers.viewer.get(f"{files}?at={renewed}&limit=3").json()
    rest = callers.viewer.get(f"{files}?at={renewed}&limit=3&cursor={first['cursor']}").json()
    names = [file["filename"] for file in [*first["items"], *rest["items"]]]
    assert names == sorted(names)
    assert len(names) == 5
    assert rest["cursor"] is None


@pytest.mark.parametrize(
    "query",
    ["at=yesterday", "at=2026-11-20T10:00:00", "at=0.5", "at=1795000000", f"at={NOW}&cursor=x"],
    ids=["word", "zoneless", "fraction", "seconds", "cursor"],
)
def test_what_is_no_moment_is_refused(callers: Callers, files: str, query: str) -> None:
    assert callers.viewer.get(f"{files}?{query}").status_code == 400


@pytest.mark.parametrize(
    ("query", "numbers"), [("", [2, 1]), ("authorKind=person", [2, 1]), ("authorKind=dream", [])]
)
def test_revisions_are_filtered_by_their_author(
    callers: Callers, files: str, renewed: str, query: str, numbers: list[int], world: World
) -> None:
    listed = callers.viewer.get(f"{files}/KNOWLEDGE.md/revisions?{query}").json()["items"]
    assert [one["number"] for one in listed] == numbers


def test_an_unknown_kind_of_author_is_refused(callers: Callers, files: str, renewed: str) -> None:
    answer = callers.viewer.get(f"{files}/KNOWLEDGE.md/revisions?authorKind=ghost")
    assert answer.status_code == 400
