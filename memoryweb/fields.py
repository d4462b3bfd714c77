"""Text columns that say whether they can hold a person's words.

Every text or JSON column of a tenant table is one of these. Forgetting walks the model
registry for `erasable`; a column that is neither cannot exist (a wall test sees to it).
"""

from django.db import models


class ErasableTextField(models.TextField):
    erasable = True


class ErasableCharField(models.CharField):
    erasable = True


class ErasableJSONField(models.JSONField):
    erasable = True


class PlainTextField(models.TextField):
    no_personal_text = True


class PlainCharField(models.CharField):
    no_personal_text = True


class PlainJSONField(models.JSONField):
    no_personal_text = True
