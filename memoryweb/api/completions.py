"""OpenAI's chat completions with memory: a program changes its base URL and nothing else."""

import json
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import resolve
from pydantic import BaseModel, ConfigDict, Field

from memoryweb.agents.models import Owner
from memoryweb.api import acting_owner, chat, quotas
from memoryweb.api.auth import Caller, Request, Right
from memoryweb.api.domain_errors import REFUSALS, problem_of
from memoryweb.api.pipeline import body_of
from memoryweb.api.problems import Invalid, respond
from memoryweb.api.request_bodies import parse
from memoryweb.api.routing import EXAMPLES, Router, header
from memoryweb.api.schemas import Flag, OwnerFields, Whole
from memoryweb.chat import completions, turn
from memoryweb.chat.completions import Pieces
from memoryweb.chat.turn import ChatQuestion
from memoryweb.llm import passing
from memoryweb.memory.conversations import NewMessage, conversation_id
from memoryweb.memory.models import Conversation

router = Router(tags=["Chat"])

AGENT, CONVERSATION = "X-Agent", "X-Conversation"
# What a model's server is told. Others could name another host or model than the team's.
_PASSED = {
    *("messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "stop"),
    *("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call", "seed"),
    *("temperature", "top_p", "top_k", "min_p", "frequency_penalty", "presence_penalty"),
    *("repetition_penalty", "logit_bias", "logprobs", "top_logprobs", "response_format"),
    *("reasoning_effort", "verbosity", "modalities", "audio", "prediction", "service_tier"),
    *("prompt_cache_key", "web_search_options"),
}
_KEPT_BACK = {"metadata", "model", "n", "safety_identifier", "store", "user"}
_Limit = Annotated[Whole, Field(ge=1, le=1_000_000)] | None


class _AsSent(BaseModel):
    model_config = ConfigDict(extra="allow")


class CompletionPart(_AsSent):
    type: str
    text: str | None = None


class CompletionMessage(_AsSent):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[CompletionPart] | None = None


class CompletionRequest(_AsSent):
    """As OpenAI has it: sampling, tools and images go on untouched."""

    messages: list[CompletionMessage] = Field(min_length=1, max_length=1000)
    model: str = Field("", description="Whatever it says, the team's model answers.")
    user: str | None = Field(
        None, description="With an integration's token: its end user. Otherwise it is you."
    )
    stream: Flag | None = None
    stream_options: dict[str, Any] | None = None
    n: Literal[1] | None = None
    max_tokens: _Limit = None
    max_completion_tokens: _Limit = None


def _hear_refused(request: Request) -> None:
    body = parse(CompletionRequest, body_of(request))
    said = completions.message_of(completions.turns_of(body_of(request)["messages"]))
    whose = {"endUserId": body.user} if request.auth.integration else {}
    named = request.headers.get(CONVERSATION)
    chat.hear_refused(request.auth, request.headers.get(AGENT), named, said, whose)


quotas.hears["complete_chat"] = _hear_refused


@router.operation(
    "POST",
    "/chat/completions",
    Right.CHAT,
    errors=(409, 413, 429, 502, 503, 504),
    has_own_key=True,
    extra={
        "parameters": [
            header(AGENT, "The agent's id, where the token reaches several."),
            header(
                CONVERSATION,
                "Its id. Without it: the newest one that these messages go on with, or a new one. "
                "The answer's header names it.",
            ),
        ],
        "responses": {
            200: {
                "description": "OpenAI's answer; with `stream` its server-sent events.",
                "content": {"application/json": {"schema": {}, "example": EXAMPLES["Completion"]}},
            }
        },
    },
)
def complete_chat(request: Request, body: CompletionRequest) -> HttpResponseBase:
    """Complete a chat in OpenAI's format, with memory; also at `/v1/chat/completions`."""
    sent = body_of(request)
    for name in sent.keys() - _PASSED - _KEPT_BACK:
        raise Invalid(name, "Unknown field.")
    if not passing.are_public(sent["messages"]):
        raise Invalid(
            "messages", "Send images as data: links, or from 10 public https hosts at most."
        )
    turns = completions.turns_of(sent["messages"])
    asked, talk = _question(request, body, turns)
    is_again = "Idempotency-Key" in request.headers
    if is_again and (said := turn.answered_before(asked)) is not None:
        pieces = (text for text in [_again(body, said)])
    else:
        passed = {name: sent[name] for name in sent.keys() & _PASSED}
        pieces = completions.pieces(completions.prepared(asked, talk, passed, turns))
    response = _answer(request.auth, pieces, is_stream=bool(body.stream))
    response[CONVERSATION] = asked.conversation_id
    return response


def at_root(request: HttpRequest) -> HttpResponseBase:
    """Where OpenAI's clients ask, who read what is wrong from `error`."""
    response: HttpResponseBase = resolve("/api/v1/chat/completions").func(request)
    if "problem" in response.headers["Content-Type"] and isinstance(response, HttpResponse):
        problem = json.loads(response.content)
        response.content = json.dumps(problem | {"error": _error(problem)}).encode()
    return response


def _question(
    request: Request, body: CompletionRequest, turns: Sequence[NewMessage]
) -> tuple[ChatQuestion, Conversation | None]:
    caller, key = request.auth, chat.turn_key(request, request.auth)
    agent = caller.agent_or_only(request.headers.get(AGENT))
    if agent is None:
        detail = "This token reaches several agents. Send the id of one."
        raise Invalid(AGENT, detail, code="agent_required")
    owner, named = _owner(caller, body), request.headers.get(CONVERSATION)
    message, id = completions.message_of(turns), key or uuid.uuid4().hex
    name = f"chat-{id[:16]}" if named is None else conversation_id(named, CONVERSATION)
    asked = chat.question(caller, agent, owner, name, message, id)
    if named is not None:
        return asked, asked.conversation
    talk = completions.found(asked, turns, is_sent_again=key is not None)
    return (replace(asked, conversation_id=talk.external_id) if talk else asked), talk


def _owner(caller: Caller, body: CompletionRequest) -> Owner | None:
    if caller.integration is None:
        return acting_owner.acting(caller, OwnerFields())
    if body.user is None:
        raise Invalid("user", "Choose an owner: send your end user's id.", code="owner_required")
    return acting_owner.acting(caller, parse(OwnerFields, {"endUserId": body.user}))


def _again(body: CompletionRequest, said: str) -> str:
    """The answer that the same key got before."""
    part, kind = ("delta", ".chunk") if body.stream else ("message", "")
    choice = {"index": 0, part: {"role": "assistant", "content": said}, "finish_reason": "stop"}
    whole = {"object": f"chat.completion{kind}", "created": int(time.time()), "model": body.model}
    return json.dumps({"id": f"chatcmpl-{uuid.uuid4().hex}", **whole, "choices": [choice]})


def _answer(caller: Caller, pieces: Pieces, *, is_stream: bool) -> HttpResponseBase:
    if is_stream:
        # Until the first piece a failure is told as any other call's.
        return turn.event_stream(_events(caller, next(pieces), pieces))
    [whole] = pieces
    return HttpResponse(whole, content_type="application/json")


def _events(caller: Caller, first: str, rest: Pieces) -> Iterator[bytes]:
    yield _data(first)
    try:
        with closing(rest):
            yield from map(_data, rest)
    except REFUSALS as refused:
        problem = json.loads(respond(problem_of(caller, refused)).content)
        yield _data(json.dumps({"error": _error(problem)}))
    else:
        yield _data("[DONE]")


def _data(text: str) -> bytes:
    return f"data: {text}\n\n".encode()


def _error(problem: dict[str, Any]) -> dict[str, Any]:
    kind = "server_error" if problem["status"] >= 500 else "invalid_request_error"
    fields = [one["field"] for one in problem.get("errors", [])]
    param = fields[0] if fields else None
    return {"message": problem["detail"], "type": kind, "param": param, "code": problem["code"]}
