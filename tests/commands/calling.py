"""Run a command as a shell would see it: both outputs apart."""

import io
import json
from dataclasses import dataclass
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError
from django_scopes import scope


@dataclass(frozen=True)
class Answer:
    output: str
    errors: str
    failure: str

    @property
    def json(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.output)
        return answer


def run(*arguments: str) -> Answer:
    output, errors, failure = io.StringIO(), io.StringIO(), ""
    try:
        # As in production: outside of a team's scope every tenant query raises.
        with scope():
            call_command(*arguments, stdout=output, stderr=errors, no_color=True)
    except CommandError as error:
        failure = str(error)
    return Answer(output.getvalue(), errors.getvalue(), failure)
