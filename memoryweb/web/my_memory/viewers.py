"""Whoever looks at their own memory: a member, or somebody without an account on a visit. All
that My memory shows and does starts from here, and reaches these owners alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404
from django.urls import reverse

from memoryweb.accounts.models import Team, User
from memoryweb.agents.models import OneTimeCode, Owner
from memoryweb.agents.one_time_codes import visitor
from memoryweb.audit.record import Actor
from memoryweb.memory.models import File
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.my_memory import own_file
from memoryweb.memory.writing.write import Writer
from memoryweb.web.access import TeamRequest

_NAMES = (
    *("page", "reword", "remove", "undo", "pause", "resume", "export"),
    *("bring_back", "keep", "erase", "forget"),
)


@dataclass(frozen=True)
class Oneself:
    """`user` is None on a visit. `urls` are where each thing is done."""

    team: Team
    owners: Mapping[UUID, Owner]
    me: Owner
    actor: Actor
    writer: Writer
    urls: Mapping[str, str]
    user: User | None = None

    @property
    def is_member(self) -> bool:
        return self.user is not None

    def to(self, name: str, *place: Any, query: str = "") -> str:
        """A page of the team; empty on a visit, which opens none of them."""
        if not self.is_member:
            return ""
        return reverse(f"web:{name}", args=[self.team.slug, *place]) + query

    def file(self, file_id: UUID) -> File:
        """One's own, or the same 404 as for one that nobody has."""
        found = own_file(self.team, self.owners.keys(), file_id)
        if found is None:
            raise Http404
        return found


def member(request: TeamRequest) -> Oneself:
    visit = request.visit
    slug = visit.team.slug
    names = {name: "mine" if name == "page" else f"mine_{name}" for name in _NAMES}
    urls = {name: reverse(f"web:{view}", args=[slug]) for name, view in names.items()}
    return Oneself(
        team=visit.team,
        owners=visit.mine,
        me=visit.me,
        actor=visit.actor,
        writer=Writer(AuthorKind.PERSON, user=visit.user),
        urls=urls,
        user=visit.user,
    )


def guest(code: OneTimeCode) -> Oneself:
    """The owner of the link and nobody else, in no role of the team."""
    return Oneself(
        team=code.team,
        owners={code.owner_id: code.owner},
        me=code.owner,
        actor=visitor(code.owner),
        writer=Writer(AuthorKind.PERSON, integration=code.integration),
        urls={name: reverse(f"visit_{name}") for name in (*_NAMES, "leave")},
    )
