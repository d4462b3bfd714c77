"""What the floors below refuse, told as problems. The one place that knows both."""

from collections.abc import Mapping
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import ValidationError

from memoryweb.accounts.exceptions import AddressRefused
from memoryweb.agents.exceptions import CodeRefused, OwnerAmbiguous, OwnerRefused, TooManyCodes
from memoryweb.api import problems, quotas
from memoryweb.api.auth import Caller, Request
from memoryweb.api.pipeline import answer
from memoryweb.api.problems import Forbidden, Problem
from memoryweb.llm import exceptions as model
from memoryweb.llm.exceptions import ModelError
from memoryweb.memory.agents import NameTaken
from memoryweb.memory.entries import EntryRefused
from memoryweb.memory.forgetting import NothingNamed
from memoryweb.memory.models import refusals
from memoryweb.memory.snapshots import PartMissing
from memoryweb.memory.tools import DateRefused, EditRefused, StrategyRefused
from memoryweb.memory.visible.readable import readable_file
from memoryweb.memory.writing.matrix import WriteRefused
from memoryweb.notify.owner_mail import MailRefused

# The status, and the field that is named unless the refusal itself names one; "" for none.
_TOLD: Mapping[type[Exception], tuple[int, str]] = {
    AddressRefused: (400, "email"),
    refusals.ArchiveRefused: (400, "file"),
    refusals.AssignmentsFound: (400, ""),
    refusals.BatchRefused: (400, ""),
    CodeRefused: (400, "code"),
    refusals.ContentRefused: (400, "content"),
    DateRefused: (400, "date"),
    EditRefused: (400, ""),
    EntryRefused: (400, ""),
    refusals.FileMissing: (404, ""),
    MailRefused: (503, ""),
    refusals.MemoryRefused: (409, ""),
    NothingNamed: (404, ""),
    refusals.MessageConflict: (409, ""),
    ModelError: (502, ""),
    model.BreakerOpen: (503, ""),
    model.BudgetSpent: (429, ""),
    model.Busy: (503, ""),
    model.HostRefused: (409, ""),
    model.NotConfigured: (409, ""),
    model.TimedOut: (504, ""),
    model.TooLarge: (413, ""),
    model.Unavailable: (503, ""),
    NameTaken: (409, "name"),
    OwnerAmbiguous: (400, "owner"),
    OwnerRefused: (400, "owner"),
    PartMissing: (400, "part"),
    refusals.PathRefused: (400, "filename"),
    refusals.SearchRefused: (400, "q"),
    refusals.SecretRefused: (400, "content"),
    refusals.Stale: (412, ""),
    StrategyRefused: (400, ""),
    TooManyCodes: (429, ""),
    WriteRefused: (403, ""),
}
# Codes that are told otherwise than the rest of their class.
_OF_CODE = {
    "bad_cursor": (400, "cursor"),
    "name_taken": (409, "name"),
    "preview_unknown": (400, "token"),
    "too_large": (413, "file"),
    "unavailable": (503, ""),
}


REFUSALS: tuple[type[Exception], ...] = (Problem, *_TOLD)


def install(api: NinjaAPI) -> None:
    for refused in _TOLD:
        api.add_exception_handler(refused, _refuse)
    api.add_exception_handler(Problem, cast(Any, answer))
    api.add_exception_handler(ValidationError, _invalid)
    api.add_exception_handler(Exception, _raise)


def problem_of(caller: Caller, refused: Any) -> Problem:
    """What any of `REFUSALS` is told as."""
    if isinstance(refused, Problem):
        return refused
    code, said = getattr(refused, "code", "invalid"), str(refused)
    of_class = next(_TOLD[kind] for kind in type(refused).__mro__ if kind in _TOLD)
    status, field = _OF_CODE.get(code, of_class)
    if status == 403:
        return Forbidden(code, said)
    field = getattr(refused, "field", field)
    return Problem(
        status,
        "not_found" if status == 404 else code,
        said,
        errors=[{"field": field, "message": said}] if field else [],
        headers=_wait(refused, status),
        members=_members(caller, refused),
    )


def _wait(refused: Any, status: int) -> dict[str, str]:
    """How many seconds, where it is known."""
    seconds = getattr(refused, "retry_after", None)
    return {} if seconds is None else {"Retry-After": str(max(1, round(seconds)))}


def _refuse(request: HttpRequest, refused: Any) -> HttpResponse:
    return answer(request, problem_of(cast(Request, request).auth, refused))


def _members(caller: Caller, refused: Any) -> dict[str, Any]:
    """Of a file that has changed, nothing is lost: its current text, as the caller may read it."""
    if isinstance(refused, model.BudgetSpent):
        return quotas.page_of(caller)
    if isinstance(refused, refusals.SecretRefused):
        return {"kind": refused.kind, "line": refused.line}
    if isinstance(refused, refusals.AssignmentsFound):
        return {"found": [{"kind": kind, "line": line} for kind, line in refused.found]}
    if not isinstance(refused, refusals.Stale):
        return {}
    file = refused.file
    if file.deleted_at is not None:
        return {"current": None}
    text = readable_file(file, caller.to).text
    return {"current": {"content": text, "sha256": file.sha256, "revision": file.revision}}


def _invalid(request: HttpRequest, error: Any) -> HttpResponse:
    return answer(request, problems.validation(error.errors))


def _raise(request: HttpRequest, error: Any) -> HttpResponse:
    """Django logs it, and the middleware answers 500; never a traceback."""
    raise error
