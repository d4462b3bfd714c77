"""Many rows in one test: as a test each, they would cost several times what they try."""

from collections.abc import Callable, Iterable
from typing import Any


def every_row(rows: Iterable[object]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Each row that fails is told; the others are tried all the same. No fixtures."""
    cases = [row if isinstance(row, tuple) else (row,) for row in rows]
    assert cases

    def of(tried: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            failed = [error for case in cases if (error := _error(tried, case))]
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(cases)} rows", failed)

        test.__doc__ = tried.__doc__
        return test

    return of


def _error(tried: Callable[..., None], case: tuple[Any, ...]) -> Exception | None:
    try:
        tried(*case)
    except Exception as error:
        error.add_note(f"Row: {case!r}")
        return error
    return None
