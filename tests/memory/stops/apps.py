import os
from pathlib import Path
from threading import Event

from django.apps import AppConfig


class StopsConfig(AppConfig):
    name = "tests.memory.stops"
    label = "import_stops"

    def ready(self) -> None:
        """At the revision that STOP_AT counts to, say who we are and wait to be killed."""
        from django.db.models.signals import post_save  # noqa: PLC0415

        from memoryweb.workspace.models import Revision  # noqa: PLC0415  models must be loaded

        seen: list[int] = []

        def count(**_sent: object) -> None:
            seen.append(1)
            if str(len(seen)) == os.environ["STOP_AT"]:
                (Path(os.environ["STOP_ROOM"]) / "stopped").write_text(str(os.getpid()))
                Event().wait(60)

        post_save.connect(count, sender=Revision, weak=False)
