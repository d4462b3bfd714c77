"""Everyone a test may need: a team with each role, its agents and owners, and a stranger's twin."""

from dataclasses import dataclass
from typing import Any

from django.test import Client
from django_scopes import scope

from memoryweb.accounts import tokens
from memoryweb.accounts.integrations import create_integration
from memoryweb.accounts.members import add_member
from memoryweb.accounts.models import Integration, Team, User
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.teams import create_team
from memoryweb.agents import one_time_codes
from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import api_owner, channel_owner, person_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.agents import create_agent
from memoryweb.memory.models.writer import write_transaction

PASSWORD = "a plain test password"


@dataclass(frozen=True)
class Home:
    """A team and what belongs to it; each has the same names as its twin."""

    team: Team
    admin: User
    agent: Agent
    other_agent: Agent
    integration: Integration
    person: Owner
    customer: Owner
    sender: Owner


@dataclass(frozen=True)
class World:
    home: Home
    twin: Home
    bob: User
    vera: User
    audrey: User

    @property
    def team(self) -> Team:
        return self.home.team

    @property
    def alice(self) -> User:
        return self.home.admin

    @property
    def charlie(self) -> User:
        """A stranger to Alice's team, admin of a twin of it."""
        return self.twin.admin

    @property
    def agent(self) -> Agent:
        return self.home.agent

    @property
    def other_agent(self) -> Agent:
        return self.home.other_agent

    @property
    def integration(self) -> Integration:
        return self.home.integration

    @property
    def bobs_memory(self) -> Owner:
        """Bob himself, as an owner of memory."""
        return self.home.person

    @property
    def customer(self) -> Owner:
        """Known only through the integration, as its end user `customer-1`."""
        return self.home.customer

    @property
    def sender(self) -> Owner:
        """Known only through Slack, as `U1`."""
        return self.home.sender

    @property
    def people(self) -> dict[str, User]:
        return {
            "admin": self.alice,
            "member": self.bob,
            "viewer": self.vera,
            "auditor": self.audrey,
            "stranger": self.charlie,
        }


def build_world() -> World:
    team, twin = (create_team(name="Harbour", by=SYSTEM) for _turn in range(2))
    alice = _join(team, "alice", Role.ADMIN)
    bob = _join(team, "bob", Role.MEMBER)
    return World(
        home=_furnish(team, admin=alice, person=bob),
        twin=_furnish(twin, admin=(charlie := _join(twin, "charlie", Role.ADMIN)), person=charlie),
        bob=bob,
        vera=_join(team, "vera", Role.VIEWER),
        audrey=_join(team, "audrey", Role.AUDITOR),
    )


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def personal_token(team: Team, user: User, *, act_as_person: bool = True) -> str:
    """The secret of a token with every scope that a person can have."""
    return tokens.issue(
        team=team,
        by=SYSTEM,
        user=user,
        name="Test",
        scopes=tokens.PERSONAL_SCOPES,
        act_as_person=act_as_person,
    )[1]


def integration_token(integration: Integration) -> str:
    scopes = integration.scopes
    issued = tokens.issue(
        team=integration.team, by=SYSTEM, integration=integration, name="Test", scopes=scopes
    )
    return issued[1]


def _join(team: Team, name: str, role: Role) -> User:
    return add_member(
        team=team,
        email=f"{name}@example.org",
        role=role,
        by=SYSTEM,
        name=name.title(),
        password=PASSWORD,
    ).user


def _furnish(team: Team, *, admin: User, person: User) -> Home:
    integration = create_integration(team=team, name="helpdesk", by=SYSTEM, channels=["slack"])
    with write_transaction(team) as u:
        agent, other_agent = create_agent(u, name="Atlas"), create_agent(u, name="Beacon")
    with scope(team=team):
        return Home(
            team=team,
            admin=admin,
            agent=agent,
            other_agent=other_agent,
            integration=integration,
            person=person_owner(team, person),
            customer=api_owner(team, integration, "customer-1"),
            sender=channel_owner(team, "slack", "U1"),
        )


def confirm_address(home: Home | World, owner: Owner, email: str = "ann@harbour.example") -> None:
    whose: dict[str, Any] = {"owner": owner, "integration": home.integration, "by": SYSTEM}
    given = one_time_codes.give_address(email=email, language="en", **whose)
    assert given
    one_time_codes.confirm_address(code=given.secret, **whose)
