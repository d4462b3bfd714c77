"""Sees to it that there is a Chromium for the browser tests: the system's, else Playwright's."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def main() -> int:
    if found() or _from_the_system() or _from_playwright():
        return 0
    print("No Chromium was found and none could be installed.", file=sys.stderr)
    return 1


def found() -> str | None:
    """The system's Chromium; None means that Playwright's own is to be used."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _from_the_system() -> bool:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        subprocess.run(
            ["apt-get", *command], check=False, stdout=subprocess.DEVNULL, env=environment
        )
    return found() is not None


def _from_playwright() -> bool:
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    return subprocess.run(command, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
