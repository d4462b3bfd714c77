"""What of a call in OpenAI's format does not go on to a model's server."""

import json
import socket
from typing import Any

import pytest

from memoryweb.llm import passing
from memoryweb.llm.endpoint import Endpoint
from tests.tables import every_row

IMAGE = "https://pictures.example/boat.png?size=2"
SENT = {"messages": [{"role": "user", "content": "Hi"}], "stream_options": {"include_usage": True}}


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Any = socket.getaddrinfo

    def resolve(host: str, *args: Any, **named: Any) -> Any:
        where = "10.0.0.8" if host == "inside.example" else "93.184.215.14"
        return real(where if host.endswith(".example") else host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


def are_public(*parts: Any) -> bool:
    return passing.are_public([{"role": "user", "content": list(parts)}])


def test_what_a_models_server_fetches_is_public() -> None:
    assert are_public(
        {"type": "text", "text": "http://127.0.0.1/"},
        {"type": "image_url", "image_url": {"url": IMAGE, "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
    )
    assert passing.are_public([{"content": None}, {"content": "http://127.0.0.1/"}])


@every_row(
    [
        {"url": "http://pictures.example/boat.png"},
        {"url": "https://169.254.169.254/latest"},
        {"url": "https://2130706433/"},
        {"url": "https://[::1]/"},
        {"url": "https://localhost/"},
        {"url": "https://inside.example/"},
        {"url": "https://pictures.example@127.0.0.1/"},
        {"url": "https://pictures.example\\@127.0.0.1/"},
        {"url": "file:///etc/passwd"},
        {"url": 7},
        {"file": {"URL": "http://127.0.0.1/"}},
        "http://127.0.0.1/",
        ["http://127.0.0.1/"],
    ],
)
def test_no_link_leads_into_a_network_of_its_own(image_url: Any) -> None:
    for kind in ("image_url", "video_url", "text"):
        assert not are_public({"type": kind, kind: "", "image_url": image_url})


def test_no_more_hosts_than_can_be_looked_up() -> None:
    images = [{"image_url": {"url": IMAGE.replace("boat", str(at))}} for at in range(11)]
    assert are_public(*images)
    others = [{"image_url": {"url": IMAGE.replace("pictures", f"p{at}")}} for at in range(11)]
    assert not are_public(*others)


@pytest.mark.parametrize("stream", [True, False])
def test_options_of_a_stream_go_on_with_a_stream_alone(stream: bool) -> None:
    question = passing.question({**SENT, "stream": stream})
    body = json.loads(question.body(Endpoint("openai", "https://m.example", "m", ""), "max_tokens"))
    assert ("stream_options" in body) is stream
