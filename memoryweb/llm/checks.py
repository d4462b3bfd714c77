"""A model that is half configured stops the start instead of failing every night."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from memoryweb.llm.endpoint import installation_endpoint
from memoryweb.llm.exceptions import ModelError


@register("model")
def check_model(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    if not settings.MODEL_PROVIDER:
        return []
    try:
        installation_endpoint("default")
    except ModelError as error:
        return [Error(str(error), id="llm.E001")]
    return []
