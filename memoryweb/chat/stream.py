"""A turn as it is written: what its faces tell while it lasts."""

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from typing import Any

from django.http import StreamingHttpResponse

from memoryweb.chat import turn
from memoryweb.chat.turn import Kept, Pieces, Prompt
from memoryweb.llm.exceptions import ModelError

KIND = "text/event-stream"
Parts = Generator[str | ModelError | Kept, None, None]


def begun(prompt: Prompt) -> tuple[str, Pieces]:
    """The first piece, and the rest. Raises a ModelError: told as any other call's failure."""
    answer = turn.pieces(prompt)
    return next(answer), answer


def parts(prompt: Prompt, first: str, rest: Pieces) -> Parts:
    """The turn is kept at the end; a reader who has gone by then leaves nothing."""
    said = [first]
    with closing(rest):
        yield first
        try:
            for piece in rest:
                said.append(piece)
                yield piece
        except ModelError as error:
            yield error
            return
    yield turn.keep(prompt, "".join(said))


def event(name: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def response(events: Iterator[bytes]) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(events, content_type=KIND)
    answer["X-Accel-Buffering"] = "no"  # a proxy in front would wait for the whole
    return answer
