"""The official conformance suite's server scenarios, in both eras of MCP, against our own server.

    python -m scripts.mcp_conformance FOLDER

FOLDER is where npm may install the suite, and the Node that it wants. Fails when a check fails that
`scripts/mcp_expected_failures.toml` doesn't expect to, and when one that it does no longer fails.
"""

import json
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.installation import fresh_installation

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE = "node@22"
ERAS = ("2025-11-25", "2026-07-28")
EXPECTED = Path(__file__).with_name("mcp_expected_failures.toml")


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    wanted = ["--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(["npm", "install", *wanted, NODE, SUITE], check=True)
    # Models can be imported only where there is an installation.
    with fresh_installation(), import_module("scripts.mcp_host").serving() as url:
        failed = set().union(*(_failed(folder, url, era) for era in ERAS))
    groups = tomllib.loads(EXPECTED.read_text())["expected"]
    expected = {check for group in groups for check in group["checks"]}
    for said, checks in (("fails", failed - expected), ("no longer fails", expected - failed)):
        for check in sorted(checks):
            print(f"{check} {said}.")
    return int(failed != expected)


def _failed(folder: Path, url: str, era: str) -> set[str]:
    modules = folder / "node_modules"
    suite = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    command: list[str | Path] = [modules / "node" / "bin" / "node", suite, "server", "--url", url]
    with TemporaryDirectory() as results:
        told = subprocess.run(
            [*command, "--requirements", era, "-o", results],
            check=False,
            capture_output=True,
            text=True,
        )
        checks = [
            check
            for path in Path(results).rglob("checks.json")
            for check in json.loads(path.read_text())
        ]
    if not checks:
        raise SystemExit(f"The suite did not run:\n{told.stdout}{told.stderr}")
    passed = sum(check["status"] == "SUCCESS" for check in checks)
    failed = {check["id"] for check in checks if check["status"] == "FAILURE"}
    print(f"{era}: {passed} checks passed, {len(failed)} failed.")
    return failed


if __name__ == "__main__":
    sys.exit(main())
