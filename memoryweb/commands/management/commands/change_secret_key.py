import os
import sys
from getpass import getpass
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.accounts.models import Identity
from memoryweb.agents.models import OwnerAddress
from memoryweb.audit import checkpoints, keys
from memoryweb.audit.models import Keys
from memoryweb.commands import base
from memoryweb.llm.models import TeamEmbedding, TeamModel
from memoryweb.notify.models import Endpoint


class Command(base.Command):
    help = (
        "Put the secret key configured now in the place of the old one, which is read from "
        "MEMORYWEB_OLD_SECRET_KEY or standard input."
    )
    needs_keys = False
    works_alone = True

    def arguments(self, parser: CommandParser) -> None:
        lost = "the old key is gone: begin anew with this one. Erased text may return"
        parser.add_argument("--lost", action="store_true", help=lost)
        hide = "people know that a key was lost: take the warning off the pages"
        parser.add_argument("--hide-warning", action="store_true", help=hide)

    def act(self, options: dict[str, Any]) -> base.Outcome:
        with scopes_disabled(), transaction.atomic():
            if options["hide_warning"]:
                Keys.objects.update(lost_at=None)
                return base.Outcome("The pages no longer warn of the lost key.")
            return _begin_anew() if options["lost"] else _change()


def _change() -> base.Outcome:
    if _fits():
        return base.Outcome("This database was already written with these keys.")
    old = _old_key()
    prints = checkpoints.change(old)
    sealed = 0
    rows: list[Any] = [*_sealed_of_models(), *OwnerAddress.objects.all()]
    for table in (Identity, Endpoint):
        rows += table.objects.exclude(sealed_key=b"")
    for row in rows:
        if key := keys.unseal(bytes(row.sealed_key), row.bound_to, old):
            row.sealed_key = keys.seal(key, row.bound_to)
            row.save(update_fields=["sealed_key"])
            sealed += 1
    base.record_everywhere("keys.changed", prints=prints, sealed=sealed)
    said = (
        f"The key was changed: {prints} fingerprints and {sealed} sealed keys were taken over. "
        "Webhooks keep their secrets; everybody signs in again. Now start memoryweb, and destroy "
        "the old key."
    )
    return base.Outcome(said, {"prints": prints})


def _sealed_of_models() -> list[TeamModel | TeamEmbedding]:
    tables = (TeamModel, TeamEmbedding)
    return [row for table in tables for row in table.objects.exclude(sealed_key=b"")]


def _begin_anew() -> base.Outcome:
    if _fits():
        raise CommandError("Nothing is lost: this database was written with these keys.")
    checkpoints.begin_anew(timezone.now())
    models = len(_sealed_of_models())
    webhooks = Endpoint.objects.filter(sealed_key=b"").update(key_number=0)
    slack = Endpoint.objects.exclude(sealed_key=b"").count()
    base.record_everywhere("keys.lost", models=models, webhooks=webhooks)
    said = (
        "memoryweb begins anew with this key. Erased text may return: nothing keeps it out any "
        f"more, and every page says so. What can’t be opened: {models} keys of models (enter them "
        f"again in Settings) and {slack} URLs of Slack (add them again). {webhooks} webhooks "
        "have a new secret (renew it and give it to who receives them). Likely secrets and flagged "
        "lines that were let pass are asked about again."
    )
    return base.Outcome(said, {"models": models})


def _fits() -> bool:
    try:
        keys.check()
    except keys.KeysRefused:
        return False
    return True


def _old_key() -> str:
    """Never an argument: whoever lists processes reads those."""
    row = Keys.objects.get()
    if keys.open_ring(row, settings.SECRET_KEY):
        return settings.SECRET_KEY  # only the key of checkpoints is another
    if given := os.environ.get("MEMORYWEB_OLD_SECRET_KEY"):
        return given
    asked = "The old secret key: "
    return (getpass(asked) if sys.stdin.isatty() else sys.stdin.readline()).strip()
