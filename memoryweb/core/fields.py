"""Text columns that say whether they can hold a person's words.

Every text or JSON column of a tenant table is one of these. Forgetting walks the model
registry for what each one `holds`; a column that is neither cannot exist (a wall test sees to it).
A model that is treated otherwise than row by row says so as its `erasure`.
"""

from enum import Enum, Flag, auto
from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    Text = models.TextField[str, str]
    Char = models.CharField[str, str]
else:
    Text = models.TextField
    Char = models.CharField


class Holds(Enum):
    TEXT = auto()
    LABEL = auto()  # a text that is a label, too, or no words of people that can repeat a name
    NAME = auto()  # of a row: it goes as a whole, and something has to stand in its place


class Erasure(Flag):
    """What forgetting does with the rows of a model; several can hold."""

    BY_DOORS = auto()  # what follows from their texts changes with them
    DROPPED = auto()  # worth nothing without their words, or answers kept for a repeated call
    HEADED = auto()  # headings in them name what stands below
    IDENTITY = auto()  # who someone is, and no words of theirs
    QUOTING = auto()  # what dreams of the shared memory tell, and who asked about it


class _Column:
    holds: Holds | None = None

    def __init__(self, *given: Any, holds: Holds | None = None, **named: Any) -> None:
        super().__init__(*given, **named)
        self.holds = Holds(holds) if holds else self.holds


class ErasableTextField(_Column, Text):
    erasable = True
    holds = Holds.TEXT


class ErasableCharField(_Column, Char):
    erasable = True
    holds = Holds.LABEL


class ErasableJSONField(_Column, models.JSONField):
    erasable = True
    holds = Holds.TEXT


class PlainTextField(_Column, Text):
    no_personal_text = True


class PlainCharField(_Column, Char):
    no_personal_text = True


class KeyedCharField(PlainCharField):
    """Holds what `audit.keys.print_of` makes: another secret key wraps it (`key_changes`)."""

    def deconstruct(self) -> Any:
        """To the database it is the column that it was."""
        name, _path, arguments, given = super().deconstruct()
        return name, "memoryweb.core.fields.PlainCharField", arguments, given


class PlainJSONField(_Column, models.JSONField):
    no_personal_text = True
