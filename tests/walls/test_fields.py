"""Forgetting walks the fields that say they can hold a person's words: so each must say."""

from typing import Any

import pytest
from django.db import models

from memoryweb.core.tables import ErasableTextField, Erasure, Holds
from tests.walls.models import TENANT

TEXT = [
    field
    for model in TENANT
    for field in model._meta.concrete_fields
    if isinstance(field, models.CharField | models.TextField | models.JSONField)
    and not field.choices
]


@pytest.mark.parametrize("field", TEXT, ids=str)
def test_a_text_of_a_team_says_whether_it_can_be_personal(
    field: "models.Field[object, object]",
) -> None:
    says = {name for name in ("erasable", "no_personal_text") if getattr(field, name, False)}
    assert len(says) == 1


def test_the_walk_finds_the_text_of_files_and_messages() -> None:
    assert {"memory.Revision", "memory.Message"} <= {field.model._meta.label for field in TEXT}


def test_what_holds_words_of_people_says_what_they_are() -> None:
    assert [
        field
        for field in TEXT
        if getattr(field, "erasable", False) and not getattr(field, "holds", None)
    ] == []


def test_a_kind_that_nobody_knows_ends_the_start() -> None:
    unknown: Any = "words"
    with pytest.raises(ValueError, match="words"):
        ErasableTextField(holds=unknown)
    kinds = {model._meta.label: vars(model).get("erasure", Erasure(0)) for model in TENANT}
    assert all(isinstance(kind, Erasure) for kind in kinds.values())
    assert kinds["memory.Proposal"] == Erasure.DROPPED | Erasure.QUOTING


def test_to_the_database_a_column_is_what_it_was() -> None:
    said = ErasableTextField(blank=True, holds=Holds.LABEL).deconstruct()
    assert said[1:] == ("memoryweb.core.tables.ErasableTextField", [], {"blank": True})
