"""What an endpoint's model is known to take, as long as this process lives.

Servers that speak OpenAI's or Anthropic's format take different parts of it, and count tokens
differently. Each begins with the most, is asked for less after a refusal, and that is remembered.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from memoryweb.llm.tokens import SAFE, estimate_messages
from memoryweb.llm.transport import Response

MOST_FACTOR = 4.0  # of a token count that an endpoint reports, lest one makes calls endless
# llama.cpp makes a grammar of the schema, and takes no repetition of 2,000 or more
# (MAX_REPETITION_THRESHOLD in its `llama-grammar.cpp`).
_MOST_CHARACTERS = 1_500
# Sizes that are not sent are checked when the answer is parsed.
_UNSENT = {
    "title", "default", "description", "maxLength", "minLength", "pattern", "format",
    "maxItems", "minItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
}  # fmt: skip
# Words of a refusal, and what is asked instead.
_WITHOUT: tuple[tuple[str, re.Pattern[bytes], Any], ...] = (
    ("limit_name", re.compile(rb"max_completion_tokens"), "max_completion_tokens"),
    ("temperature", re.compile(rb"temperature"), None),
    ("is_bounded", re.compile(rb"maxLength|maxItems|grammar"), False),
)


@dataclass(frozen=True)
class Dialect:
    """`form` counts from the richest; `factor` is how many tokens the endpoint counts for one
    that we estimate."""

    form: int = 0
    limit_name: str = "max_tokens"
    temperature: float | None = 0.2
    is_bounded: bool = True
    factor: float = SAFE

    def tokens(self, texts: Iterable[str]) -> int:
        """Rather too many than too few: what is reserved is never overdrawn."""
        return ceil(self.factor * estimate_messages(texts))

    def after(self, refusal: Response, forms: Sequence[str]) -> "Dialect | None":
        """How to ask instead; None where nothing is left to try."""
        if refusal.status not in {400, 422}:
            return None
        for part, words, instead in _WITHOUT:
            if getattr(self, part) != instead and words.search(refusal.body):
                return replace(self, **{part: instead})
        return replace(self, form=self.form + 1) if self.form + 1 < len(forms) else None

    def learned(self, texts: Iterable[str], tokens_in: int | None) -> "Dialect":
        """Up at once, down slowly: the next text may be in another language."""
        if tokens_in is None:
            return self
        counted = min(max(tokens_in / estimate_messages(texts), 1.0), MOST_FACTOR)
        return replace(self, factor=max(counted, (9 * self.factor + counted) / 10))


_known: dict[tuple[str, str], Dialect] = {}


def of(url: str, model: str) -> Dialect:
    return _known.get((url, model), Dialect())


def remember(url: str, model: str, dialect: Dialect) -> None:
    _known[url, model] = dialect


def strict(node: Any, most_items: int | None) -> Any:
    """The schema as OpenAI's strict mode wants it: every field required, no other allowed. With
    sizes where `most_items` says how long a list may be: a small model may write one item for
    ever."""
    if isinstance(node, list):
        return [strict(item, most_items) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: strict(item, most_items) for key, item in node.items() if key not in _UNSENT}
    if most_items and "maxLength" in node:
        kept["maxLength"] = min(node["maxLength"], _MOST_CHARACTERS)
    if most_items and "maxItems" in node:
        kept["maxItems"] = min(node["maxItems"], most_items)
    if isinstance(node.get("properties"), dict):
        kept["properties"] = {k: strict(item, most_items) for k, item in node["properties"].items()}
        kept["required"] = list(node["properties"])
        kept["additionalProperties"] = False
    return kept
