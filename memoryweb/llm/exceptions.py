"""Why a model gave no usable answer: each has a code for programs and a sentence for people.

No sentence ever holds text of the endpoint: it may repeat the key, or what it was given.
"""

import re
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise


class ModelError(Exception):
    """`transient`: the same call may work later, not before `retry_after` seconds if known.
    `counts`: the endpoint's fault, towards its breaker. `of_content`: the fault of what was asked
    or answered; the endpoint is well, and the same call would probably go wrong again.
    `charged`: the model had read what was sent, which is paid for all the same.

    `tokens_in`, `tokens_out` and `cost_micros` are what the failed call has cost all the same.
    """

    code = "model_failed"
    transient = False
    counts = True
    of_content = False
    charged = False

    def __init__(self, sentence: "str | StrPromise", *, retry_after: float | None = None) -> None:
        super().__init__(str(sentence))
        self.retry_after = retry_after
        self.arrived: bytes | None = None  # of an answer that never came to its end
        self.tokens_in = 0
        self.tokens_out = 0
        self.cost_micros = 0


class NotConfigured(ModelError):
    code = "model_not_configured"
    counts = False


class HostRefused(ModelError):
    code = "model_host_refused"
    counts = False


class BudgetSpent(ModelError):
    code = "budget_spent"
    transient = True
    counts = False


class BreakerOpen(ModelError):
    code = "breaker_open"
    transient = True
    counts = False


class KeyRefused(ModelError):
    code = "model_key_refused"


class AccessRefused(ModelError):
    code = "model_access_refused"


class RequestRefused(ModelError):
    """The endpoint found the request itself wrong (400 and its relatives)."""

    code = "model_request_refused"
    counts = False
    of_content = True


class ModelNotFound(ModelError):
    code = "model_not_found"


class TooLarge(ModelError):
    """What was asked does not fit the model's window: the endpoint is well, the text too long."""

    code = "model_input_too_large"
    counts = False
    of_content = True


class Busy(ModelError):
    code = "model_busy"
    transient = True


class Unavailable(ModelError):
    code = "model_unavailable"
    transient = True


class Faulty(Unavailable):
    """The endpoint was reached, and reports an error of its own."""

    code = "model_fault"


class Loading(Unavailable):
    """A local server that has been started just now: nothing is wrong with it."""

    code = "model_loading"
    counts = False


class TimedOut(ModelError):
    """Whose fault it is shows only in what else the endpoint does (`client.complete`)."""

    code = "model_timeout"
    transient = True
    charged = True


class Unfinished(ModelError):
    """The model stopped before the end: cut at a limit, filtered, or the stream broke off."""

    code = "answer_unfinished"
    transient = True
    charged = True
    counts = False
    of_content = True


class BadAnswer(ModelError):
    """An answer that cannot be parsed or breaks the schema."""

    code = "bad_answer"
    transient = True
    charged = True
    counts = False
    of_content = True


class NoAnswer(BadAnswer):
    """Not what an endpoint sends, whatever the model said: another server may be answering."""

    counts = True
    of_content = False
    charged = False


# The words of OpenAI, Anthropic, llama.cpp, Ollama and vLLM, whatever status comes with them.
_TOO_LARGE = re.compile(
    rb"context_length_exceeded|maximum context length|prompt is too long|prompt too long"
    rb"|exceeds the context (?:window|length)|exceed context limit|exceed_context_size_error"
    rb"|exceeds the available context size|context size has been exceeded"
    rb"|longer than the maximum model length|context length is only",
    re.IGNORECASE,
)


def from_answer(status: int, body: bytes, retry_after: float | None = None) -> ModelError:
    """What an answer that is none stands for."""
    if _TOO_LARGE.search(body):
        return TooLarge(
            _(
                "The text is too long for the model. Give its server a larger context and "
                "MEMORYWEB_MODEL_WINDOW the same number, or choose another model."
            )
        )
    if status == 503 and b"loading model" in body.lower():
        return Loading(
            _("The model endpoint is still loading its model. It will be asked again."),
            retry_after=retry_after,
        )
    if status == 200:
        return Faulty(_("The model endpoint answered with an error of its own."))
    return from_status(status, retry_after)


def from_status(status: int, retry_after: float | None) -> ModelError:
    """The error that an HTTP status stands for, each with its own whole sentence."""
    if status in _BY_STATUS:
        kind, sentence = _BY_STATUS[status]
        return kind(sentence, retry_after=retry_after)
    if status >= 500:
        return Faulty(
            _("The model endpoint had an error (%(status)d).") % {"status": status},
            retry_after=retry_after,
        )
    if 300 <= status < 400:
        return RequestRefused(
            _(
                "The model endpoint redirected the request (%(status)d), which is never followed. "
                "Check its base URL."
            )
            % {"status": status}
        )
    return RequestRefused(
        _("The model endpoint refused the request (%(status)d).") % {"status": status}
    )


_BY_STATUS: dict[int, tuple[type[ModelError], "StrPromise"]] = {
    400: (RequestRefused, _("The model endpoint could not process the request (400).")),
    401: (
        KeyRefused,
        _("The model endpoint rejected the key (401). Check the key."),
    ),
    403: (
        AccessRefused,
        _("The key may not use this model (403). Ask the provider for access to it."),
    ),
    404: (
        ModelNotFound,
        _(
            "The model endpoint has no such address or model (404). "
            "Check the base URL and the model's name."
        ),
    ),
    408: (TimedOut, _("The model endpoint timed out (408).")),
    413: (TooLarge, _("The text is too long for the model endpoint (413).")),
    429: (Busy, _("The model endpoint is busy, or the quota is used up (429).")),
}
