"""The sieve lets through every text in which a secret is found, and ordinary ones hardly ever."""

import pytest

from memoryweb.language.secrets import assignments, credentials
from memoryweb.memory.snapshot import secrets
from tests.language import test_credentials as samples
from tests.language.test_secret_assignments import FORMS, drawn

FOUND = [text for texts in samples.SAMPLES.values() for text in texts if credentials.find(text)]
LABELLED = [form.format(drawn(7)) for forms in FORMS.values() for form in forms]


@pytest.mark.parametrize("number", range(len(FOUND)))
def test_no_secret_is_sieved_out(number: int) -> None:
    for text in (FOUND[number], f"- the key is {FOUND[number]}\n", f"茶 `{FOUND[number]}`"):
        assert not credentials.find(text) or secrets.could_hold(text.encode())


@pytest.mark.parametrize("number", range(len(LABELLED)))
def test_no_likely_password_is_sieved_out(number: int) -> None:
    for text in (LABELLED[number], f"日本語 🎉\n- {LABELLED[number].upper()}\n"):
        raw = text.encode()
        if any(assignments._labels(raw)):
            assert assignments.could_hold(raw)
            assert secrets.could_hold(raw)


def test_a_label_of_many_wide_characters_is_let_through() -> None:
    assert assignments.could_hold(f"密码{'茶' * 24}：x".encode())


def test_ordinary_lines_need_no_closer_look() -> None:
    said = "# 2026-11-20\n\n- 09:00 Ask for the tasks of the desk; the task-list is in us-east.\n"
    assert not secrets.could_hold(said.encode() * 100)
