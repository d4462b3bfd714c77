"""What a text claims is found before it is written: all who write wait for a transaction's end."""

from collections.abc import Callable
from typing import Any

from django.db import connection

from memoryweb.language.extraction_rules.reading import claim_of
from tests.api.callers import Callers

BULLETS = "".join(f"- Guest {number} lives in Porto.\n" for number in range(40))


def test_no_claim_is_worked_out_in_the_write_transaction(callers: Callers, path: str) -> None:
    begun: list[int] = []

    def note(execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        if sql.startswith("SAVEPOINT"):
            begun.append(claim_of.cache_info().misses)
        return execute(sql, *more)

    claim_of.cache_clear()
    with connection.execute_wrapper(note):
        address = f"{path}/workspace/files/KNOWLEDGE.md?owner=shared"
        assert callers.admin.call("PUT", address, {"content": BULLETS}).status_code == 201
    assert claim_of.cache_info().misses == max(begun) >= 40
