import os
import secrets
from typing import Any

from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.accounts import tokens
from memoryweb.accounts.members import add_member
from memoryweb.accounts.models import Membership, User
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.teams import create_team
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base
from memoryweb.commands.demo import building

ADMIN = "admin@memoryweb.example"


class Command(base.Command):
    help = _("On an empty installation: an admin, a team, and on SQLite the demo team.")

    def act(self, options: dict[str, Any]) -> base.Outcome:
        if User.objects.exists():
            return base.Outcome(_("This installation has people already; nothing was added."))
        password = os.environ.get("MEMORYWEB_ADMIN_PASSWORD") or secrets.token_urlsafe(12)
        team = create_team(name=_("My team"), by=SYSTEM)
        admin = add_member(
            team=team, email=ADMIN, role=Role.ADMIN, by=SYSTEM, name="Admin", password=password
        )
        said = [_("Sign in as {email} with the password {password}").format(
            email=ADMIN, password=password
        )]  # fmt: skip
        if connection.vendor == "sqlite":
            said += _demo(admin, password)
        _token, secret = tokens.issue(
            team=team,
            by=SYSTEM,
            name="first start",
            scopes=tokens.PERSONAL_SCOPES,
            user=admin.user,
        )
        said.append(_("API token of {email}, shown only now: {secret}").format(
            email=ADMIN, secret=secret
        ))  # fmt: skip
        return base.Outcome("\n".join(said), {"email": ADMIN, "token": secret})


def _demo(admin: Membership, password: str) -> list[str]:
    """The demo team, with the admin in it, so that everything can be seen at once."""
    with connection.cursor() as cursor:
        # Thousands of small commits of data that can be made again: no need to wait for the disk.
        cursor.execute("PRAGMA synchronous=NORMAL")
    demo = building.build(password, timezone.now())
    add_member(team=demo.team, email=admin.user.email, role=Role.ADMIN, by=SYSTEM)
    people = ", ".join(f"{person.email} ({person.role})" for person in building.PEOPLE)
    return [_("Demo people, with the same password: {people}").format(people=people)]
