"""A company's installation under fire: two hosts on PostgreSQL, whose processes and whose database
are killed at random while 50 read and 10 write, dreams and erasures go on, and a backup is made.

    SECONDS=3600 REQUESTS=20000 SEED=1 python -m scripts.soak_ops

Then nothing that was acknowledged is lost or there twice, every run has ended once, 5xx came only
while the database was down, a server's memory doesn't grow, and what was erased since the backup
stays away when that is restored.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import django
import httpx
import psycopg

from scripts.postgres import cluster
from scripts.soak_hosts import Database, Host

SECONDS = float(os.environ.get("SECONDS", "3600"))
REQUESTS = int(os.environ.get("REQUESTS", "20000"))
READERS, WRITERS, CANARIES = 50, 10, 20
GROWTH, FORGOTTEN = 1.05, "[forgotten]"
KEYS = ("secret-key", "checkpoint-key", "ledger-key")
CHECKS = ("audit_verify", "project_facts --check", "reindex --check", "review --check")


class Traffic:
    """People and programs, who ask another host where one is away, and again until it is done."""

    def __init__(self, hosts: list[Host], token: str) -> None:
        self.hosts, self.ended = hosts, Event()
        self.answers: list[tuple[float, float, int, str]] = []
        self.said: set[str] = set()  # acknowledged
        limits = httpx.Limits(max_connections=READERS + WRITERS + 10)
        headers = {"Authorization": f"Bearer {token}"}
        self.client = httpx.Client(timeout=60, limits=limits, headers=headers)
        [agent] = self.ask("GET", "/agents").json()["items"]
        self.at, self.memory = f"/agents/{agent['id']}", f"/memory/{agent['id']}"

    def ask(self, method: str, path: str, **sent: Any) -> httpx.Response:
        for turn in count(random.randrange(2)):
            port, began = self.hosts[turn % len(self.hosts)].port, time.monotonic()
            with suppress(httpx.TransportError):
                address = f"http://127.0.0.1:{port}/api/v1{path}"
                answer = self.client.request(method, address, **sent)
                told = f"{method} {path} {answer.text[:300]}"
                self.answers.append((began, time.monotonic(), answer.status_code, told))
                if answer.status_code < 500:
                    assert answer.status_code < 300, told
                    return answer
            time.sleep(0.2)
        raise AssertionError

    def say(self, who: str, number: int, words: str) -> None:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        message = {"id": f"m{number}", "role": "user", "content": words, "timestamp": at}
        batch = {"endUserId": who, "messages": [message]}
        self.ask("POST", f"{self.at}/conversations/{who}/messages", json=batch)
        self.said.add(words)

    def write(self, n: int) -> None:
        for number in count():
            if self.ended.wait(random.random()):
                return
            self.say(f"w{n}", number, f"My parcel w{n}x{number} lies on shelf {number % 97}.")
            key = {"Idempotency-Key": f"w{n}x{number}"}
            told = {"endUserId": f"w{n}", "name": f"Note w{n}x{number}", "content": "Kept."}
            self.ask("POST", f"{self.at}/tools/entry_write", json=told, headers=key)
            self.said.add(f"entries/{told['name']}.md")

    def read(self, n: int) -> None:
        while not self.ended.wait(random.random() * 2):
            self.look(n)

    def look(self, n: int) -> None:
        who = f"w{n % WRITERS}"
        asked = {"endUserId": who, "conversationId": who, "message": "Where does my parcel lie?"}
        sought = {"endUserId": who, "query": "shelf"}
        ways: list[tuple[str, str, dict[str, Any]]] = [
            ("POST", f"{self.at}/context", {"json": asked}),
            ("POST", f"{self.at}/tools/fact_search", {"json": sought}),
            ("GET", f"{self.at}/workspace/search?q=parcel&owner=shared", {}),
            ("GET", f"{self.at}/workspace/files?owner=shared", {}),
            ("GET", f"{self.memory}/facts?owner=shared", {}),
        ]
        method, path, sent = random.choice(ways)
        self.ask(method, path, **sent)

    def dream(self) -> None:
        for n in count():
            if self.ended.wait(7):
                return
            self.ask("POST", f"{self.memory}/emergence", json={"endUserId": f"w{n % WRITERS}"})

    def erase(self, words: list[str]) -> None:
        for n, said in enumerate(words):
            about = {"endUserId": f"c{n}", "text": said.split()[3]}
            assert self.ask("POST", f"{self.memory}/forget", json=about).json()["hidden"]
            self.ended.wait(SECONDS / 4 / len(words))


def main() -> int:
    random.seed(os.environ.get("SEED"))
    with cluster() as made, tempfile.TemporaryDirectory(prefix="memoryweb-soak-") as folder:
        room, database = Path(folder), Database(made)
        path = os.pathsep.join([str(made.binaries), os.environ["PATH"]])
        os.environ |= {"MEMORYWEB_HOME": folder, "PATH": path}
        os.environ["DJANGO_SETTINGS_MODULE"] = "memoryweb.settings"
        django.setup()
        with database.running, _installed(room, database.url) as hosts:
            traffic = Traffic(hosts, (room / "token").read_text().strip())
            words = [f"My locker says zebra{n}finch{n}." for n in range(CANARIES)]
            for n, said in enumerate(words):
                traffic.say(f"c{n}", 0, said)
            _live(hosts, database, traffic, words, room)
            _end_runs(hosts[0], database)
            _check(hosts[0], database, traffic, set(words))
            _check_memory(hosts[1], traffic)
            for host in hosts:
                host.kill("web")
                host.kill("worker")
            _check_restores(hosts[0], database, room)
    return 0


@contextmanager
def _installed(room: Path, url: str) -> Iterator[list[Host]]:
    for name in ("shared", "second", "static"):
        (room / name).mkdir()
    hosts = [Host(room, name, url) for name in ("one", "two")]
    for command in (
        "migrate --no-input",
        "createcachetable",
        "first_start",
        "collectstatic --no-input",
    ):
        hosts[0].manage(*command.split())
    try:
        for host in hosts:
            host.start("web")
            host.start("worker")
            host.wait()
        yield hosts
    finally:
        for host in hosts:
            for name in host.processes:
                host.kill(name)


def _live(
    hosts: list[Host], database: Database, traffic: Traffic, words: list[str], room: Path
) -> None:
    deeds: list[Callable[[], object]] = [traffic.dream, partial(_back_up, hosts[0], room)]
    deeds += [partial(traffic.write, n) for n in range(WRITERS)]
    deeds += [partial(traffic.read, n) for n in range(READERS)]
    kills, until = Counter[str](), time.monotonic() + SECONDS
    with ThreadPoolExecutor(len(deeds) + 1) as pool:
        try:
            done = [pool.submit(deed) for deed in deeds]
            import_module("tests.waiting").until((room / "backup").exists)
            done.append(pool.submit(traffic.erase, words))
            while time.monotonic() < until:
                time.sleep(random.uniform(3, 9))
                host, what = random.choice(hosts), random.choice(["web", "worker", "database"])
                kills[what] += 1
                if what == "database":
                    database.crash()
                else:
                    host.kill(what)
                    host.start(what)
        finally:
            traffic.ended.set()
        for one in done:
            one.result()
        for host in hosts:
            host.wait()
        list(pool.map(traffic.look, range(READERS)))
        database.crash()  # while nobody asks
        list(pool.map(traffic.look, range(READERS)))
    print(f"Killed: {dict(kills)}. Answers: {Counter(one[2] for one in traffic.answers)}.")


def _back_up(host: Host, room: Path) -> None:
    """Again where the database went away meanwhile."""
    made = room / "backup.part"
    while not (room / "backup").exists():
        made.unlink(missing_ok=True)
        with suppress(AssertionError):
            host.manage("backup", str(made))
            made.rename(room / "backup")


def _end_runs(host: Host, database: Database) -> None:
    """As the next minutes would: each tick asks for what is due."""
    open_runs = (
        "SELECT kind, status, reason FROM runs_run WHERE due_at IS NOT NULL OR status = 'running'"
    )
    hidden = "SELECT state FROM forgetting_request WHERE state = 'hidden'"
    for _turn in range(90):
        host.manage("tick")
        if not (left := database.rows(open_runs) + database.rows(hidden)):
            return
        time.sleep(2)
    raise AssertionError(left)


def _check(host: Host, database: Database, traffic: Traffic, canaries: set[str]) -> None:
    texts = database.rows("SELECT content FROM conversations_message WHERE role = 'user'")
    texts += database.rows("SELECT path FROM workspace_file WHERE path LIKE 'entries/%'")
    stored, said = Counter(text for (text,) in texts), traffic.said - canaries
    doubled = [text for text, n in stored.items() if n > 1 and text != FORGOTTEN]
    ended = "SELECT run_id FROM audit_event WHERE action = 'run.finished'"
    once = Counter(run for (run,) in database.rows(ended))
    runs = dict(database.rows("SELECT id, status FROM runs_run"))
    odd = [(run, status, once[run]) for run, status in runs.items() if once[run] != 1]
    late = [
        (status, told)
        for began, at, status, told in traffic.answers
        if status >= 500 and not any(down < at and began < up for down, up in database.down)
    ]
    for command in CHECKS:
        host.manage(*command.split())
    print(f"Kept: {len(said)} texts. Runs: {dict(Counter(runs.values()))}.")
    wrong = [*(said - stored.keys()), *doubled, *odd, *late]
    assert not wrong, (len(wrong), wrong[:9])


def _check_memory(host: Host, traffic: Traffic) -> None:
    """Of a server that nobody kills, over its second and its last quarter of these requests."""
    host.kill("web")
    host.start("web")
    host.wait()
    traffic.hosts, held = [host], []
    with ThreadPoolExecutor(8) as pool:
        for _part in range(40):
            list(pool.map(traffic.look, range(REQUESTS // 40)))
            held.append(host.memory)
    growth = sum(held[30:]) / sum(held[10:20])
    print(f"Memory after {REQUESTS} requests: {growth:.3f} of what it was after a quarter.")
    assert growth <= GROWTH, held


def _check_restores(host: Host, database: Database, room: Path) -> None:
    """On a new host that has the keys and the ledger's second place; then on the same one."""
    new = room / "new"
    (new / "shared").mkdir(parents=True)
    for name in KEYS:
        shutil.copy(room / "shared" / name, new / "shared")
    shutil.copytree(room / "second", new / "second")
    there = {"MEMORYWEB_SHARED": str(new / "shared"), "MEMORYWEB_LEDGER_DIR": str(new / "second")}
    for name, more in (("elsewhere", there), ("again", {})):
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        url = f"{database.url.rpartition('/')[0]}/{name}"
        said = host.manage("restore", str(room / "backup"), MEMORYWEB_DATABASE_URL=url, **more)
        text = subprocess.check_output(["pg_dump", url], text=True).casefold()
        found = [n for n in range(CANARIES) if f"zebra{n}finch{n}" in text]
        assert "my parcel" in text
        assert not found, (name, found, said)
        print(f"Restored {name}: none of {CANARIES} canaries came back.")


if __name__ == "__main__":
    sys.exit(main())
