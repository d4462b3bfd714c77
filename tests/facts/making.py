"""Statements as rows of their own, without a file behind them."""

from typing import Any

from django_scopes import scope

from memoryweb.agents.models import Owner
from memoryweb.language.extraction_rules import Kind
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory.models import Fact, Scope
from tests.world import Home, World


def made(
    world: World | Home,
    text: str,
    *,
    owner: Owner | None = None,
    kind: str = Kind.OTHER,
    **more: Any,
) -> Fact:
    with scope(team=world.team):
        return Fact.objects.create(
            team=world.team,
            agent=world.agent,
            owner=owner,
            scope=Scope.PERSONAL if owner else Scope.TEAM,
            path="MEMORY.md",
            raw_text=text,
            kind=kind,
            fingerprint=fingerprint(text),
            **more,
        )
