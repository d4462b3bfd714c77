from typing import Any

from memoryweb.accounts.models import Team
from memoryweb.commands import base
from memoryweb.memory.statements import repair


class Command(base.TeamsCommand):
    help = "Make statements match the files that they stand in, or check that they do."

    def look(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        found = repair.check(team) if options["check"] else repair.project(team)
        data = base.data_of(found, "files", "statements", "differing")
        if not options["check"]:
            said = f"{found.files} files hold {found.statements} statements; "
            return base.Outcome(f"{said}{len(found.differing)} files were read anew.", data)
        if not found.differing:
            said = f"{found.statements} statements, and all match their files."
            return base.Outcome(said, data)
        said = f"{len(found.differing)} files don't match their statements: "
        return base.Outcome(said + ", ".join(found.differing), data, ok=False)
