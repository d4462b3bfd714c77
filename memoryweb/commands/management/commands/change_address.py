from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts import addresses
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.Command):
    help = "Change the e-mail address that a person signs in with."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--email", required=True, help="the address until now")
        parser.add_argument("--to", required=True, help="the new address")

    def act(self, options: dict[str, Any]) -> base.Outcome:
        user = addresses.find(options["email"])
        before = user.email
        addresses.change_address(user=user, email=options["to"], by=SYSTEM)
        said = f"{before} now signs in with {user.email}."
        return base.Outcome(said, {"userId": user.pk, "email": user.email})
