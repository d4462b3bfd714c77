"""What the floors below refuse, told as problems. The one place that knows both."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import ValidationError

from memoryweb.agents.exceptions import OwnerAmbiguous, OwnerRefused
from memoryweb.api import problems, redaction
from memoryweb.api.auth import Request
from memoryweb.api.exceptions import Forbidden, Invalid, Problem
from memoryweb.api.pipeline import answer
from memoryweb.conversations.exceptions import BatchRefused
from memoryweb.memory.agents import NameTaken
from memoryweb.memory.exceptions import (
    ContentRefused,
    Exists,
    FileMissing,
    MemoryRefused,
    MessageConflict,
    PathRefused,
    SecretRefused,
    Stale,
    ValueRefused,
)
from memoryweb.memory.reverting import PlanMoved
from memoryweb.memory.review.secrets import WINDOW
from memoryweb.memory.section_writing import StrategyRefused
from memoryweb.memory.snapshot.service import PartMissing, PreviewRefused
from memoryweb.memory.tools import DateRefused, EditRefused
from memoryweb.memory.write_matrix import WriteRefused
from memoryweb.search.exceptions import SearchRefused
from memoryweb.snapshots.exceptions import ArchiveRefused
from memoryweb.workspace.models import File


def install(api: NinjaAPI) -> None:
    for refused, told in _TOLD.items():
        api.add_exception_handler(refused, _handler(told))
    api.add_exception_handler(Stale, _stale)
    api.add_exception_handler(Exception, _raise)


def _handler(told: Callable[[Any], Problem]) -> Callable[[HttpRequest, Any], HttpResponse]:
    return lambda request, refused: answer(request, told(refused))


def _raise(request: HttpRequest, error: Any) -> HttpResponse:
    """Django logs it, and the middleware answers 500; never a traceback."""
    raise error


def _batch(refused: BatchRefused) -> Problem:
    status = refused.status
    code = "too_large" if status == 413 else "invalid"
    named = [{"field": refused.field, "message": refused.message}]
    return Problem(status, code, refused.message, errors=named)


def _stale(request: HttpRequest, refused: Any) -> HttpResponse:
    """Nothing is lost: the answer has the current text, as the caller may read it, and its hash."""
    file: File = refused.file
    current = None
    if file.deleted_at is None:
        text = redaction.now(cast(Request, request).auth, file)
        current = {"content": text, "sha256": file.sha256, "revision": file.revision}
    return answer(request, Problem(412, "stale", str(refused), members={"current": current}))


def _archive(refused: ArchiveRefused) -> Problem:
    status = 413 if refused.code == "too_large" else 400
    named = [{"field": "file", "message": str(refused)}]
    return Problem(status, refused.code, str(refused), errors=named)


def _preview(refused: PreviewRefused) -> Problem:
    if refused.code == "preview_unknown":
        return Invalid("token", str(refused), code=refused.code)
    return Problem(409, refused.code, str(refused))


def _secret(refused: SecretRefused) -> Problem:
    members = {"kind": refused.kind, "line": refused.line}
    named = [{"field": "content", "message": str(refused)}]
    return Problem(400, refused.code, str(refused), errors=named, members=members)


def _value(refused: ValueRefused) -> Problem:
    if refused.code != "too_many_tries":
        return Problem(409, refused.code, str(refused))
    seconds = str(int(WINDOW.total_seconds()))
    return Problem(429, refused.code, str(refused), headers={"Retry-After": seconds})


_TOLD: Mapping[type[Exception], Callable[[Any], Problem]] = {
    Problem: lambda problem: problem,
    ValidationError: lambda error: problems.validation(error.errors),
    BatchRefused: _batch,
    ArchiveRefused: _archive,
    PreviewRefused: _preview,
    PartMissing: lambda refused: Invalid("part", str(refused), code=refused.code),
    PathRefused: lambda refused: Invalid("filename", str(refused), code="path_refused"),
    ContentRefused: lambda refused: Invalid("content", str(refused), code=refused.code),
    SecretRefused: _secret,
    ValueRefused: _value,
    SearchRefused: lambda refused: Invalid(
        "cursor" if refused.code == "bad_cursor" else "q", str(refused), code=refused.code
    ),
    PlanMoved: lambda refused: Problem(409, refused.code, str(refused)),
    WriteRefused: lambda refused: Forbidden(refused.code, str(refused)),
    Exists: lambda refused: Problem(409, refused.code, str(refused)),
    NameTaken: lambda refused: Problem(
        409, refused.code, str(refused), errors=[{"field": "name", "message": str(refused)}]
    ),
    MessageConflict: lambda refused: Problem(
        409, refused.code, str(refused), errors=[{"field": refused.field, "message": str(refused)}]
    ),
    StrategyRefused: lambda refused: Invalid(refused.field, str(refused), code=refused.code),
    EditRefused: lambda refused: Problem(400, refused.code, str(refused)),
    DateRefused: lambda refused: Invalid("date", str(refused), code=refused.code),
    FileMissing: lambda refused: Problem(404, "not_found", str(refused)),
    MemoryRefused: lambda refused: Problem(409, refused.code, str(refused)),
    OwnerRefused: lambda refused: Invalid("owner", str(refused)),
    OwnerAmbiguous: lambda refused: Invalid("owner", str(refused), code="owner_ambiguous"),
}
