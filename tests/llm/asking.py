"""A small schema and a call with everything filled in, for the tests of this room."""

import time
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from memoryweb.llm.client import Completion, complete

TEAM = UUID("00000000-0000-4000-8000-000000000001")


class Note(BaseModel):
    text: str = Field(max_length=2000)
    durable: bool = False


def ask(
    data: dict[str, object] | None = None, seconds: float = 10, **more: Any
) -> Completion[Note]:
    arguments: dict[str, Any] = {
        "team_id": TEAM,
        "role": "default",
        "system": "Answer.",
        "local_only": False,
    }
    arguments |= more
    return complete(
        data={"note": "Mara has a dog."} if data is None else data,
        schema=Note,
        deadline=time.monotonic() + seconds,
        **arguments,
    )
