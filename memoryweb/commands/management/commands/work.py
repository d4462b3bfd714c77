from typing import Any

from memoryweb.audit import keys
from memoryweb.commands import base
from memoryweb.core import home_lock
from memoryweb.runs.supervisor import Supervisor


class Command(base.Command):
    help = "Work the queue until stopped. A worker that dies or hangs is restarted."

    def act(self, options: dict[str, Any]) -> base.Outcome:
        keys.check_start()
        home_lock.share()
        supervisor = Supervisor()
        supervisor.run()
        return base.Outcome("Stopped. Nothing is left running.", {"starts": supervisor.starts})
