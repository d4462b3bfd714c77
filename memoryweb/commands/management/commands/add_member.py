from datetime import UTC, datetime, time
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from memoryweb.accounts import members
from memoryweb.accounts.models import Membership, Team
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
        parser.add_argument("--until", metavar="YYYY-MM-DD", help=_("the last day, in UTC"))

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        member = members.add_member(
            team=team,
            email=options["email"],
            role=Role(options["role"]),
            by=SYSTEM,
            name=options["name"],
            password=options["password"],
            ends_at=_end_of_day(options["until"]) if options["until"] else None,
        )
        said = _("{email} is now {role} of “{team}”.").format(
            email=member.user.email, role=member.role, team=team
        )
        kept = bool(options["password"]) and not member.user.check_password(options["password"])
        if kept:
            said += " " + _("The account already existed and keeps its password.")
        return base.Outcome(said, _told(member) | {"passwordKept": kept})


def _end_of_day(text: str) -> datetime:
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None:
        raise CommandError(_("“{text}” is not a date like 2026-12-31.").format(text=text))
    return datetime.combine(day, time.max, tzinfo=UTC)


def _told(member: Membership) -> dict[str, Any]:
    return {
        "userId": str(member.user_id),
        "email": member.user.email,
        "team": member.team.slug,
        "role": str(member.role),
        "endsAt": member.ends_at.isoformat() if member.ends_at else None,
    }
