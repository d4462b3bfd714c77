from tests.mcp.client import Mcp

FLOOR = "Prefers a room on a high floor."


def test_what_was_remembered_is_found_and_read(mcp: Mcp) -> None:
    made = mcp.call("remember", content=FLOOR)["structuredContent"]
    found = mcp.call("memory_search", query="which floor")["structuredContent"]["results"]
    assert found[0] == {
        "path": made["filename"],
        "startLine": 3,
        "endLine": 3,
        "score": found[0]["score"],
        "snippet": found[0]["snippet"],
        "source": "memory",
        "corpus": "memory",
    }
    assert FLOOR in found[0]["snippet"]
    read = mcp.call("memory_get", path=made["filename"], lines=1, **{"from": 3})
    assert FLOOR in read["structuredContent"]["text"]
    assert read["structuredContent"]["from"] == 3
