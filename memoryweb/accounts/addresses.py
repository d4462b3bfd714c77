"""The one address that a person signs in with, and how it becomes another."""

from datetime import timedelta

from django.core import signing
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from memoryweb.accounts.exceptions import AddressLinkGone, AddressTaken, NotFound
from memoryweb.accounts.models import User, checked_address
from memoryweb.accounts.signins import record_act
from memoryweb.audit.record import Actor

VALID = timedelta(days=1)


def find(email: str) -> User:
    """Raises NotFound."""
    user = User.objects.filter(email=email.strip().lower()).first()
    if user is None:
        raise NotFound(_("Nobody has the address {email}.").format(email=email))
    return user


def is_free(email: str) -> bool:
    return not User.objects.filter(email=checked_address(email)).exists()


def make_code(user: User, email: str) -> str:
    """What the link mailed to the new address holds: whoever has it reads that mailbox.

    Of use to this person alone, for a day, and until their address or password is another.
    """
    return signing.dumps(checked_address(email), salt=_salt(user))


def read_code(user: User, code: str) -> str:
    """The new address. Raises AddressLinkGone."""
    try:
        email: str = signing.loads(code, salt=_salt(user), max_age=VALID)
    except signing.BadSignature:
        raise AddressLinkGone from None
    return email


@transaction.atomic
def change_address(*, user: User, email: str, by: Actor | None = None) -> None:
    """Whoever calls this has checked that the person reads the new address, or runs all this.

    Raises AddressRefused, AddressTaken.
    """
    email = checked_address(email)
    try:
        with transaction.atomic():
            User.objects.filter(pk=user.pk).update(email=email)
    except IntegrityError:
        raise AddressTaken(email) from None
    user.email = email
    record_act(user, "email.changed", by=by)


def _salt(user: User) -> str:
    return f"memoryweb.address:{user.pk}:{user.email}:{user.get_session_auth_hash()}"
