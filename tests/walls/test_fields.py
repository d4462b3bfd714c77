"""Forgetting walks the fields that say they can hold a person's words: so each must say."""

import pytest
from django.db import models

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
