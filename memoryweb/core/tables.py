"""What the tables of all rooms are made of: rows of one team, and kinds of text.

Outside a team's scope a query raises instead of answering. The scope itself is django-scopes'
(`scope(team=…)`, `scopes_disabled()`); only the manager is ours, because the library makes its
managers in a function, which type checkers cannot follow.

Every text or JSON column of a tenant table says whether it can hold a person's words. Forgetting
walks the model registry for what each one `holds`; a column that is neither cannot exist (a wall
test sees to it). A model that is treated otherwise than row by row says so as its `erasure`.
"""

from enum import Enum, Flag, auto
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from django.db import models
from django.utils import timezone
from django.utils.functional import Promise
from django_scopes import get_scope
from django_scopes.manager import DisabledQuerySet

if TYPE_CHECKING:
    Text = models.TextField[str, str]
    Char = models.CharField[str, str]
else:
    Text = models.TextField
    Char = models.CharField


AnyModel = TypeVar("AnyModel", bound=models.Model, covariant=True)


class TeamManager(models.Manager[AnyModel]):
    def get_queryset(self) -> models.QuerySet[AnyModel]:
        scope = get_scope()
        if not scope.get("_enabled", True):
            return super().get_queryset()
        if "team" not in scope:
            disabled: models.QuerySet[AnyModel] = DisabledQuerySet(
                self.model, using=self._db, missing_scopes={"team"}
            )
            return disabled
        # Filtered once for the team that was asked about last: to clone is a fifth of the work.
        team = scope["team"]
        last, rows = vars(self).get("_last", (None, None))
        if rows is None or last != (team, self._db):
            rows = super().get_queryset()
            is_one = not isinstance(team, tuple)
            rows = rows.filter(team=team) if is_one else rows.filter(team__in=team)
            self._last = (team, self._db), rows
        found: models.QuerySet[AnyModel] = rows.all()
        return found


class TeamRow(models.Model):
    """A table of tenants: each row is of one team."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+", db_index=False)

    objects = TeamManager()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class UUIDRow(TeamRow):
    """One with an id that nobody guesses, and of which it matters when it came."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True


class MemoryRefused(Exception):
    """What a door refuses, with a sentence for whoever asked; `code` is stable."""

    code = "refused"
    sentence: str | Promise = ""

    def __init__(self, sentence: str | Promise = "") -> None:
        super().__init__(str(sentence or self.sentence))


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
    """Holds what `audit.keys.print_of` makes: another secret key wraps it (`audit.checkpoints`)."""

    def deconstruct(self) -> Any:
        """To the database it is the column that it was."""
        name, _path, arguments, given = super().deconstruct()
        return name, "memoryweb.core.tables.PlainCharField", arguments, given


class PlainJSONField(_Column, models.JSONField):
    no_personal_text = True
