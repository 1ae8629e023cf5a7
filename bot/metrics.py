"""What the service counts, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

LATENCIES_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """One registry for each service, so that two in one process do not count into each other."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.intake = Counter(
            "askfirst_intake",
            "Events by channel and what became of them.",
            ("channel", "outcome"),
            registry=self.registry,
        )
        self.runs = Gauge("askfirst_runs", "Open runs by state.", ("state",), registry=self.registry)
        self.runs_ended = Counter(
            "askfirst_runs_ended", "Runs that ended, by state.", ("state",), registry=self.registry
        )
        self.waiting_approvals = Gauge("askfirst_waiting_approvals", "Approvals that wait.", registry=self.registry)
        self.sends = Counter(
            "askfirst_sends",
            "Messages sent, edited or removed, by outcome.",
            ("channel", "outcome"),
            registry=self.registry,
        )
        self.retries = Counter("askfirst_retries", "What was tried again.", ("what",), registry=self.registry)
        self.model_turns = Counter(
            "askfirst_model_turns", "Model turns by outcome.", ("outcome",), registry=self.registry
        )
        self.accept_seconds = Histogram(
            "askfirst_accept_seconds", "To store an event.", buckets=LATENCIES_S, registry=self.registry
        )
        self.send_seconds = Histogram(
            "askfirst_send_seconds",
            "One call to a platform.",
            ("channel",),
            buckets=LATENCIES_S,
            registry=self.registry,
        )

    def exposition(self) -> bytes:
        return generate_latest(self.registry)
