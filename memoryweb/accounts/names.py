"""What a name or an address given by a person may be."""

import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from memoryweb.accounts.exceptions import AddressRefused, NameRefused


def checked_name(name: str, *, longest: int, without: str = "") -> str:
    """NFC, trimmed, printable, not empty. Raises NameRefused."""
    name = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(name) <= longest:
        raise NameRefused(_("A name has 1 to {longest} characters.").format(longest=longest))
    if not name.isprintable():
        raise NameRefused(_("A name may not contain control characters."))
    if found := [c for c in without if c in name]:
        raise NameRefused(_("This name may not contain “{character}”.").format(character=found[0]))
    return name


def checked_address(email: str) -> str:
    """Trimmed and in lower case, as it is stored. Raises AddressRefused."""
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise AddressRefused(email) from None
    return email
