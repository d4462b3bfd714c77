"""Lines as long as a file may be: SQLite compares with no pattern of more than 50,000 bytes."""

import pytest

from tests.api.callers import Callers
from tests.soaking import first_in_gate
from tests.world import World

LINES = {
    "a long word before an address": "x" * 50_001 + " https://example.org/x",
    "an address that is long": "https://example.org/" + "a" * 50_001,
    "of many bytes": "https://example.org/" + "茶" * 19_000,
    "of what a pattern has to escape": "https://example.org/" + "_%" * 12_600,
    "words before an address": "word " * 11_000 + "https://example.org/x",
    "a mail address that is long": "mail " + "a" * 50_001 + "@example.org",
    "its host": "mail a@" + "a" * 50_001 + ".example.org",
}


@pytest.mark.parametrize("kind", first_in_gate(4, [*LINES]))
@pytest.mark.parametrize("name", first_in_gate(1, ["memory/2026-11-20.md", "KNOWLEDGE.md"]))
@pytest.mark.first_two
def test_a_long_line_with_an_address_is_written_and_waits_for_a_person(
    world: World, callers: Callers, path: str, kind: str, name: str
) -> None:
    line = LINES[kind]
    address = f"{path}/workspace/files/{name}?owner=api:customer-1"
    written = callers.helpdesk.put(address, {"content": f"# Notes\n\n- {line}\n"})
    assert written.status_code == 201
    assert line not in callers.helpdesk.get(address).json()["content"]
