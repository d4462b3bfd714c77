from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

Row = TypeVar("Row")


class Problem(Exception):
    """Told instead of an answer (RFC 9457). `code` is stable, `detail` is prose."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = list(errors)
        self.headers = dict(headers or {})
        self.members = dict(members or {})


class Unauthorized(Problem):
    """The same for a missing, malformed, unknown, expired and revoked token."""

    def __init__(self) -> None:
        super().__init__(
            401,
            "unauthorized",
            "Send a valid token: “Authorization: Bearer mwp_…”.",
            headers={"WWW-Authenticate": 'Bearer realm="memoryweb"'},
        )


class Forbidden(Problem):
    def __init__(self, code: str, detail: str) -> None:
        super().__init__(403, code, detail)


class NotFound(Problem):
    """The same for what does not exist and for what belongs to somebody else."""

    def __init__(self) -> None:
        super().__init__(404, "not_found", "Not found, or you don't have access.")


def or_not_found(row: Row | None) -> Row:
    if row is None:
        raise NotFound
    return row


class Invalid(Problem):
    """A field that cannot be taken, with its name."""

    def __init__(self, field: str, message: str, *, code: str = "invalid") -> None:
        super().__init__(400, code, message, errors=[{"field": field, "message": message}])
