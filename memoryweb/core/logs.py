"""The log as one JSON object a line. It holds no words of a memory: of an error its kind and its
place are told, and what it says is not."""

import json
import logging
import traceback
from collections.abc import Callable
from datetime import UTC, datetime

from django.http import HttpRequest

# What a line was written for, by the floors that know it: the ids of a request and a run.
sources: dict[str, Callable[[logging.LogRecord], str]] = {}


class JSONLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        if isinstance(record.args, tuple):
            known = (_kind(arg) if isinstance(arg, BaseException) else arg for arg in record.args)
            record.args = tuple(known)
        said: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _said(record),
            "process": record.process,
            **{name: read(record) for name, read in sources.items()},
        }
        if record.exc_info and (error := record.exc_info[1]):
            frames = traceback.extract_tb(error.__traceback__)
            said["error"] = _kind(error)
            said["trace"] = [f"{one.filename}:{one.lineno} {one.name}" for one in frames]
        told = {name: value for name, value in said.items() if value}
        return json.dumps(told, ensure_ascii=False)


def _said(record: logging.LogRecord) -> str:
    """Of one of Python's warnings its place and kind."""
    said = record.getMessage()
    return ": ".join(said.split(": ", 2)[:2]) if record.name == "py.warnings" else said


def _kind(error: BaseException) -> str:
    return f"{type(error).__module__}.{type(error).__qualname__}"


class WithoutAddresses(logging.Filter):
    """For the log: the pattern of the address (`t/<slug:team>/…`) instead of the address itself,
    which holds the names of people's files."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            match = request.resolver_match
            where = f"/{match.route}" if match else "an unknown address"
            record.args = tuple(where if arg == request.path else arg for arg in record.args)
        return True
