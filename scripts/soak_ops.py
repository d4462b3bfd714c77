"""An hour of a company's installation: two hosts on PostgreSQL whose processes, and the database,
are killed at random while 50 read and 10 write, dreams and erasures go on, and a backup is made.

    SECONDS=3600 REQUESTS=20000 SEED=1 python -m scripts.soak_ops

Afterwards nothing that was acknowledged is lost or there twice, every run has ended once, 5xx came
only while the database was down, a server's memory doesn't grow, and what was erased since the
backup stays away when that is restored.
"""

import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import django
import httpx
import psycopg

from scripts.postgres import Cluster, cluster

SECONDS = float(os.environ.get("SECONDS", "3600"))
REQUESTS = int(os.environ.get("REQUESTS", "20000"))
READERS, WRITERS, CANARIES = 50, 10, 20
DURABLE = {"synchronous_commit": "on", "full_page_writes": "on"}  # a commit outlives a crash
GROWTH, FORGOTTEN = 1.05, "[forgotten]"
KEYS = ("secret-key", "checkpoint-key", "ledger-key")
ROOT = Path(__file__).resolve().parent.parent
EVERY = {
    "MEMORYWEB_SETUP_TEAM": "Harbour",
    "MEMORYWEB_SETUP_ADMIN": "ann@harbour.example",
    "MEMORYWEB_SETUP_AGENT": "Ada",
    "MEMORYWEB_SETUP_INTEGRATION": "helpdesk",
    "MEMORYWEB_ADMIN_PASSWORD": "of no value, only here",
    "MEMORYWEB_LEASE_SECONDS": "30",
    "MEMORYWEB_HEARTBEAT_SECONDS": "5",
    "MEMORYWEB_STUCK_SECONDS": "20",
    "MEMORYWEB_FORGET_REQUEST_SECONDS": "1",
    "MEMORYWEB_EXTRACTION_IDLE_SECONDS": "5",
    "MEMORYWEB_EXTRACTION_COOLDOWN_SECONDS": "5",
    "MEMORYWEB_DREAM_COOLDOWN_SECONDS": "5",
}


