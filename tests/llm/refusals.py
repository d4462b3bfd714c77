"""What servers really answer when a prompt doesn't fit their context, word for word."""

import json
from typing import Any


def _said(message: str, **more: Any) -> bytes:
    return json.dumps({"error": {"message": message} | more}).encode()


# (status, body): llama.cpp's server, old and new.
LLAMA_CPP = [
    (
        400,
        _said(
            "the request exceeds the available context size. try increasing the context size "
            "or enable context shift",
            code=400,
            type="exceed_context_size_error",
            n_prompt_tokens=14429,
            n_ctx=8192,
        ),
    ),
    (400, _said("the request exceeds the available context size, try increasing it", code=400)),
    (
        400,
        _said(
            "request (4390 tokens) exceeds the available context size (4096 tokens), "
            "try increasing it",
            type="exceed_context_size_error",
        ),
    ),
    (500, _said("Context size has been exceeded.", code=500, type="server_error")),
]
OLLAMA = [
    (400, _said("prompt too long; exceeded max context length by 4021 tokens")),
    (400, json.dumps({"error": "the input length exceeds the context length"}).encode()),
    (500, json.dumps({"error": "input length exceeds maximum context length"}).encode()),
]
VLLM = [
    (
        400,
        json.dumps(
            {
                "object": "error",
                "message": "This model's maximum context length is 6048 tokens. However, you "
                "requested 6616 tokens (568 in the messages, 6048 in the completion). Please "
                "reduce the length of the messages or completion.",
                "type": "BadRequestError",
                "param": None,
                "code": 400,
            }
        ).encode(),
    ),
    (
        400,
        _said(
            "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum "
            "context length is 65536 tokens and your request has 57546 input tokens "
            "(8192 > 65536 - 57546). (parameter=max_tokens, value=8192)",
            type="BadRequestError",
        ),
    ),
    (
        400,
        _said(
            "You passed 10243 input tokens and requested 6142 output tokens. However, the "
            "model's context length is only 16384 tokens, resulting in a maximum input length "
            "of 10242 tokens. Please reduce the length of the input prompt.",
        ),
    ),
    (
        400,
        _said(
            "The decoder prompt (length 12324) is longer than the maximum model length of 8192. "
            "Make sure that `max_model_len` is no smaller than the number of text tokens."
        ),
    ),
]
OPENAI = [
    (
        400,
        _said(
            "This model's maximum context length is 4097 tokens. However, you requested 4120 "
            "tokens (3120 in the messages, 1000 in the completion).",
            type="invalid_request_error",
            param="messages",
            code="context_length_exceeded",
        ),
    ),
    (
        400,
        _said("Your input exceeds the context window of this model. Please adjust your input."),
    ),
]
ANTHROPIC = [
    (
        400,
        json.dumps(
            {
                "type": "error",
                "error": {
                    "type": "invalid_request_error",
                    "message": "prompt is too long: 208310 tokens > 200000 maximum",
                },
            }
        ).encode(),
    ),
    (
        400,
        json.dumps(
            {
                "type": "error",
                "error": {
                    "type": "invalid_request_error",
                    "message": "input length and `max_tokens` exceed context limit: 188240 + "
                    "21333 > 200000, decrease input length or `max_tokens` and try again",
                },
            }
        ).encode(),
    ),
]
TOO_LARGE = [*LLAMA_CPP, *OLLAMA, *VLLM, *OPENAI, *ANTHROPIC]

LOADING = json.dumps(
    {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
).encode()
GRAMMAR = _said("Failed to initialize samplers: failed to parse grammar", code=400)
TEMPERATURE = _said(
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) "
    "value is supported.",
    type="invalid_request_error",
    param="temperature",
    code="unsupported_value",
)
