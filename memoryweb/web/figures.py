"""What `/metrics` tells: figures of the whole installation, of no team, agent or person."""

from collections.abc import Iterator
from datetime import datetime

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily as Counter
from prometheus_client.core import GaugeMetricFamily as Gauge
from prometheus_client.core import Metric
from prometheus_client.core import SummaryMetricFamily as Summary
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE
from prometheus_client.registry import Collector

from memoryweb.audit.models import newest_head
from memoryweb.llm import usage
from memoryweb.memory import forgetting
from memoryweb.runs import healthcheck
from memoryweb.runs.ticking import CHECKPOINT

__all__ = ["CONTENT_TYPE", "text"]


def text(now: datetime) -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Figures(now))
    return generate_latest(registry)


class _Figures(Collector):
    def __init__(self, now: datetime) -> None:
        self.now = now

    def collect(self) -> Iterator[Metric]:
        found, spent = healthcheck.figures(self.now), usage.total()
        due, due_since = forgetting.overdue(self.now)
        runs = Gauge(
            "memoryweb_runs",
            "Runs that have not ended, or ended in the last 24 hours.",
            labels=("kind", "status"),
        )
        for kind, status, times in found.runs:
            runs.add_metric((kind, status), times)
        yield runs
        for name, told, since in (
            ("queue", "the oldest run that may start waits", found.oldest_waiting),
            ("dream", "the oldest dream is due", found.oldest_dream),
            ("erasure", "the oldest erasure is due", due_since),
            ("tick", "a worker ticked", found.beats.get("tick")),
            ("audit_head", "the newest event of the audit log", newest_head()),
            ("audit_checkpoint", "the audit log was signed", found.beats.get(CHECKPOINT)),
        ):
            yield self._age(name, told, since)
        yield Gauge("memoryweb_erasures_due", "Requests that wait to be erased.", due)
        yield from _counted(found.metrics)
        tokens = Counter("memoryweb_model_tokens", "Tokens of models.", labels=("direction",))
        tokens.add_metric(("in",), spent.tokens_in)
        tokens.add_metric(("out",), spent.tokens_out)
        yield tokens
        cost = spent.cost_micros / 1_000_000
        yield Counter("memoryweb_model_cost", "What they cost, by their prices.", cost)

    def _age(self, name: str, told: str, since: datetime | None) -> Metric:
        seconds = max(0.0, (self.now - since).total_seconds()) if since else 0
        return Gauge(f"memoryweb_{name}_age_seconds", f"Since {told}; 0: none.", seconds)


def _counted(metrics: list[tuple[str, str, int, float]]) -> Iterator[Metric]:
    prompts = Counter(
        "memoryweb_prompts", "Prompts, by whether memory had something.", labels=("memory",)
    )
    requests = Summary(
        "memoryweb_request_seconds",
        "Requests, and the seconds until they were answered; pages have no route.",
        labels=("method", "route", "status"),
    )
    for name, label, count, total in metrics:
        if name == "prompts":
            prompts.add_metric((label,), count)
        else:
            requests.add_metric(label.split(" "), count_value=count, sum_value=total)
    yield prompts
    yield requests
