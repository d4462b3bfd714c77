from typing import Any

from memoryweb.accounts.models import Team
from memoryweb.commands import base
from memoryweb.memory.index import reindexing
from memoryweb.memory.index.reindexing import Difference

PROBLEMS = {
    "missing": "is not in the index",
    "extra": "is in the index, but should not be",
    "changed": "is in the index with other content",
}


class Command(base.TeamsCommand):
    help = "Rebuild the search index from files and messages, or check it."

    def act(self, options: dict[str, Any]) -> base.Outcome:
        outcome = super().act(options)
        is_sound = reindexing.is_sound()
        if not options["check"]:
            if not (options["team"] and is_sound):
                reindexing.rebuild_index()
            return outcome
        said = "The database's full-text index doesn't match the passages. Run “reindex”."
        return base.Outcome(
            outcome.message if is_sound else f"{outcome.message}\n{said}",
            {"indexIsSound": is_sound, **outcome.data},
            ok=is_sound and outcome.ok,
        )

    def look(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        return _checked(team) if options["check"] else _rebuilt(team)


def _rebuilt(team: Team) -> base.Outcome:
    done = reindexing.rebuild(team)
    return base.Outcome(
        f"{done.passages} passages built from {done.files} files and {done.messages} messages.",
        base.data_of(done, "files", "messages", "passages"),
    )


def _checked(team: Team) -> base.Outcome:
    found = reindexing.check(team)
    differences = [base.data_of(one, "problem", "where", "line") for one in found.differences]
    data = base.data_of(found, "passages", "stale")
    data |= {"ok": not differences, "differences": differences}
    if not differences:
        return base.Outcome(f"{found.passages} passages, the index is correct.", data)
    lines = [f"the index differs in {len(differences)} places."]
    if found.stale:
        lines.append(f"{found.stale} passages were made by another version.")
    lines += map(_difference, found.differences)
    return base.Outcome("\n".join(lines), data, ok=False)


def _difference(one: Difference) -> str:
    return f"  {one.where}, line {one.line}: {PROBLEMS[one.problem]}."
