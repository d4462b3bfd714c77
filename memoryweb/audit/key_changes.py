"""What becomes of what depends on the keys when they are first used, or changed."""

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections, transaction

from memoryweb.audit import checkpoints, keys
from memoryweb.audit.models import ChainHead, Keys


@transaction.atomic
def establish(using: str = DEFAULT_DB_ALIAS, **_signal: object) -> None:
    """Receiver of `post_migrate`: the first start writes down its keys, and so does an upgrade from
    a version that did not. Its chains are sealed with the checkpoints that they have."""
    if Keys._meta.db_table not in connections[using].introspection.table_names():
        return
    keys.forget()
    if not Keys.objects.exists():
        made = keys.Ring((settings.SECRET_KEY,), (keys.public_key(),))
        Keys.objects.create(sealed=keys.seal_ring(made))
        for head in ChainHead.objects.filter(seq__gt=0):
            head.checkpoints = checkpoints.count(checkpoints.kept(head.team_id))
            head.seal = keys.seal_of(head)
            head.save(update_fields=["checkpoints", "seal"])
    keys.ring()
