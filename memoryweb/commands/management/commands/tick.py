from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.commands import base
from memoryweb.runs import engine


class Command(base.Command):
    help = _("Does once what happens every minute: asks for due dreams, puts back lost runs.")

    def act(self, options: dict[str, Any]) -> base.Outcome:
        failed = engine.tick(timezone.now())
        if failed:
            return base.Outcome(
                _("The tick ran, but not all of it: {steps} failed. The log says why.").format(
                    steps=", ".join(failed)
                ),
                {"failed": failed},
                ok=False,
            )
        return base.Outcome(_("Ticked."))
