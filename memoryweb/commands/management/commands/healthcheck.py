from typing import Any

from django.db import DatabaseError
from django.utils import timezone

from memoryweb.commands import base
from memoryweb.core import upgrade
from memoryweb.runs import healthcheck


class Command(base.Command):
    help = "Check that background work is being done. Exits with 1 when it isn't."

    def act(self, options: dict[str, Any]) -> base.Outcome:
        try:
            health = healthcheck.check(timezone.now())
        except DatabaseError:
            said = upgrade.refusal() or "The database does not answer."
            return base.Outcome(said, ok=False)
        return base.Outcome(
            " ".join(health.problems) or "All is well.",
            base.data_of(health, "problems", "last_tick", "oldest_waiting", "expired_leases"),
            ok=not health.failures,
        )
