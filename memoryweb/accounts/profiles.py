"""What a person changes about their own account."""

from django.db import transaction

from memoryweb.accounts.models import User
from memoryweb.accounts.signins import record_act


@transaction.atomic
def change_profile(
    *,
    user: User,
    name: str,
    time_zone: str,
    language: str = "",
    theme: str = "",
    letter_keys_off: bool = False,
) -> bool:
    """Says whether anything changed. Every team of the person is told that, not what."""
    values = {
        "name": name,
        "time_zone": time_zone,
        "language": language,
        "theme": theme,
        "letter_keys_off": letter_keys_off,
    }
    if all(getattr(user, field) == value for field, value in values.items()):
        return False
    for field, value in values.items():
        setattr(user, field, value)
    user.save(update_fields=values)
    record_act(user, "profile.changed")
    return True
