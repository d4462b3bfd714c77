"""What a person changes about their own account."""

from django.db import transaction

from memoryweb.accounts.models import User
from memoryweb.accounts.signins import record_act


@transaction.atomic
def change_profile(*, user: User, name: str, time_zone: str) -> bool:
    """Says whether anything changed. Every team of the person is told that, not what."""
    if (user.name, user.time_zone) == (name, time_zone):
        return False
    user.name, user.time_zone = name, time_zone
    user.save(update_fields=["name", "time_zone"])
    record_act(user, "profile.changed")
    return True
