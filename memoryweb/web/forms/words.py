"""A field for a name or a reason, which many people see and nothing masks."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from memoryweb.memory.exceptions import ContentRefused
from memoryweb.memory.secrets import screening


class WordsField(forms.CharField):
    def validate(self, value: Any) -> None:
        super().validate(value)
        try:
            screening.check_words(value)
        except ContentRefused as refused:
            raise ValidationError(str(refused)) from refused
