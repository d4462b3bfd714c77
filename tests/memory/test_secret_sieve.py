"""The sieve lets through every text in which a secret is found, and ordinary ones hardly ever."""

import pytest

from memoryweb.memory.secrets.scanning import find
from memoryweb.memory.secrets.sieve import could_hold
from tests.memory import test_scanning as samples

FOUND = [text for texts in samples.SAMPLES.values() for text in texts if find(text)]


@pytest.mark.parametrize("number", range(len(FOUND)))
def test_no_secret_is_sieved_out(number: int) -> None:
    for text in (FOUND[number], f"- the key is {FOUND[number]}\n", f"茶 `{FOUND[number]}`"):
        assert not find(text) or could_hold(text.encode())


def test_ordinary_lines_need_no_closer_look() -> None:
    said = "# 2026-11-20\n\n- 09:00 Ask for the tasks of the desk; the task-list is in us-east.\n"
    assert not could_hold(said.encode() * 100)
