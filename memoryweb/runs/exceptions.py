class RunError(Exception):
    """What a handler raises to end or postpone its run; `reason` is a code, `error` a sentence."""

    def __init__(self, reason: str, error: str = "") -> None:
        super().__init__(error or reason)
        self.reason = reason
        self.error = error


class Retry(RunError):
    """Try again, after `after` seconds or when the usual back-off says.

    `costs`: the attempt counts. It does not where the run itself is not at fault.
    """

    def __init__(
        self, reason: str, after: float | None = None, error: str = "", *, costs: bool = True
    ) -> None:
        super().__init__(reason, error)
        self.after = after
        self.costs = costs


class GiveUp(RunError):
    """Trying again would not help: the run ends here, with this status."""

    def __init__(self, reason: str, status: str = "failed", error: str = "") -> None:
        super().__init__(reason, error)
        self.status = status


class OutOfTime(Exception):
    """The task that works on the run has no time for its next step: another one goes on."""


class LeaseLost(Exception):
    """The run is someone else's by now. Whoever meets this writes nothing more."""


class OwnerOfOtherTeam(ValueError):
    """A run's owner must belong to the team of its agent."""
