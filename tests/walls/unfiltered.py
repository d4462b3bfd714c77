"""Plugin for pytest: as if no query named its team, so that the scoped managers alone keep teams
apart.

    PYTHONPATH=. pytest -p tests.walls.unfiltered tests/walls/test_web_looks.py
"""

from contextvars import ContextVar
from importlib import import_module
from typing import Any

from django.db.models import Q, QuerySet
from django_scopes import get_scope

_is_ours = ContextVar("_is_ours", default=False)
_NAMES = {"team", "team_id", "team__in", "team_id__in"}
_neutral = 0


def pytest_configure() -> None:
    manager: Any = import_module("memoryweb.core.tables").TeamManager  # needs the settings
    rows: Any = QuerySet
    scoped, filtered = manager.get_queryset, rows._filter_or_exclude_inplace

    def get_queryset(self: Any) -> Any:
        token = _is_ours.set(True)
        try:
            return scoped(self)
        finally:
            _is_ours.reset(token)

    def filter_inplace(self: Any, negate: bool, args: Any, kwargs: Any) -> None:
        is_scoped = isinstance(self.model._default_manager, manager)
        if is_scoped and not negate and not _is_ours.get() and "team" in get_scope():
            args = [_without_team(one) if isinstance(one, Q) else one for one in args]
            args += [_any_team(key, kwargs[key]) for key in kwargs if key in _NAMES]
            kwargs = {key: value for key, value in kwargs.items() if key not in _NAMES}
        filtered(self, negate, args, kwargs)

    manager.get_queryset, rows._filter_or_exclude_inplace = get_queryset, filter_inplace


def _without_team(term: Q) -> Q:
    made = term.copy()
    made.children = [
        _without_team(one)
        if isinstance(one, Q)
        else _any_team(*one)
        if isinstance(one, tuple) and one[0] in _NAMES and not term.negated
        else one
        for one in term.children
    ]
    return made


def _any_team(key: str, value: Any) -> Q:
    """Takes its value, as a prepared query wants, and holds for each team."""
    global _neutral
    _neutral += 1
    return Q(**{key: value}) | Q(team_id__isnull=False)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_line(f"{_neutral} filters by team were taken out.")
