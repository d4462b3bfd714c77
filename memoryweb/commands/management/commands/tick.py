from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.commands import base
from memoryweb.runs import engine


class Command(base.Command):
    help = _("Run the every-minute tick once: start due dreams, queue lost runs again.")

    def act(self, options: dict[str, Any]) -> base.Outcome:
        failed = engine.tick(timezone.now())
        if failed:
            return base.Outcome(
                ngettext(
                    "The tick ran, but {n} of its steps failed. The log says which, and why.",
                    "The tick ran, but {n} of its steps failed. The log says which, and why.",
                    len(failed),
                ).format(n=len(failed)),
                {"failed": failed},
                ok=False,
            )
        return base.Outcome(_("Ticked."))
