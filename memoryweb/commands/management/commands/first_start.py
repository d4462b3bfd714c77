import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection, transaction
from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts import tokens
from memoryweb.accounts.integrations import create_integration
from memoryweb.accounts.members import add_member
from memoryweb.accounts.models import Team, Token, User, checked_name
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.teams import create_team, remove_demo, system_team
from memoryweb.audit.record import SYSTEM, lock
from memoryweb.commands import base
from memoryweb.commands.demo import building
from memoryweb.memory.agents import MAX_NAME, create_agent
from memoryweb.memory.models.writer import write_transaction

ADMIN = "admin@memoryweb.example"
TOKEN = "first start"
ALREADY = base.Outcome("This installation already has people. Nothing was added.")
# The same by the environment alone, once: team, admin's address, agent, integration and the file
# for its token.
SETUP = (
    "MEMORYWEB_SETUP_TEAM",
    "MEMORYWEB_SETUP_ADMIN",
    "MEMORYWEB_SETUP_AGENT",
    "MEMORYWEB_SETUP_INTEGRATION",
    "MEMORYWEB_SETUP_TOKEN_FILE",
)


class Command(base.Command):
    help = "Set up an empty installation: an admin, a team and, on SQLite, the demo team."

    def act(self, options: dict[str, Any]) -> base.Outcome:
        name, *more = (os.environ.get(one, "") for one in SETUP)
        if name:
            return self._set_up(options, name, *more)
        if User.objects.exists() and not _was_cut_short():
            return ALREADY
        password = _password()
        with transaction.atomic():
            team = _team(_admin(password))
            # Said before it is so: whoever stops us here is told another on the next start, and
            # nobody has a password that was never shown.
            self._say(options, _signing_in(team, password))
        if team.is_demo:
            _live(team, password)
        secret = _token(team)
        whose = f"API token of the integration “{building.PROGRAM}” in {team.name}"
        said = f"{whose}, shown only now: {secret}"
        return base.Outcome(said, {"email": ADMIN, "password": password, "token": secret})

    def _set_up(
        self, options: dict[str, Any], name: str, email: str, agent: str, program: str, file: str
    ) -> base.Outcome:
        """All of it or nothing; of two processes the second waits and finds it done."""
        if not email or bool(program) != bool(file):
            raise CommandError(
                "Beside MEMORYWEB_SETUP_TEAM set MEMORYWEB_SETUP_ADMIN to an e-mail address, and"
                " MEMORYWEB_SETUP_INTEGRATION and MEMORYWEB_SETUP_TOKEN_FILE both or neither."
            )
        password = _password()
        with transaction.atomic():
            lock(system_team().pk)
            if User.objects.exists():
                return ALREADY
            team = create_team(name=name, by=SYSTEM)
            _admin_of(team, email, password)
            with scope(team=team), write_transaction(team) as tx:
                if agent:
                    called = checked_name(agent, longest=MAX_NAME)
                    create_agent(tx, name=called, language=_language())
                if program:
                    create_integration(team=team, name=program, by=SYSTEM)
                    _keep(Path(file), _token(team))
            if not os.environ.get("MEMORYWEB_ADMIN_PASSWORD"):
                said = f"Sign in as {email} with the password {password}, shown only now."
                self._say(options, said)
        data = {"team": team.slug, "email": email, "password": password}
        return base.Outcome(f"Set up the team “{name}”.", data)

    def _say(self, options: dict[str, Any], text: str) -> None:
        if not options["json"]:
            self.stdout.write(text)
            self.stdout.flush()


def _language() -> str:
    language = os.environ.get("MEMORYWEB_SETUP_LANGUAGE") or settings.LANGUAGE_CODE
    if language not in (known := dict(settings.LANGUAGES)):
        raise CommandError(f"MEMORYWEB_SETUP_LANGUAGE is one of {', '.join(known)}.")
    return language


def _keep(path: Path, secret: str) -> None:
    """For its user alone. Before the commit: whoever is stopped between makes another."""
    path.touch(0o600)
    path.chmod(0o600)
    path.write_text(f"{secret}\n")


def _password() -> str:
    return os.environ.get("MEMORYWEB_ADMIN_PASSWORD") or secrets.token_urlsafe(12)


def _was_cut_short() -> bool:
    """The token comes last. It goes with the demo, so where a demo was removed its absence says
    nothing; where none is made, the first admin alone and no token ever say it."""
    if Token.objects.filter(name=TOKEN).exists():
        return False
    if connection.vendor == "sqlite":
        return Team.objects.filter(is_demo=True).exists()
    people = User.objects.values_list("email", flat=True)
    return not Token.objects.exists() and list(people[:2]) == [ADMIN]


def _admin(password: str) -> User:
    """A superuser, in a team of their own that outlives the demo. Their password was perhaps never
    read."""
    admin = User.objects.filter(email=ADMIN).first()
    if admin is None:
        own = create_team(name="My team", by=SYSTEM)
        return _admin_of(own, ADMIN, password, name="Admin", is_superuser=True)
    admin.set_password(password)
    admin.save(update_fields=["password"])
    return admin


def _admin_of(
    team: Team, email: str, password: str, name: str = "", *, is_superuser: bool = False
) -> User:
    """Always a superuser where nobody else signs in with a password."""
    admin = add_member(
        team=team, email=email, role=Role.ADMIN, by=SYSTEM, name=name, password=password
    ).user
    if is_superuser or not settings.LOCAL_PASSWORDS:
        admin.is_superuser = True
        admin.save(update_fields=["is_superuser"])
    return admin


def _team(admin: User) -> Team:
    """What the sign-in and the token open: on SQLite a demo team, still empty."""
    if connection.vendor != "sqlite":
        return Team.objects.get(memberships__user=admin)
    for half in Team.objects.filter(is_demo=True):
        remove_demo(team=half, by=SYSTEM)
    team = create_team(name=building.NAME, by=SYSTEM, is_demo=True)
    add_member(team=team, email=admin.email, role=Role.ADMIN, by=SYSTEM)
    return team


def _signing_in(team: Team, password: str) -> str:
    said = [f"Sign in as {ADMIN} with the password {password}"]
    if team.is_demo:
        people = ", ".join(f"{person.email} ({person.role})" for person in building.PEOPLE)
        said += [
            f"Demo people, with the same password: {people}",
            "Building the demo team from two weeks of conversations and dreams. "
            "This takes a moment.",
        ]
    return "\n".join(said)


def _live(team: Team, password: str) -> None:
    with connection.cursor() as cursor:
        # Thousands of small commits of data that can be made again: no need to wait for the disk.
        cursor.execute("PRAGMA synchronous=NORMAL")
    building.build(team, password, timezone.now())


def _token(team: Team) -> str:
    with scope(team=team):
        program = team.integrations.first()
    if program is None:
        program = create_integration(team=team, name=building.PROGRAM, by=SYSTEM)
    return tokens.issue(
        team=team, by=SYSTEM, name=TOKEN, scopes=program.scopes, integration=program
    )[1]
