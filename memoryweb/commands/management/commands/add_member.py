from datetime import UTC, datetime, time
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts import members
from memoryweb.accounts.models import Team
from memoryweb.accounts.permissions import Role
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.TeamCommand):
    help = _("Add a person to a team, with an account if the address is new.")

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--email", required=True)
        parser.add_argument("--role", required=True, choices=Role.values)
        parser.add_argument("--name", default="", help=_("the person's name, for a new account"))
        parser.add_argument("--password", help=_("for a new account"))
        parser.add_argument(
            "--until", type=base.day, metavar="YYYY-MM-DD", help=_("the last day, in UTC")
        )

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        until = options["until"]
        member = members.add_member(
            team=team,
            email=options["email"],
            role=Role(options["role"]),
            by=SYSTEM,
            name=options["name"],
            password=options["password"],
            ends_at=datetime.combine(until, time.max, tzinfo=UTC) if until else None,
        )
        said = _("{email} is now {role} of “{team}”.").format(
            email=member.user.email, role=member.role, team=team
        )
        kept = bool(options["password"]) and not member.user.check_password(options["password"])
        if kept:
            said += " " + _("The account already existed and keeps its password.")
        data = base.data_of(member, "user_id", "role", "ends_at")
        data |= {"email": member.user.email, "team": team.slug, "passwordKept": kept}
        return base.Outcome(said, data)
