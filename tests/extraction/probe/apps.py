"""Stops the process at the first statement that PROBE_STOP names, for somebody to kill it there."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Any

from django.apps import AppConfig
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

Execute = Callable[[str, Sequence[Any] | None, bool, dict[str, Any]], Any]


class ProbeConfig(AppConfig):
    name = "tests.extraction.probe"
    label = "probe"

    def ready(self) -> None:
        connection_created.connect(_watch, dispatch_uid="probe")


def _watch(connection: BaseDatabaseWrapper, **_fields: Any) -> None:
    if os.environ.get("PROBE_STOP") and _stop not in connection.execute_wrappers:
        connection.execute_wrappers.append(_stop)


def _stop(
    execute: Execute, sql: str, params: Sequence[Any] | None, many: bool, context: dict[str, Any]
) -> Any:
    if re.search(os.environ["PROBE_STOP"], sql):
        Path(os.environ["PROBE_ROOM"], "stopped").write_text(sql)
        Event().wait(60)
    return execute(sql, params, many, context)
