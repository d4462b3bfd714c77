from typing import Any

from django.utils import timezone

from memoryweb.commands import base
from memoryweb.runs import engine


class Command(base.Command):
    help = "Run the every-minute tick once: start due dreams, queue lost runs again."

    def act(self, options: dict[str, Any]) -> base.Outcome:
        failed = engine.tick(timezone.now())
        if not failed:
            return base.Outcome("Ticked.")
        said = f"The tick ran, but {len(failed)} of its steps failed. The log says which, and why."
        return base.Outcome(said, {"failed": failed}, ok=False)
