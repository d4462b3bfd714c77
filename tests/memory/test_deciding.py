"""Who decides about what waits, and what is forgotten: one rule, whichever face asks."""

import re
from pathlib import Path

import pytest

from memoryweb.accounts.permissions import Permission, Role, can
from memoryweb.memory.review.decisions import may_decide

FACES = [Path("memoryweb/api"), Path("memoryweb/web")]
_ASKS = re.compile(r"\b(?:can|may)\(Permission\.(?:DECIDE|FORGET)\)")
# Tells whether the page of what was erased has buttons: no memory is decided about there.
MANAGES = {"memoryweb/web/team/views.py"}


@pytest.mark.parametrize("takes", [Permission.DECIDE, Permission.WRITE, Permission.FORGET])
@pytest.mark.parametrize("role", [*Role, None])
def test_shared_memory_takes_the_right(role: Role | None, takes: Permission) -> None:
    may = may_decide(role, takes, is_shared=True, is_theirs=True, is_opened=True)
    assert may == can(role, takes)


@pytest.mark.parametrize("role", Role)
def test_personal_memory_is_decided_by_whose_it_is_and_whom_it_is_opened_to(role: Role) -> None:
    for takes in (Permission.DECIDE, Permission.WRITE, Permission.FORGET):
        assert may_decide(role, takes, is_shared=False, is_theirs=True)
        assert not may_decide(role, takes, is_shared=False)
        is_asked = may_decide(role, takes, is_shared=False, is_opened=True)
        assert is_asked == (takes == Permission.DECIDE)


def test_no_face_has_a_rule_of_its_own() -> None:
    own = {
        path.as_posix()
        for face in FACES
        for path in face.rglob("*.py")
        if _ASKS.search(path.read_text())
    }
    assert own == MANAGES
