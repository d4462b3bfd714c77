"""What a name given by a person may be."""

import unicodedata

from django.utils.translation import gettext as _

from memoryweb.accounts.exceptions import NameRefused


def checked_name(name: str, *, longest: int, without: str = "") -> str:
    """NFC, trimmed, printable, not empty. Raises NameRefused."""
    name = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(name) <= longest:
        raise NameRefused(_("A name has 1 to {longest} characters.").format(longest=longest))
    if not name.isprintable():
        raise NameRefused(_("A name may not contain control characters."))
    if found := [c for c in without if c in name]:
        raise NameRefused(
            _("A name here may not contain “{character}”.").format(character=found[0])
        )
    return name
