from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts import teams
from memoryweb.accounts.models import Team
from memoryweb.commands import base
from memoryweb.memory.index import reindexing
from memoryweb.memory.index.reindexing import Checked, Difference, Rebuilt


class Command(base.Command):
    help = _("Rebuild the search index from files and messages, or check it.")

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", help=_("only this team: its slug, name or id"))
        parser.add_argument(
            "--check", action="store_true", help=_("change nothing, only report differences")
        )

    def act(self, options: dict[str, Any]) -> base.Outcome:
        chosen = [teams.find(options["team"])] if options["team"] else reindexing.all_teams()
        return _check(chosen) if options["check"] else _rebuild(chosen, whole=not options["team"])


def _rebuild(chosen: list[Team], *, whole: bool) -> base.Outcome:
    done = {team: reindexing.rebuild(team) for team in chosen}
    if whole or not reindexing.is_sound():
        reindexing.rebuild_index()
    return base.Outcome(
        "\n".join(_rebuilt(team, result) for team, result in done.items())
        or _("There is no team yet, and nothing to index."),
        {
            "teams": [
                {"team": team.slug, **base.data_of(result, "files", "messages", "passages")}
                for team, result in done.items()
            ]
        },
    )


def _check(chosen: list[Team]) -> base.Outcome:
    found = {team: reindexing.check(team) for team in chosen}
    is_sound = reindexing.is_sound()
    lines = [line for team, result in found.items() for line in _checked(team, result)]
    if not is_sound:
        lines.append(_("The database's full-text index doesn't match the passages. Run “reindex”."))
    return base.Outcome(
        "\n".join(lines) or _("There is no team yet, and nothing to check."),
        {"indexIsSound": is_sound, "teams": [_told(team, r) for team, r in found.items()]},
        ok=is_sound and not any(result.differences for result in found.values()),
    )


def _rebuilt(team: Team, result: Rebuilt) -> str:
    return _(
        "{team}: {passages} passages built from {files} files and {messages} messages."
    ).format(team=team.name, passages=result.passages, files=result.files, messages=result.messages)


def _checked(team: Team, result: Checked) -> list[str]:
    if not result.differences:
        return [
            _("{team}: {passages} passages, the index is correct.").format(
                team=team.name, passages=result.passages
            )
        ]
    count = len(result.differences)
    lines = [_("{team}: the index differs in {count} places.").format(team=team.name, count=count)]
    if result.stale:
        lines.append(_("{count} passages were made by another version.").format(count=result.stale))
    return lines + [_difference(one) for one in result.differences]


def _difference(one: Difference) -> str:
    sentences = {
        "missing": _("{where}, line {line}: is not in the index."),
        "extra": _("{where}, line {line}: is in the index, but should not be."),
        "changed": _("{where}, line {line}: is in the index with other content."),
    }
    return "  " + sentences[one.problem].format(where=one.where, line=one.line)


def _told(team: Team, result: Checked) -> dict[str, Any]:
    found = [base.data_of(one, "problem", "where", "line") for one in result.differences]
    said = {"team": team.slug, "ok": not found, "differences": found}
    return said | base.data_of(result, "passages", "stale")
