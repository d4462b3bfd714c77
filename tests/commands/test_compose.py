"""The image, docs/compose and docs/systemd: what they name is there. None of them is run here but
the image's steps, as a script."""

import configparser
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from tests.serving import answers, free_port
from tests.waiting import SECONDS, until
from tests.workers import ROOT

COMPOSE = yaml.safe_load((ROOT / "docs/compose/compose.yaml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", "")
STEPS = [line.split(" ", 1) for line in DOCKERFILE.splitlines() if line and line[0] != "#"]
UNITS = sorted((ROOT / "docs/systemd").iterdir())
TABLE = set(re.findall(r"^\| `(MEMORYWEB_\w+)`", (ROOT / "docs/settings.md").read_text(), re.M))


def copied() -> list[tuple[list[str], str]]:
    lines = [shlex.split(said) for kind, said in STEPS if kind == "COPY"]
    return [(line[:-1], line[-1]) for line in lines]


def server(words: list[str]) -> list[str]:
    """Of what starts a web server, all but where it listens."""
    start = words.index("memoryweb.serve")
    return [
        word for word in words[start:] if not re.match(r"[\d.]+$|\$PORT|--(host|port|log)", word)
    ]


def test_the_image_has_every_folder_that_the_code_reads() -> None:
    read = {
        name
        for path in (ROOT / "memoryweb").rglob("*.py")
        for name in re.findall(r'BASE_DIR\)? / "(\w+)"', path.read_text(encoding="utf-8"))
        if (ROOT / name).is_dir()
    } - {"var"}
    names = {name for sources, _to in copied() for name in sources}
    assert read >= {"docs", "locale", "static", "templates"}
    assert read | {"memoryweb", "plugins"} <= names
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line[0] == "!"}
    assert names == let_in


def test_two_of_each_stand_behind_the_proxy_on_one_database_and_folder() -> None:
    services = COMPOSE["services"]
    proxy = (ROOT / "docs/compose/nginx.conf").read_text()
    webs = {name for name in services if name.startswith("web")}
    workers = {name for name in services if name.startswith("worker")}
    assert (len(webs), len(workers)) == (2, 2)
    assert set(re.findall(r"server (\w+):8000", proxy)) == webs
    for name in (*webs, *workers, "setup"):
        service: dict[str, Any] = services[name]
        assert service["volumes"] == ["shared:/shared"]
        assert service["environment"].keys() <= TABLE
        assert name == "setup" or service["healthcheck"]
    assert proxy.count("{") == proxy.count("}")
    for limit in ("limit_conn clients", "limit_req zone=calls", "location = /metrics"):
        assert limit in proxy


def test_the_image_can_back_up_the_database_that_compose_starts() -> None:
    client = "postgresql-client-" + COMPOSE["services"]["database"]["image"].split(":")[1]
    assert any(client in said.split() for kind, said in STEPS if kind == "RUN")


def test_what_is_started_is_what_the_procfile_starts() -> None:
    [procfile] = [line for line in (ROOT / "Procfile").read_text().splitlines() if "serve" in line]
    usual = server(procfile.replace("--log-level warning", "").split())
    [image] = [yaml.safe_load(said) for kind, said in STEPS if kind == "CMD"]
    assert server(image) == usual
    said = [one for unit in UNITS for one in re.findall(r"^ExecStart=(.*)", unit.read_text(), re.M)]
    assert [server(one.split()) for one in said if "serve" in one] == [usual]
    services = COMPOSE["services"].values()
    said += [" ".join(one["command"]) for one in services if "command" in one]
    called = {name for one in said for name in re.findall(r"manage\.py (\w+)", one)}
    assert called <= get_commands().keys()
    assert called >= {"work", "healthcheck", "migrate", "first_start"}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: str(unit.name))
def test_a_unit_can_be_read(unit: Path) -> None:
    read = configparser.RawConfigParser(strict=False)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read_string(unit.read_text())
    assert read["Unit"]["Description"].startswith("memoryweb: ")
    if unit.suffix == ".service":
        assert read["Service"]["User"] == "memoryweb"
        assert read["Service"]["EnvironmentFile"] == "/etc/memoryweb/environment"


@pytest.mark.slow
def test_the_image_s_steps_make_something_that_serves(tmp_path: Path) -> None:
    """In a clean directory with an environment of its own, all by one user."""
    app, port = tmp_path / "app", free_port()
    app.mkdir()
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    known = {"PATH": f"{tmp_path / 'venv/bin'}:/usr/bin:/bin", "HOME": str(tmp_path)}

    def placed(text: str) -> str:
        return re.sub(r"/(app|data|shared|tmp/build)\b", rf"{tmp_path}/\1", text)

    def run(command: str) -> str:
        done = subprocess.run(
            command, shell=True, cwd=app, env=known, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    for kind, said in STEPS:
        if kind == "COPY":
            *sources, to = shlex.split(said)
            for source in sources:
                copy(ROOT / source, app / source if to == "./" else app / to)
        elif kind == "ENV":
            known |= dict(one.split("=", 1) for one in shlex.split(placed(said)))
        elif kind == "RUN" and not re.match("useradd|apt-get", said):
            run(placed(said))
    assert (app / "collected").stat().st_mode & stat.S_IROTH
    token = tmp_path / "shared/token"
    known |= {
        "PORT": str(port),
        "MEMORYWEB_SETUP_TEAM": "Harbour",
        "MEMORYWEB_SETUP_ADMIN": "ann@harbour.example",
        "MEMORYWEB_SETUP_INTEGRATION": "helpdesk",
        "MEMORYWEB_SETUP_TOKEN_FILE": str(token),
    }
    for command in COMPOSE["services"]["setup"]["command"][2].split(" && "):
        said = run(command)
    assert "shown only now" in said
    [start] = [yaml.safe_load(said) for kind, said in STEPS if kind == "CMD"]
    start = [str(port) if word == "8000" else word for word in start]
    process = subprocess.Popen(start, cwd=app, env=known)
    try:
        until(lambda: process.poll() is not None or answers(port))
        assert answers(port, "/accounts/login/")
        assert token.read_text().startswith("mwp_")
    finally:
        process.terminate()
        process.wait(SECONDS)


def copy(source: Path, to: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, to, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copyfile(source, to)
