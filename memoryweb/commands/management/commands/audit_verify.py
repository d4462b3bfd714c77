from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryweb.accounts import teams
from memoryweb.audit import checkpoints, triggers
from memoryweb.audit.verify import LIMITS, Verification, chains, verify
from memoryweb.commands import base


class Command(base.Command):
    help = "Check the audit chains and report the first altered event of each."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", help="only this team's chain: its slug, name or id")
        head = "judge a signed head that somebody kept: a line of a checkpoint file"
        parser.add_argument("--head", metavar="LINE", help=head)

    def act(self, options: dict[str, Any]) -> base.Outcome:
        if options["head"]:
            return _judged(options["head"])
        standing = teams.with_chain()
        chosen = [teams.find(options["team"]).pk] if options["team"] else chains(standing)
        names = teams.names(chosen)
        found = {team_id: verify(team_id, stands=team_id in standing) for team_id in chosen}
        missing = triggers.missing()
        fields = ("ok", "events", "first_bad_seq", "problem", "head", "erased")
        told = [
            {"teamId": team_id, "team": names[team_id], **base.data_of(result, *fields)}
            for team_id, result in found.items()
        ]
        said = []
        for team_id, result in found.items():
            said.append(_sentence(names[team_id], result))
            said += [f"{names[team_id]}: {one}" for one in checkpoints.gaps(team_id)]
        said += map(_unprotected, missing)
        return base.Outcome(
            "\n".join([*said, str(LIMITS)]) if said else "There are no audit events yet.",
            {"teams": told, "missingTriggers": missing},
            ok=not missing and all(result.ok for result in found.values()),
        )


def _judged(line: str) -> base.Outcome:
    if (head := checkpoints.pasted(line)) is None:
        raise CommandError("This is no signed head.")
    ok, said = checkpoints.judge(head)
    return base.Outcome(said, base.data_of(head, "team", "seq"), ok=ok)


def _sentence(name: str, result: Verification) -> str:
    if not result.ok:
        return f"{name}: the chain breaks at event {result.first_bad_seq}. {result.problem}"
    said = f"{name}: {result.events} events, the chain is whole. Head: {result.head or '–'}"
    return f"{said} Words erased: {result.erased}." if result.erased else said


def _unprotected(trigger: str) -> str:
    return (
        f"The database does not protect audit events: the trigger {trigger} is missing or was "
        "changed. “manage.py migrate” creates it again."
    )
