from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts import teams
from memoryweb.accounts.models import Team
from memoryweb.commands import base
from memoryweb.memory.index.reindexing import all_teams
from memoryweb.memory.statements import repair
from memoryweb.memory.statements.repair import Projected


class Command(base.Command):
    help = _("Make statements match the files that they stand in, or check that they do.")

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", help=_("only this team: its slug, name or id"))
        parser.add_argument(
            "--check", action="store_true", help=_("change nothing, only report differences")
        )

    def act(self, options: dict[str, Any]) -> base.Outcome:
        chosen = [teams.find(options["team"])] if options["team"] else all_teams()
        look = repair.check if options["check"] else repair.project
        done = {team: look(team) for team in chosen}
        tell = _checked if options["check"] else _projected
        return base.Outcome(
            "\n".join(tell(team, result) for team, result in done.items())
            or _("There is no team yet, and nothing to do."),
            {"teams": [_told(team, result) for team, result in done.items()]},
            ok=not (options["check"] and any(result.differing for result in done.values())),
        )


def _checked(team: Team, result: Projected) -> str:
    if not result.differing:
        return _("{team}: {count} statements, and all match their files.").format(
            team=team.name, count=result.statements
        )
    return _("{team}: {count} files don't match their statements: {files}").format(
        team=team.name, count=len(result.differing), files=", ".join(result.differing)
    )


def _projected(team: Team, result: Projected) -> str:
    return _(
        "{team}: {files} files hold {count} statements; {changed} files were read anew."
    ).format(
        team=team.name,
        files=result.files,
        count=result.statements,
        changed=len(result.differing),
    )


def _told(team: Team, result: Projected) -> dict[str, Any]:
    return {
        "team": team.slug,
        "files": result.files,
        "statements": result.statements,
        "differing": list(result.differing),
    }
