"""What runs on this machine and speaks OpenAI's format: three ports are asked, and no others."""

import time
from collections.abc import Iterator

import httpx
import pydantic

from memoryweb.core import outbound
from memoryweb.llm import transport
from memoryweb.llm.endpoint import check_host
from memoryweb.llm.exceptions import ModelError

ADDRESSES = {
    "Ollama": "http://127.0.0.1:11434/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
}
_SECONDS = 3.0
_MOST = 20  # models of one server


class _Model(pydantic.BaseModel):
    id: str = pydantic.Field(min_length=1, max_length=120)


class _Models(pydantic.BaseModel):
    data: list[_Model]


def running() -> Iterator[tuple[str, list[str]]]:
    """Each server that answers, with the names of its models."""
    for name, base in ADDRESSES.items():
        deadline = time.monotonic() + _SECONDS
        try:
            check_host(base)
            with outbound.client(deadline) as http, http.stream("GET", f"{base}/models") as answer:
                found = _Models.model_validate_json(transport.read(answer, deadline).body)
        except (httpx.HTTPError, ModelError, pydantic.ValidationError):
            continue
        yield name, [one.id for one in found.data[:_MOST]]
