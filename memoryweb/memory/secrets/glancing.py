"""Which texts are worth a look for either class of secrets, in one pass."""

from memoryweb.memory.secrets import assignments, scanning, sieve

could_hold = sieve.of([*scanning.BEGINNINGS, assignments.LABELS])
