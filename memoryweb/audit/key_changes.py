"""What becomes of what depends on the keys when they are first used, or changed."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from django.apps import apps
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.utils.translation import gettext as _

from memoryweb.audit import checkpoints, keys
from memoryweb.audit.models import ChainHead, Keys
from memoryweb.core.fields import KeyedCharField


@transaction.atomic
def establish(using: str = DEFAULT_DB_ALIAS, **_signal: object) -> None:
    """Receiver of `post_migrate`: the first start writes down its keys, and so does an upgrade from
    a version that did not. Its chains are sealed with the checkpoints that they have."""
    if Keys._meta.db_table not in connections[using].introspection.table_names():
        return
    keys.forget()
    if not Keys.objects.exists():
        made = keys.Ring((settings.SECRET_KEY,), (keys.public_key(),))
        _write(Keys(), made)
        _count_and_seal()
    keys.ring()
    keys.lost_at()


@transaction.atomic
def change(old: str) -> int:
    """From the old key to the one configured now, which may be the same where only the key of
    checkpoints is another: how many prints were wrapped. Raises KeysRefused."""
    row = Keys.objects.select_for_update().first()
    if row is None or (before := keys.open_ring(row, old)) is None:
        raise keys.KeysRefused(
            _("That is not the key that this database was written with. Nothing was changed.")
        )
    heads = [one for one in ChainHead.objects.all() if keys.is_sealed(one, old)]
    made = replace(before, signers=tuple(dict.fromkeys([*before.signers, keys.public_key()])))
    if old != settings.SECRET_KEY:
        made = replace(made, secrets=(*before.secrets, settings.SECRET_KEY))
    _write(row, made)
    _seal(heads)
    columns = (f for model in apps.get_models() for f in model._meta.local_concrete_fields)
    prints = (f for f in columns if isinstance(f, KeyedCharField))
    return sum(map(_wrap, prints)) if made.secrets != before.secrets else 0


@transaction.atomic
def begin_anew(now: datetime) -> None:
    """The old key is gone. What was made with it fits nothing any more; chains are sealed as they
    are, and checkpoints that another key signed are put aside."""
    row = Keys.objects.select_for_update().first() or Keys()
    row.lost_at = now
    _write(row, keys.Ring((settings.SECRET_KEY,), (keys.public_key(),)))
    checkpoints.put_strange_aside(now)
    _count_and_seal()


def _write(row: Keys, made: keys.Ring) -> None:
    row.sealed = keys.seal_ring(made)
    row.save()
    keys.forget()


def _count_and_seal() -> None:
    # Locked, and in one order: other hosts may write, or be upgraded, at the same time.
    heads = list(ChainHead.objects.select_for_update().filter(seq__gt=0).order_by("team_id"))
    for head in heads:
        head.checkpoints = checkpoints.count(checkpoints.kept(head.team_id))
    _seal(heads)


def _seal(heads: Iterable[ChainHead]) -> None:
    for head in heads:
        head.seal = keys.seal_of(head) if head.seq else b""
        head.save(update_fields=["checkpoints", "seal"])


def _wrap(column: KeyedCharField) -> int:
    """Past the managers, in few statements: there may be a million of them."""
    quote, key = connection.ops.quote_name, column.model._meta.pk
    table = quote(column.model._meta.db_table)
    name, pk = quote(str(column.column)), quote(str(key.column))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {name}, {pk} FROM {table} WHERE {name} <> ''")
        rows = [(keys.wrapped(made, settings.SECRET_KEY), one) for made, one in cursor.fetchall()]
        if rows:
            cursor.executemany(f"UPDATE {table} SET {name} = %s WHERE {pk} = %s", rows)
    return len(rows)
