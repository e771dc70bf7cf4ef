"""Metrics for Prometheus: what is recorded is counted, and what waits is looked at when somebody asks.

Events are the source: `recorded` takes what a decision recorded and counts it, so that no other code has to. Labels are
kinds of work, models and outcomes; never a person, a place or a word of anybody's.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from dnam.health import Health
from projections.calls import CallRow, calls_made
from projections.events import (
    Event,
    ExtractionAnswered,
    JobFailed,
    MergeAnswered,
    MessageHeard,
    SummaryAnswered,
    TurnAnswered,
    TurnDelivered,
    TurnFailed,
    TurnInterrupted,
    TurnWithdrawn,
)
from projections.fold import Record

MICROS = 1_000_000
MS = 1_000
FAST = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Buckets in seconds for what should take milliseconds."""
SLOW = (0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 3600.0)
"""Buckets in seconds for models, and for what waits for them."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class _Gauges(Collector):
    """Values by label, looked at when somebody asks."""

    def __init__(self, name: str, help_: str, label: str, values: Callable[[], Mapping[str, float]]) -> None:
        self._family = partial(GaugeMetricFamily, name, help_, labels=[label])
        self._values = values

    def collect(self) -> Iterator[Metric]:
        family = self._family()
        for label, value in self._values().items():
            family.add_metric([label], value)
        yield family


class Metrics:
    """The counters of one process, in a registry of their own, and what its health port says."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.health = Health()
        self._heard = Counter("dnam_messages_heard", "Messages heard.", ["author"], registry=registry)
        self._turns = Counter("dnam_turns", "Answers, by what became of them.", ["outcome"], registry=registry)
        self._calls = Counter("dnam_model_calls", "Calls of models.", ["work", "model", "outcome"], registry=registry)
        self._tokens = Counter("dnam_model_tokens", "Tokens of models.", ["model", "kind"], registry=registry)
        self._cost = Counter("dnam_model_cost_dollars", "What models cost, in USD.", ["model"], registry=registry)
        self._latency = Histogram(
            "dnam_model_seconds", "How long models took.", ["work"], buckets=SLOW, registry=registry
        )
        self._loop_lag = Histogram(
            "dnam_loop_lag_seconds",
            "From the last message that a loop read until it was done.",
            ["work"],
            buckets=SLOW,
            registry=registry,
        )
        self._failures = Counter("dnam_failures", "What failed, by job.", ["job"], registry=registry)
        self._commit = Histogram(
            "dnam_commit_seconds", "How long the log took to commit a group.", buckets=FAST, registry=registry
        )
        self.event_loop_lag = Histogram(
            "dnam_event_loop_lag_seconds", "How late the event loop was.", buckets=FAST, registry=registry
        )

    def gauge(self, name: str, help_: str, value: Callable[[], float]) -> None:
        """A value that is looked at when somebody asks."""
        Gauge(name, help_, registry=self.registry).set_function(value)

    def gauges(self, name: str, help_: str, label: str, values: Callable[[], Mapping[str, float]]) -> None:
        """The same with a label: a value for each that there is by then."""
        self.registry.register(_Gauges(name, help_, label, values))

    def commit(self) -> AbstractContextManager[object]:
        """Time a commit of the log."""
        return self._commit.time()

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self.registry)

    # -- what was recorded ------------------------------------------------------------------------------------------

    def recorded(self, records: Sequence[Record]) -> None:
        """Count what a decision recorded."""
        for record in records:
            self._count(record.event)
            for call in calls_made(record):
                self._count_call(call)
            self._measure_lag(record)

    def _count(self, event: Event) -> None:
        match event:
            case MessageHeard(message=message):
                self._heard.labels(message.author).inc()
            case TurnAnswered():
                self._turns.labels("answered").inc()
            case TurnDelivered():
                self._turns.labels("delivered").inc()
            case TurnFailed():
                self._turns.labels("failed").inc()
            case TurnInterrupted():
                self._turns.labels("interrupted").inc()
            case TurnWithdrawn():
                self._turns.labels("withdrawn").inc()
            case JobFailed(job=job):
                self._failures.labels(job).inc()
            case _:
                pass

    def _count_call(self, call: CallRow) -> None:
        if call.failed:
            self._failures.labels(call.work).inc()
        if not call.model:
            return
        self._calls.labels(call.work, call.model, "failed" if call.failed else "worked").inc()
        for kind in ("in", "out", "cached"):
            self._tokens.labels(call.model, kind).inc(getattr(call, f"tokens_{kind}"))
        self._cost.labels(call.model).inc(call.cost_micros / MICROS)
        self._latency.labels(call.work).observe(call.latency_ms / MS)

    def _measure_lag(self, record: Record) -> None:
        match record.event:
            case ExtractionAnswered(upto=upto):
                work = "extraction"
            case MergeAnswered(upto=upto):
                work = "merge"
            case SummaryAnswered(upto=upto):
                work = "summary"
            case _:
                return
        self._loop_lag.labels(work).observe(max(record.at - upto.said, 0) / MS)
