"""Every page route of a team, what it needs, and who may: the truth table of the walls."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.web.stage import NOTE, Stage

ALL = frozenset({"admin", "member", "viewer", "auditor"})
WRITERS = frozenset({"admin", "member"})
ADMIN = frozenset({"admin"})
WATCHERS = frozenset({"admin", "auditor"})
NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Route:
    """`args` after the team; `foreign` the same with an id of another team. `post`: mutates."""

    name: str
    who: frozenset[str] = ALL
    args: Callable[[Stage], list[Any]] = lambda stage: []
    foreign: Callable[[Stage], list[Any]] | None = None
    post: bool = False


def _agent(stage: Stage) -> list[Any]:
    return [stage.world.agent.pk]


def _foreign_agent(stage: Stage) -> list[Any]:
    return [stage.foreign.agent]


def _of_agent(name: str, who: frozenset[str] = ALL, *rest: Any, post: bool = False) -> Route:
    return Route(
        name,
        who,
        lambda s: [*_agent(s), *rest],
        lambda s: [*_foreign_agent(s), *rest],
        post,
    )


ROUTES = [
    Route("tonight"),
    Route("agents"),
    Route("agents_new", ADMIN),
    _of_agent("agents_detail"),
    _of_agent("agents_files"),
    _of_agent("agents_new_file", WRITERS),
    _of_agent("agents_file", ALL, "MEMORY.md"),
    _of_agent("agents_why", ALL, NOTE, 3),
    _of_agent("agents_edit", WRITERS, "MEMORY.md"),
    _of_agent("agents_delete_confirm", WRITERS, "MEMORY.md"),
    _of_agent("agents_delete", WRITERS, "SOUL.md", post=True),
    _of_agent("agents_revisions", ALL, "MEMORY.md"),
    _of_agent("agents_revision", ALL, "MEMORY.md", 1),
    _of_agent("agents_restore", WRITERS, "MEMORY.md", 1, post=True),
    _of_agent("agents_compare", ALL, "MEMORY.md"),
    _of_agent("agents_dreams"),
    _of_agent("agents_dream", WRITERS, post=True),
    _of_agent("agents_conversations"),
    Route(
        "agents_conversation",
        ALL,
        lambda s: [*_agent(s), s.shared_talk.pk],
        lambda s: [*_agent(s), s.foreign.talk],
    ),
    _of_agent("agents_settings"),
    _of_agent("agents_archive_confirm", ADMIN),
    _of_agent("agents_archive", ADMIN, post=True),
    Route("agents_run", ALL, lambda s: [s.shared_run.pk], lambda s: [s.foreign.run]),
    Route("agents_progress", ALL, lambda s: [s.shared_run.pk], lambda s: [s.foreign.run]),
    Route("review"),
    Route("review_detail", ALL, lambda s: [s.proposal.pk], lambda s: [s.foreign.proposal]),
    Route(
        "review_accept", WRITERS, lambda s: [s.proposal.pk], lambda s: [s.foreign.proposal], True
    ),
    Route(
        "review_reject", WRITERS, lambda s: [s.proposal.pk], lambda s: [s.foreign.proposal], True
    ),
    Route("mine"),
    Route("mine_pause", post=True),
    Route("mine_resume", post=True),
    Route("owners", WATCHERS),
    Route("owners_detail", WATCHERS, lambda s: [s.world.customer.pk], lambda s: [s.foreign.owner]),
    Route(
        "owners_open", WATCHERS, lambda s: [s.world.customer.pk], lambda s: [s.foreign.owner], True
    ),
    Route("settings"),
    Route("settings_members", WATCHERS),
    Route("settings_member_add", ADMIN, post=True),
    Route(
        "settings_member_change",
        ADMIN,
        lambda s: [s.world.team.memberships.get(user=s.world.vera).pk],
        lambda s: [s.foreign.membership],
        True,
    ),
    Route(
        "settings_member_remove_confirm",
        ADMIN,
        lambda s: [s.world.team.memberships.get(user=s.world.vera).pk],
        lambda s: [s.foreign.membership],
    ),
    Route(
        "settings_member_remove",
        ADMIN,
        lambda s: [s.world.team.memberships.get(user=s.world.vera).pk],
        lambda s: [s.foreign.membership],
        True,
    ),
    Route("settings_integrations", WATCHERS),
    Route("settings_integration_new", ADMIN),
    Route(
        "settings_integration_revoke_confirm",
        ADMIN,
        lambda s: [s.world.integration.pk],
        lambda s: [s.foreign.integration],
    ),
    Route(
        "settings_integration_revoke",
        ADMIN,
        lambda s: [s.world.integration.pk],
        lambda s: [s.foreign.integration],
        True,
    ),
    Route("settings_tokens"),
    Route("settings_token_new", post=True),
    Route(
        "settings_token_revoke",
        WRITERS,  # Bob's own token: he and an admin
        lambda s: [s.bobs_token.pk],
        lambda s: [s.foreign.token],
        True,
    ),
    Route("audit", WATCHERS),
]
