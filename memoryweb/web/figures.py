"""What `/metrics` tells: figures of the whole installation, of no team, agent or person."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily as Counter
from prometheus_client.core import GaugeMetricFamily as Gauge
from prometheus_client.core import SummaryMetricFamily as Summary

from memoryweb.audit.models import newest_head
from memoryweb.llm import usage
from memoryweb.memory import forgetting
from memoryweb.runs import healthcheck

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_TOLD = {
    "runs": "Runs that have not ended, or ended in the last 24 hours.",
    "age_seconds": "Since when the oldest waits (0: none does), or the newest happened.",
    "erasures_due": "Requests that wait to be erased.",
    "prompts": "Prompts, by whether memory had something for them.",
    "request_seconds": "Requests until they were answered; pages have no route.",
    "model_tokens": "Tokens of models.",
    "model_cost": "What they cost, by their prices.",
}


def text(now: datetime) -> bytes:
    runs, since, counted = healthcheck.figures(now)
    due, since["erasure"] = forgetting.overdue(now)
    since["audit_head"] = newest_head()
    ages = [((of,), _seconds(at, now)) for of, at in since.items()]
    prompts = [((label,), count) for name, label, count, _sum in counted if name == "prompts"]
    requests = [
        (said.split(" "), n, total) for name, said, n, total in counted if name != "prompts"
    ]
    spent = usage.total()
    tokens = [(("in",), spent.tokens_in), (("out",), spent.tokens_out)]
    families = [
        _family(Gauge, "runs", ("kind", "status"), [((kind, how), n) for kind, how, n in runs]),
        _family(Gauge, "age_seconds", ("of",), ages),
        _family(Gauge, "erasures_due", (), [((), due)]),
        _family(Counter, "prompts", ("memory",), prompts),
        _family(Summary, "request_seconds", ("method", "route", "status"), requests),
        _family(Counter, "model_tokens", ("direction",), tokens),
        _family(Counter, "model_cost", (), [((), spent.cost_micros / 1_000_000)]),
    ]
    made: Any = SimpleNamespace(collect=lambda: families)
    return generate_latest(made)


def _family(kind: Any, name: str, labels: Sequence[str], samples: Iterable[Any]) -> Any:
    family = kind(f"memoryweb_{name}", _TOLD[name], labels=labels)
    for values in samples:
        family.add_metric(*values)
    return family


def _seconds(at: datetime | None, now: datetime) -> float:
    return max(0.0, (now - at).total_seconds()) if at else 0