class Host:
    """A web server and a worker, with a home of their own; killed, they begin again."""

    def __init__(self, room: Path, name: str, url: str) -> None:
        serving = import_module("tests.serving")
        self.home, self.port = room / name, serving.free_port()
        self.home.mkdir()
        places = {"HOME": self.home, "SHARED": room / "shared", "LEDGER_DIR": room / "second"}
        more = {f"MEMORYWEB_{name}": str(place) for name, place in places.items()}
        more |= {"MEMORYWEB_STATIC": str(room / "static"), "MEMORYWEB_DATABASE_URL": url}
        token = {"MEMORYWEB_SETUP_TOKEN_FILE": str(room / "token")}
        self.environment = os.environ | EVERY | more | token
        web, work = (
            line.partition("exec ")[2] for line in (ROOT / "Procfile").read_text().splitlines()
        )
        port = web.replace("$PORT", str(self.port)).replace("--workers 2", "--workers 1")
        self.commands = {"web": shlex.split(port), "worker": shlex.split(work)}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        command = [sys.executable, *self.commands[name][1:]]
        with (self.home / f"{name}.log").open("ab") as log:
            given: dict[str, Any] = {"stdout": log, "stderr": log, "start_new_session": True}
            self.processes[name] = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, **given
            )

    def kill(self, name: str) -> None:
        """All of its processes, as when a machine goes away."""
        process = self.processes[name]
        for pid in import_module("tests.workers").family(process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()

    def manage(self, *command: str, **more: str) -> str:
        run = [sys.executable, "manage.py", *command]
        env = self.environment | more
        done = subprocess.run(run, cwd=ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
        return done.stdout

    @property
    def memory(self) -> int:
        """kB that the web server's processes hold."""
        pids = import_module("tests.workers").family(self.processes["web"].pid)
        status = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
        return sum(int(one.partition("VmRSS:")[2].split()[0]) for one in status if "VmRSS:" in one)


class Traffic:
    """People and programs, who ask another host where one is away, and again until it is done."""

    def __init__(self, hosts: list[Host], token: str) -> None:
        self.hosts, self.ended = hosts, Event()
        self.headers = {"Authorization": f"Bearer {token}"}
        self.answers: list[tuple[float, float, int, str]] = []
        self.said: list[str] = []  # acknowledged
        limits = httpx.Limits(max_connections=READERS + WRITERS + 10)
        self.client = httpx.Client(timeout=60, limits=limits, headers=self.headers)
        [agent] = self.ask("GET", "/agents").json()["items"]
        self.agent = agent["id"]

    def ask(self, method: str, path: str, **sent: Any) -> httpx.Response:
        """Until somebody answers that it is done."""
        for turn in count(random.randrange(2)):
            port, began = self.hosts[turn % len(self.hosts)].port, time.monotonic()
            with suppress(httpx.TransportError):
                address = f"http://127.0.0.1:{port}/api/v1{path}"
                answer = self.client.request(method, address, **sent)
                told = f"{method} {path} {answer.text[:300]}"
                self.answers.append((began, time.monotonic(), answer.status_code, told))
                if answer.status_code < 500:
                    return answer
            time.sleep(0.2)
        raise AssertionError

    def say(self, who: str, number: int, words: str) -> None:
        batch = {"endUserId": who, "messages": [_message(number, words)]}
        path = f"/agents/{self.agent}/conversations/{who}/messages"
        answer = self.ask("POST", path, json=batch)
        assert answer.status_code in {200, 201, 202}, answer.text
        self.said.append(words)

    def write(self, n: int) -> None:
        for number in count():
            if self.ended.is_set():
                return
            self.say(f"w{n}", number, f"My parcel w{n}x{number} lies on shelf {number % 97}.")
            key = {"Idempotency-Key": f"w{n}x{number}"}
            told = {"endUserId": f"w{n}", "name": f"Note w{n}x{number}", "content": "Kept."}
            path = f"/agents/{self.agent}/tools/entry_write"
            assert self.ask("POST", path, json=told, headers=key).status_code < 300
            self.said.append(f"entries/{told['name']}.md")
            time.sleep(random.random())

    def read(self, n: int) -> None:
        while not self.ended.wait(random.random() * 2):
            self.look(n)

    def look(self, n: int) -> None:
        who, at = f"w{n % WRITERS}", f"/agents/{self.agent}"
        asked = {"endUserId": who, "conversationId": who, "message": "Where does my parcel lie?"}
        method, path, sent = random.choice(
            [
                ("POST", f"{at}/context", {"json": asked}),
                ("GET", f"{at}/workspace/search?q=parcel&owner=shared", {}),
                ("GET", f"{at}/workspace/files?owner=shared", {}),
                ("GET", f"/memory/{self.agent}/facts?owner=shared", {}),
                ("POST", f"{at}/tools/fact_search", {"json": {"endUserId": who, "query": "shelf"}}),
            ]
        )
        self.ask(method, path, **sent)

    def dream(self) -> None:
        for n in count():
            if self.ended.wait(7):
                return
            about = {"endUserId": f"w{n % WRITERS}"}
            self.ask("POST", f"/memory/{self.agent}/emergence", json=about)

    def erase(self, words: list[str]) -> None:
        for n, said in enumerate(words):
            about = {"endUserId": f"c{n}", "text": said.split()[3]}
            answer = self.ask("POST", f"/memory/{self.agent}/forget", json=about)
            assert answer.json()["hidden"], answer.text
            self.ended.wait(SECONDS / 4 / len(words))


def _message(number: int, words: str) -> dict[str, Any]:
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {"id": f"m{number}", "role": "user", "content": words, "timestamp": at}


class Database:
    """PostgreSQL, which crashes and starts again."""

    def __init__(self, made: Cluster) -> None:
        self.made, self.down = made, list[tuple[float, float]]()
        self.running = ExitStack()
        self.url = self.running.enter_context(made.running(**DURABLE))

    def crash(self) -> None:
        began = time.monotonic()
        self.running.close()
        time.sleep(random.uniform(0.5, 4))
        self.running.enter_context(self.made.running(**DURABLE))
        self.down.append((began, time.monotonic()))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url) as connection:
            return connection.execute(query).fetchall()  # type: ignore[arg-type]


def main() -> int:
    random.seed(os.environ.get("SEED"))
    with cluster() as made, tempfile.TemporaryDirectory(prefix="memoryweb-soak-") as folder:
        room, database = Path(folder), Database(made)
        path = os.pathsep.join([str(made.binaries), os.environ["PATH"]])
        os.environ |= {"MEMORYWEB_HOME": folder, "PATH": path, "PYTHONWARNINGS": "ignore"}
        os.environ |= {"DJANGO_SETTINGS_MODULE": "memoryweb.settings"}
        django.setup()
        for name in ("shared", "second", "static"):
            (room / name).mkdir()
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
            _check_restores(hosts[0], database, room)
    return 0


@contextmanager
def _installed(room: Path, url: str) -> Iterator[list[Host]]:
    hosts = [Host(room, name, url) for name in ("one", "two")]
    for command in ("migrate", "createcachetable", "first_start", "collectstatic"):
        more = ["--no-input"] if command in {"migrate", "collectstatic"} else []
        hosts[0].manage(command, *more)
    try:
        for host in hosts:
            _begin(host, "web")
            _begin(host, "worker")
        yield hosts
    finally:
        for host in hosts:
            for name in host.processes:
                host.kill(name)


def _begin(host: Host, name: str) -> None:
    host.start(name)
    if name == "web":
        answers = import_module("tests.serving").answers
        import_module("tests.waiting").until(lambda: answers(host.port))


def _live(
    hosts: list[Host], database: Database, traffic: Traffic, words: list[str], room: Path
) -> None:
    """What is killed is killed in this thread: the database ends with the one that began it."""
    deeds: list[Callable[[], object]] = [traffic.dream, lambda: _back_up(hosts[0], room)]
    deeds += [lambda n=n: traffic.write(n) for n in range(WRITERS)]  # type: ignore[misc]
    deeds += [lambda n=n: traffic.read(n) for n in range(READERS)]  # type: ignore[misc]
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
    print(f"Killed: {dict(kills)}. Answers: {Counter(one[2] for one in traffic.answers)}.")


def _back_up(host: Host, room: Path) -> None:
    """Again where the database went away meanwhile."""
    made = room / "backup.part"
    while True:
        with suppress(AssertionError):
            host.manage("backup", str(made))
            made.rename(room / "backup")
            return
        made.unlink(missing_ok=True)


def _end_runs(host: Host, database: Database) -> None:
    """As nights and minutes would: each tick asks for what is due."""
    for _turn in range(90):
        host.manage("tick")
        waiting = "SELECT count(*) FROM runs_run WHERE due_at IS NOT NULL OR status = 'running'"
        hidden = "SELECT count(*) FROM forgetting_request WHERE state = 'hidden'"
        if database.rows(waiting) == database.rows(hidden) == [(0,)]:
            return
        time.sleep(2)
    told = database.rows("SELECT kind, status, reason, attempts, due_at FROM runs_run")
    raise AssertionError([one for one in told if one[1] not in {"succeeded", "skipped"}])


def _check(host: Host, database: Database, traffic: Traffic, canaries: set[str]) -> None:
    texts = database.rows("SELECT content FROM conversations_message WHERE role = 'user'")
    texts += database.rows("SELECT path FROM workspace_file WHERE path LIKE 'entries/%'")
    stored, said = Counter(text for (text,) in texts), set(traffic.said) - canaries
    lost = said - stored.keys()
    doubled = [text for text, n in stored.items() if n > 1 and text != FORGOTTEN]
    ended = "SELECT run_id FROM audit_event WHERE action = 'run.finished'"
    once = Counter(run for (run,) in database.rows(ended))
    runs = dict(database.rows("SELECT id, status FROM runs_run"))
    odd = {run: (status, once[run]) for run, status in runs.items() if once[run] != 1}
    late = [
        (status, told)
        for began, at, status, told in traffic.answers
        if status >= 500 and not any(down < at and began < up for down, up in database.down)
    ]
    for command in ("audit_verify", "project_facts --check", "reindex --check", "review --check"):
        host.manage(*command.split())
    print(f"Kept: {len(said)} of {len(said)}. Runs: {dict(Counter(runs.values()))}.")
    wrong = [*lost, *doubled, *odd.items(), *late]
    assert not wrong, wrong[:9]


def _check_memory(host: Host, traffic: Traffic) -> None:
    """Of a server that nobody kills, over its second and its last quarter of these requests."""
    host.kill("web")
    _begin(host, "web")
    traffic.hosts, held = [host], []
    with ThreadPoolExecutor(8) as pool:
        for _part in range(40):
            list(pool.map(traffic.look, range(REQUESTS // 40)))
            held.append(host.memory)
    second, last = sum(held[10:20]), sum(held[30:])
    print(f"Memory after {REQUESTS} requests: {last / second:.3f} of the second quarter's.")
    assert last <= GROWTH * second, held


def _check_restores(host: Host, database: Database, room: Path) -> None:
    """On a new host that has the keys and the ledger's second place; then on the same one."""
    new = room / "new"
    (new / "shared").mkdir(parents=True)
    for name in KEYS:
        shutil.copy(room / "shared" / name, new / "shared")
    shutil.copytree(room / "second", new / "second")
    others = {"SHARED": new / "shared", "LEDGER_DIR": new / "second"}
    there = {f"MEMORYWEB_{name}": str(place) for name, place in others.items()}
    for name, more in (("elsewhere", there), ("again", {})):
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        url = database.url.rpartition("/")[0] + f"/{name}"
        host.processes["worker"].poll() is None and host.kill("worker")
        said = host.manage("restore", str(room / "backup"), MEMORYWEB_DATABASE_URL=url, **more)
        text = subprocess.check_output(["pg_dump", url], text=True).casefold()
        assert "my parcel" in text
        found = [n for n in range(CANARIES) if f"zebra{n}finch{n}" in text]
        assert not found, (name, found, said)
        print(f"Restored {name}: none of {CANARIES} canaries came back.")


if __name__ == "__main__":
    sys.exit(main())
