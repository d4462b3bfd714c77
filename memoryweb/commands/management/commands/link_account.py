from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts import addresses, company
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.Command):
    help = "Let a person who has an account sign in with the company's account."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--email", required=True, help="the address of the account here")
        parser.add_argument("--subject", required=True, help="the provider's id of the person: sub")

    def act(self, options: dict[str, Any]) -> base.Outcome:
        user = addresses.find(options["email"])
        company.link(user, options["subject"], by=SYSTEM)
        return base.Outcome(f"{user.email} now signs in as {options['subject']}.")
