"""Text columns that say whether they can hold a person's words.

Every text or JSON column of a tenant table is one of these. Forgetting walks the model
registry for `erasable`; a column that is neither cannot exist (a wall test sees to it).
"""

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    Text = models.TextField[str, str]
    Char = models.CharField[str, str]
else:
    Text = models.TextField
    Char = models.CharField


class ErasableTextField(Text):
    erasable = True


class ErasableCharField(Char):
    erasable = True


class ErasableJSONField(models.JSONField):
    erasable = True


class PlainTextField(Text):
    no_personal_text = True


class PlainCharField(Char):
    no_personal_text = True


class KeyedCharField(PlainCharField):
    """Holds what `audit.keys.print_of` makes: another secret key wraps it (`key_changes`)."""

    def deconstruct(self) -> Any:
        """To the database it is the column that it was."""
        name, _path, arguments, given = super().deconstruct()
        return name, "memoryweb.core.fields.PlainCharField", arguments, given


class PlainJSONField(models.JSONField):
    no_personal_text = True
