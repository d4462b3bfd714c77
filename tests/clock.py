"""Hours and days of background work without waiting for them."""

from datetime import datetime

import pytest
from django.utils import timezone

from memoryweb.runs import engine
from memoryweb.runs.models import Run


class Clock:
    """Shows a moment of the test's choice, from which it goes on and may be put further."""

    def __init__(self, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
        self._real = timezone.now
        self.put(now)
        monkeypatch.setattr(timezone, "now", lambda: self.now)

    @property
    def now(self) -> datetime:
        return self._real() + self._ahead

    def put(self, moment: datetime) -> None:
        self._ahead = moment - self._real()

    def run_until(self, end: datetime) -> None:
        """Everything that becomes due until then, each at its own time."""
        while True:
            list(engine.run_pending())
            later = Run.objects.active().filter(due_at__gt=self.now, due_at__lte=end)
            due_at = later.order_by("due_at").values_list("due_at", flat=True).first()
            if due_at is None:
                self.put(end)
                return
            self.put(due_at)
