"""The log for programs: a JSON object a line, with what it was written for and no one's words."""

import json
import logging
import os
import subprocess
import sys
from typing import Any

import httpx
import pytest
from django.test import RequestFactory

from memoryweb.audit.record import OriginMiddleware
from memoryweb.core.logs import JSONLines
from memoryweb.runs import engine
from memoryweb.runs.lease import Lease
from tests.runs.desk import Desk

SECRET = "Ada's cat is called Turing"


def line(*args: Any, **more: Any) -> dict[str, Any]:
    record = logging.getLogger("memoryweb.x").makeRecord(
        "memoryweb.x", logging.ERROR, __file__, 1, *args, **more
    )
    text = JSONLines().format(record)
    assert "\n" not in text
    said: dict[str, Any] = json.loads(text)
    return said


def test_an_error_tells_its_place_and_not_its_words() -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        said = line("It failed: %s", (error,), (type(error), error, error.__traceback__))
    assert said["message"] == "It failed: builtins.ValueError"
    assert said["error"] == "builtins.ValueError"
    assert "test_an_error_tells" in said["trace"][-1]
    assert SECRET not in str(said)
    assert "request" not in said


def test_a_warning_of_python_is_a_line_without_its_words() -> None:
    """In a process of its own: pytest collects warnings itself."""
    code = f"import django; django.setup(); import warnings; warnings.warn({SECRET!r})"
    env = {"DJANGO_SETTINGS_MODULE": "memoryweb.settings", "MEMORYWEB_LOG_FORMAT": "json"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=os.environ | env, capture_output=True, text=True, check=True)
    said = json.loads(done.stderr)
    assert (said["logger"], said["message"]) == ("py.warnings", "<string>:1: UserWarning")


def test_addresses_that_are_called_stay_out_at_any_level(caplog: pytest.LogCaptureFixture) -> None:
    """That of a webhook is often its secret."""
    caplog.set_level("INFO")
    transport = httpx.MockTransport(lambda _request: httpx.Response(200))
    httpx.Client(transport=transport).post("https://hooks.example/T0/secret")
    assert "secret" not in caplog.text


def test_a_request_has_its_id() -> None:
    seen: list[dict[str, Any]] = []

    def view(request: Any) -> Any:
        seen.extend(line("%(n)d of %(m)d", ({"n": 1, "m": 2},), None) for _n in range(2))

    request = RequestFactory().get("/")
    OriginMiddleware(view)(request)
    seen.append(line("Not Found: %s", ("/x",), None, extra={"request": request}))
    assert seen[0]["message"] == "1 of 2"
    assert len(seen[0]["request"]) == 32
    assert seen[0]["request"] == seen[1]["request"] == seen[2]["request"]
    assert "request" not in line("Over.", (), None)


@pytest.mark.django_db
def test_a_run_has_its_id(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []

    def handle(lease: Lease) -> None:
        seen.append(line("Working.", (), None))
        raise ValueError(SECRET)

    monkeypatch.setitem(engine._handlers, "dream", handle)
    run = desk.ask()
    engine.work_next()
    assert seen[0]["run"] == str(run.pk)
    assert "run" not in line("Done.", (), None)
