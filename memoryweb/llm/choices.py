"""Which model and which embedding endpoint a team asks, and those of its own: what an admin decides
in the browser."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

import pydantic
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from memoryweb.audit import keys
from memoryweb.audit.record import Actor, Entry, record, target
from memoryweb.llm import client
from memoryweb.llm.endpoint import (
    Endpoint,
    check_host,
    check_own_host,
    installation_endpoint,
    is_header_value,
    own_endpoint,
)
from memoryweb.llm.exceptions import ModelError, NotConfigured
from memoryweb.llm.models import INSTALLATION, Breaker, OwnEndpoint, TeamEmbedding, TeamModel
from memoryweb.llm.prompts import fenced
from memoryweb.llm.tokens import estimate_messages


@dataclass(frozen=True)
class Own:
    """An endpoint as it is entered. `key` is empty to keep the one that is there."""

    provider: str
    base_url: str
    model: str
    key: str = ""
    price_in: float = 0
    price_out: float = 0


@dataclass(frozen=True)
class Trial:
    """What a test call asks."""

    system: str
    data: Mapping[str, object]
    schema: type[pydantic.BaseModel]

    @property
    def tokens(self) -> int:
        return estimate_messages([self.system, fenced(self.data)])


Row = TypeVar("Row", TeamModel, TeamEmbedding)


def of(team_id: UUID, table: type[Row]) -> Row:
    """Not saved where nobody has decided yet."""
    none = {"choice": OwnEndpoint.Choice.NONE} if table is TeamEmbedding else {}
    row = table._default_manager.filter(team_id=team_id).first()
    return row or table(team_id=team_id, **none)


@transaction.atomic
def choose(*, team_id: UUID, choice: str, by: Actor, table: type[Row]) -> Row:
    """Raises NotConfigured or HostRefused for a model that can't be asked."""
    row = _locked(team_id, table)
    row.choice = OwnEndpoint.Choice(choice)
    endpoint_of(row)
    _save(row)
    details = {"choice": str(row.choice)}
    record(team_id, Entry(f"{row.noun}.chosen", by, **target(row), details=details))
    return row


@transaction.atomic
def set_own(
    *,
    team_id: UUID,
    own: Own,
    by: Actor,
    table: type[Row],
    chain: UUID | None = None,
) -> Row:
    """A key goes to the address it was entered for: another address deletes it. Of the
    installation, what may be any host of the operator's, `chain` is told.

    Raises NotConfigured or HostRefused.
    """
    base_url, row = own.base_url.rstrip("/"), _locked(team_id, table)
    (check_host if team_id == INSTALLATION else check_own_host)(base_url)
    if not is_header_value(own.key):
        raise NotConfigured(_("The key contains characters that no key has, such as spaces."))
    is_moved = (row.provider, row.base_url) != (own.provider, base_url)
    row.provider, row.base_url, row.model = own.provider, base_url, own.model
    row.price_in, row.price_out = own.price_in, own.price_out
    key = "kept" if row.has_key else "none"
    if own.key:
        key, row.sealed_key = "set", keys.seal(own.key, row.bound_to)
    elif is_moved and row.has_key:
        key, row.sealed_key = "deleted", b""
    _save(row)
    # What was wrong with the old address or key is no reason to leave the new one alone.
    Breaker.objects.filter(team_id=team_id, endpoint__startswith=base_url).delete()
    labels = {"base_url": row.base_url, "model": row.model}
    action, details = f"{row.noun}.changed", {"key": key}
    entry = Entry(action, by, **target(row), labels=labels, details=details)
    record(chain or team_id, entry)
    return row


@transaction.atomic
def remove_own(*, team_id: UUID, by: Actor, table: type[Row], chain: UUID | None = None) -> Row:
    """With its key. Who used it has no model then: nothing is sent elsewhere unasked."""
    row = _locked(team_id, table)
    if row.choice == OwnEndpoint.Choice.OWN:
        row.choice = OwnEndpoint.Choice.NONE
    row.base_url, row.model, row.sealed_key = "", "", b""
    _save(row)
    details = {"choice": str(row.choice)}
    record(chain or team_id, Entry(f"{row.noun}.removed", by, **target(row), details=details))
    return row


@transaction.atomic
def limit_cost(*, team_id: UUID, daily_cost: float | None, by: Actor) -> TeamModel:
    """What models may cost a day, in the currency of their prices; None: no limit."""
    row = _locked(team_id, TeamModel)
    row.daily_micros = None if daily_cost is None else round(daily_cost * 1_000_000)
    row.save()
    record(team_id, Entry("model.limited", by, **target(row), details={"daily_cost": daily_cost}))
    return row


def try_out(
    *, team_id: UUID, choice: str, trial: Trial, daily_tokens: int | None, by: Actor
) -> str:
    """One call to a model, chosen or not, as long as a night's; how it went, in a sentence.

    Never inside a transaction. Raises a ModelError.
    """
    row, started = of(team_id, TeamModel), time.monotonic()
    code = "failed"
    try:
        is_own = choice == TeamModel.Choice.OWN
        endpoint = own_endpoint(row) if is_own else installation_endpoint("default")
        said = client.complete(
            team_id=team_id,
            role="default",
            system=trial.system,
            data=trial.data,
            schema=trial.schema,
            deadline=started + settings.DREAM_TIMEOUT_SECONDS,
            daily_tokens=daily_tokens,
            endpoint=endpoint,
            local_only=False,  # it is of nobody's memory
        )
        code = "answered"
    except ModelError as error:
        code = error.code
        raise
    finally:
        with transaction.atomic():
            record(team_id, Entry("model.tested", by, **target(row), reason_code=code))
    return _("{model} answered in {seconds} seconds and took {tokens} tokens.").format(
        model=said.model,
        seconds=round(time.monotonic() - started, 1),
        tokens=said.tokens_in + said.tokens_out,
    )


def endpoint_of(row: TeamModel | TeamEmbedding) -> Endpoint | None:
    """None: none. Raises NotConfigured or HostRefused."""
    if row.choice == OwnEndpoint.Choice.OWN:
        return own_endpoint(row)
    is_shared = row.choice == OwnEndpoint.Choice.INSTALLATION
    return installation_endpoint(row.role) if is_shared else None


def _save(row: TeamModel | TeamEmbedding) -> None:
    if isinstance(row, TeamEmbedding):
        row.made_for = ""  # whatever stood in its way may have gone: all is looked at again
    row.save()


def _locked(team_id: UUID, table: type[Row]) -> Row:
    """Of two who decide at once, the second sees what the first has done."""
    table._default_manager.get_or_create(
        team_id=team_id, defaults={"choice": of(team_id, table).choice}
    )
    return table._default_manager.select_for_update().get(team_id=team_id)
