"""No code is shown as it is stored: every one that is written somewhere has its words."""

import ast
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

import memoryweb
from memoryweb.accounts.permissions import Permission
from memoryweb.audit.models import Event
from memoryweb.extraction.requests import Skip
from memoryweb.llm import exceptions as llm
from memoryweb.runs.models import Run
from memoryweb.web import audit, wording

HOUSE = Path(memoryweb.__file__).parent
WORK = ("runs", "extraction", "dreaming", "memory")
# What code calls added, considered, checks, blame and revert or undo.
INSIDE = re.compile(
    r"\b(promot\w+|candidates?|consolidat\w+|gates?|gutter|retired|gained|taught)\b", re.I
)
TOLD = re.compile(r"{% (?:block)?translate [^%]*%}(?:.*?{% endblocktranslate %})?", re.S)


@cache
def _nodes(*rooms: str) -> list[ast.AST]:
    paths = [path for room in rooms for path in (HOUSE / room).rglob("*.py")]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    return [node for tree in trees for node in ast.walk(tree)]


def _text(node: ast.expr) -> set[str]:
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def _said(nodes: Iterable[ast.AST], position: int, *names: str, keyword: str = "") -> set[str]:
    """The literal at a place of every call of these names."""
    found: set[str] = set()
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
        if (name.id if isinstance(name, ast.Name) else name) not in names:
            continue
        given = [*node.args[position : position + 1]]
        given += [one.value for one in node.keywords if keyword and one.arg == keyword]
        found |= {text for one in given for text in _text(one)}
    return found


def _returned(nodes: Iterable[ast.AST], name: str) -> set[str]:
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == name]
    inside = [node for function in functions for node in ast.walk(function)]
    returned = [one for node in inside if isinstance(node, ast.Return) for one in ast.walk(node)]
    return {text for one in returned if isinstance(one, ast.expr) for text in _text(one) if text}


def _assigned(nodes: Iterable[ast.AST], attribute: str) -> set[str]:
    """`run.status, run.reason = …, "code"` and its plain form."""
    found: set[str] = set()
    for node in nodes:
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        values = value.elts if isinstance(value, ast.Tuple) else [value]
        found |= {
            text
            for to, said in zip(targets, values, strict=False)
            if isinstance(to, ast.Attribute) and to.attr == attribute
            for text in _text(said)
            if text
        }
    return found


@cache
def _codes() -> set[str]:
    """Every reason that a run can end with."""
    errors = [one for one in vars(llm).values() if isinstance(one, type)]
    return {
        *_said(_nodes(*WORK), 0, "Retry", "GiveUp"),
        *_said(_nodes(*WORK), 1, "Outcome", keyword="reason"),
        *_said(_nodes(*WORK), 0, "BrokenGuard"),
        *_returned(_nodes("dreaming"), "_stopped"),
        *_returned(_nodes("dreaming"), "_stopping"),
        *_assigned(_nodes(*WORK), "reason"),
        *(one.code for one in errors if issubclass(one, llm.ModelError)),
        *(one.value for one in Skip),
        "policy",
    }


def test_the_codes_of_every_room_are_found() -> None:
    wanted = {"no_notes", "worker_lost", "archived", "proposal", "pinned", "model_busy", "paused"}
    assert wanted < _codes()


def test_every_reason_of_a_run_is_a_whole_sentence() -> None:
    said = {code: str(wording.reason(code)) for code in _codes()}
    assert [c for c, text in said.items() if not text.endswith(".") or text == c] == []


def test_every_refusal_in_the_audit_log_is_a_whole_sentence() -> None:
    codes = {
        *(permission.value for permission in Permission),
        *_said(_nodes("web"), 0, "Refused"),
        *_said(_nodes("api"), 0, "Forbidden"),
    }
    denied = [Event(action="access.denied", reason_code=code) for code in codes]
    denied += [Event(action="access.denied", reason_code=f"may_not_{one}") for one in Permission]
    assert [e.reason_code for e in denied if not str(audit.reason_of(e)).endswith(".")] == []


@pytest.mark.parametrize(
    ("action", "codes"),
    [
        ("personal.read", {"break_glass", "granted"}),
        ("signin.failed", {"wrong_password", "wrong_code", "unknown_address"}),
        ("secret.refused", {"github-token"}),
        ("conversation.received", {"paused", "ephemeral"}),
    ],
)
def test_every_other_reason_is_one_too(action: str, codes: set[str]) -> None:
    for code in codes:
        said = str(audit.reason_of(Event(action=action, reason_code=code)))
        assert said.endswith("."), code


@pytest.mark.parametrize("outcome", [*Run.Status.values, "denied", "refused"])
def test_every_outcome_is_a_word(outcome: str) -> None:
    chip = audit.chip_of(Event(outcome=outcome))
    assert chip is not None
    assert "_" not in str(chip.label)


def test_the_filter_knows_every_outcome_of_what_is_over() -> None:
    known = {stored for _label, stored_ones in audit.OUTCOMES.values() for stored in stored_ones}
    assert known == {*Run.Status.values, "ok", "denied", "refused"} - {"queued", "running"}


def test_sentences_have_no_words_from_inside() -> None:
    nodes = _nodes("")
    told = _said(nodes, 0, "_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy")
    told |= _said(nodes, 1, "ngettext", "ngettext_lazy")
    for path in (HOUSE.parent / "templates").rglob("*.html"):
        told |= set(TOLD.findall(path.read_text(encoding="utf-8")))
    assert len(told) > 1000
    names = {one for one in told if "{promoted}" in one}  # a value's name in a command
    assert [one for one in told - names if INSIDE.search(one)] == []
