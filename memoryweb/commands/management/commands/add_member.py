from datetime import UTC, datetime, time
from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts import members
from memoryweb.accounts.models import Team
from memoryweb.accounts.permissions import Role
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.TeamCommand):
    help = "Add a person to a team, with an account if the address is new."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--email", required=True)
        parser.add_argument("--role", required=True, choices=Role.values)
        parser.add_argument("--name", default="", help="the person's name, for a new account")
        parser.add_argument("--password", help="for a new account")
        parser.add_argument(
            "--until", type=base.day, metavar="YYYY-MM-DD", help="the last day, in UTC"
        )

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        until, password = options["until"], options["password"]
        member = members.add_member(
            team=team,
            email=options["email"],
            role=Role(options["role"]),
            by=SYSTEM,
            name=options["name"],
            password=password,
            ends_at=datetime.combine(until, time.max, tzinfo=UTC) if until else None,
        )
        email = member.user.email
        kept = bool(password) and not member.user.check_password(password)
        said = f"{email} is now {member.role} of “{team}”."
        if kept:
            said += " The account already existed and keeps its password."
        data = base.data_of(member, "user_id", "role", "ends_at")
        return base.Outcome(said, data | {"email": email, "team": team.slug, "passwordKept": kept})
