from collections.abc import Callable, Iterator

import pytest

from memoryweb.accounts.models import Membership, Team, User
from memoryweb.accounts.permissions import Role
from memoryweb.agents.models import Agent, Owner
from memoryweb.runs import engine
from tests.runs.desk import Desk

Handle = Callable[..., None]


@pytest.fixture
def desk(db: None) -> Desk:
    """A team with one agent and one owner, and ways to ask for runs."""
    return make_desk("one")


@pytest.fixture
def other_desk(db: None) -> Desk:
    return make_desk("other")


@pytest.fixture
def handle() -> Iterator[Handle]:
    """Say what dreams (or another kind) do while a test lasts."""
    before, first = dict(engine._handlers), dict(engine._preceding)
    engine._preceding.clear()

    def register(handler: engine.Handler, kind: str = "dream") -> None:
        engine.register(kind, handler)

    yield register
    engine._handlers.clear()
    engine._handlers.update(before)
    engine._preceding.update(first)


def make_desk(name: str) -> Desk:
    team = Team.objects.create(name=name, slug=name)
    user = User.objects.create_user(f"{name}@example.org")
    Membership.objects.create(team=team, user=user, role=Role.ADMIN)
    agent = Agent.objects.create(team=team, name="Ada", folded_name="ada")
    owner = Owner.objects.create(team=team, source="slack", external_id="U1")
    return Desk(team, agent, owner)
