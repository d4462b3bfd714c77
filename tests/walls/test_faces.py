"""What the house asks of its code and templates, read from them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import memoryweb

ROOT = Path(memoryweb.__file__).parent
TEMPLATES = sorted((ROOT.parent / "templates").rglob("*.html"))
MODULES = [path for path in sorted(ROOT.rglob("*.py")) if "migrations" not in path.parts]
FACES = [path for path in MODULES if path.parts[len(ROOT.parts)] in {"web", "api"}]
VIEWS = [
    path
    for path in MODULES
    if path.is_relative_to(ROOT / "web") and re.search("@(require_|team_view)", path.read_text())
]

FUNCTION_LINES, FILE_LINES, VIEW_LINES = 40, 500, 25
_FILLED = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.S)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def test_there_is_something_to_read() -> None:
    assert len(MODULES) > 100
    assert len(FACES) > 40
    assert len(VIEWS) > 10
    assert len(TEMPLATES) > 40


def test_faces_look_nothing_up_from_a_model() -> None:
    """They start from an authorised parent; a model's manager knows no person."""
    managers = {"objects", "_default_manager", "_base_manager", "scopes_disabled"}
    but_models = [path for path in FACES if path.name != "models.py"]
    assert _used(but_models, managers) == []


def test_faces_open_no_connection_of_their_own() -> None:
    assert _used(FACES, {"connection", "connections", "RawSQL"}) == []


def test_no_function_is_longer_than_a_screen() -> None:
    assert [
        (where, length)
        for path in MODULES
        for where, length in _lengths(path, ast.walk(_tree(path)))
        if length > FUNCTION_LINES
    ] == []


def test_no_file_is_longer_than_its_reader() -> None:
    assert [
        (_name(path), length)
        for path in MODULES
        if (length := len(path.read_text().splitlines())) > FILE_LINES
    ] == []


def test_a_view_is_five_steps() -> None:
    assert [
        (where, length)
        for path in VIEWS
        for where, length in _lengths(path, filter(_is_view, ast.walk(_tree(path))))
        if length > VIEW_LINES
    ] == []


def test_every_view_says_its_method_before_anything_else() -> None:
    first = {"team_view", "require_GET", "require_POST", "require_safe", "require_http_methods"}
    assert [
        f"{_name(path)}:{node.name}"
        for path in VIEWS
        for node in filter(_is_view, ast.walk(_tree(path)))
        if isinstance(node, ast.FunctionDef) and _called(node.decorator_list[0]) not in first
    ] == []
    assert [
        f"{_name(path)}:{node.lineno}"
        for path in VIEWS
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Call) and _called(node) == "team_view" and not node.args
    ] == []


def test_only_links_and_the_plugin_are_open_to_everybody() -> None:
    names = {"login_not_required", "csrf_exempt"}
    assert {
        f"{_name(path)}:{getattr(node, 'name', node.lineno)}"
        for path in FACES
        if path.is_relative_to(ROOT / "web")
        for node in _tree(path).body
        if any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))
    } == {
        "web/profile.py:stop",
        "web/connect.py:plugin",
        "web/company.py:leave",
        "web/company.py:callback",
        "web/team/members.py:entrance",
        "web/team/members.py:invitation",
        "web/team/members.py:join",
        "web/my_memory/visits.py:entrance",
        "web/my_memory/visits.py:_visit",
        "web/my_memory/visits.py:leave",
    }


def test_only_rendered_markdown_is_marked_safe() -> None:
    """A constant is safe by itself; `format_html` escapes what it puts into one."""
    names = {"mark_safe", "SafeString", "SafeText", "format_html", "format_html_join"}
    modules = [path for path in MODULES if path != ROOT / "web" / "markdown.py"]
    assert [
        f"{_name(path)}:{node.lineno}"
        for path in modules
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Call)
        and _called(node) in names
        and not isinstance(node.args[0], ast.Constant)
    ] == []


def test_no_template_turns_escaping_off() -> None:
    off = re.compile(r"\|\s*safe(seq)?\b|autoescape\s+off")
    assert [path.name for path in TEMPLATES if off.search(path.read_text())] == []


def test_what_cannot_be_undone_is_asked_by_a_page_that_needs_no_script() -> None:
    assert _found(r"\shx-confirm\b") == []


def test_no_template_holds_a_style_or_a_script_of_its_own() -> None:
    assert _found(r"<style\b|\sstyle\s*=") == []
    assert _found(r"<script\b(?![^>]*\s(src|nonce)=)") == []
    assert _found(r"\son[a-z]+\s*=|\shx-on|javascript:|\shx-vals\s*=\s*[\"']js:") == []


def test_no_template_fetches_from_elsewhere() -> None:
    assert _found(r"<(script|link|img|iframe|form)\b[^>]*\s(src|href|action)=\"(https?:)?//") == []


def test_every_form_that_posts_carries_its_token() -> None:
    form = re.compile(r"<form\b[^>]*method=\"post\"[^>]*>(?P<body>.*?)</form>", re.S | re.I)
    assert [
        f"{path.name}: {match[0][:60]}"
        for path in TEMPLATES
        for match in form.finditer(path.read_text())
        if "csrf_token" not in match["body"]
    ] == []


def _used(paths: list[Path], names: set[str]) -> list[str]:
    """Where a name is used, as an attribute or alone."""
    return [
        f"{_name(path)}:{node.lineno}"
        for path in paths
        for node in ast.walk(_tree(path))
        if (isinstance(node, ast.Attribute) and node.attr in names)
        or (isinstance(node, ast.Name) and node.id in names)
    ]


def _lengths(path: Path, nodes: Iterator[ast.AST]) -> Iterator[tuple[str, int]]:
    """From `def` to the end, decorators aside."""
    for node in nodes:
        if isinstance(node, Function):
            end = node.end_lineno or node.lineno
            yield f"{_name(path)}:{node.name}", end - node.lineno + 1


def _is_view(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        (_called(decorator) or "").startswith(("require_", "team_view"))
        for decorator in node.decorator_list
    )


def _called(node: ast.expr) -> str | None:
    if isinstance(node, ast.Call):
        return _called(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _found(pattern: str) -> list[str]:
    return [
        f"{path.relative_to(ROOT.parent)}: {match[0]}"
        for path in TEMPLATES
        for match in re.finditer(pattern, _FILLED.sub("", path.read_text()), re.I)
    ]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))
