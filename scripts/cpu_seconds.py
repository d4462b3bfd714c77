"""Runs a command, and tells how much of the processor it and all its children have used.

    python scripts/cpu_seconds.py 720 make checks

Of what it costs a machine this says more than the clock, which depends on who else is busy. The
goal is told beside it and not asked for: a machine may be slower than another.
"""

import resource
import subprocess
import sys


def main() -> int:
    goal, command = sys.argv[1], sys.argv[2:]
    process = subprocess.Popen(command)
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.wait()  # it has got the same Ctrl-C
        return 130
    if code == 0:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"CPU seconds: {used.ru_utime + used.ru_stime:.0f} of {goal}")
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
