"""What the web server calls: a thread gets a request only when all of it is there.

Called as WSGI, granian gives a request to a thread before its body has come, and sets no limit of
time to that: as many connections as there are threads, each sending a byte now and then, would
stop the site. Here a body is awaited without a thread, under a deadline; slow readers of an
answer hold none either.
"""

import asyncio
import ctypes
import gc
import os
import re
import sys
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from tempfile import SpooledTemporaryFile
from threading import Event, Semaphore
from typing import Any
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.http import HttpResponse
from django.utils.translation import gettext as _

from memoryweb.api import problems
from memoryweb.api.problems import Problem
from memoryweb.core import home_lock, slots

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = Iterable[tuple[str, str]]
Spool = SpooledTemporaryFile[bytes]

# Whoever waits for a model waits long: they have threads of their own, so that pages need not wait.
_CHATS = re.compile(r"(?:/api)?/v1/chat|.*/chat/say/$")
_IN_MEMORY = 1024 * 1024  # what is larger waits in a file
_PIECE = 64 * 1024
_GIVE_BACK_SECONDS, _WRITE_SECONDS = 3.0, 60.0

_django = get_wsgi_application()

from memoryweb.audit import keys  # noqa: E402 - these need the registry of models
from memoryweb.runs import counting  # noqa: E402

home_lock.share()
keys.check_start()  # ends the process with what is wrong
_threads = ThreadPoolExecutor(settings.WEB_THREADS, thread_name_prefix="web")
_open_chats = Semaphore(settings.CHAT_STREAMS)
_is_giving_back, _is_writing = Event(), Event()


class _TooLarge(Exception):
    pass


class _Gone(Exception):
    """The client hung up."""


async def application(scope: Message, receive: Receive, send: Send) -> None:
    _write_counts_soon()
    with Spool(_IN_MEMORY) as body, Spool(_IN_MEMORY) as answer:
        try:
            await _read(receive, body)
        except _Gone:
            return
        except TimeoutError:
            status, headers = _refused(scope, 408, "too_slow", answer)
        except _TooLarge:
            status, headers = _refused(scope, 413, "too_large", answer)
        else:
            environ = _environ(scope, body)
            if _CHATS.match(scope["path"]):
                if _open_chats.acquire(blocking=False):
                    await _chat(environ, receive, send)
                    return
                status, headers = _refused(scope, 503, "too_many_chats", answer)
            else:
                loop = asyncio.get_running_loop()
                status, headers = await loop.run_in_executor(_threads, _answer, environ, answer)
        await _write(send, status, headers, answer)


async def _chat(environ: Message, receive: Receive, send: Send) -> None:
    """Sent as it comes. One thread has it all, so that its use of the database ends there, too;
    it ends with the chat, and gives back what it had."""
    loop, is_gone = asyncio.get_running_loop(), Event()
    thread = ThreadPoolExecutor(1, thread_name_prefix="chat")

    async def sent(message: Message) -> None:  # what servers give is no coroutine function
        await send(message)

    def tell(message: Message) -> None:
        with slots.left():
            asyncio.run_coroutine_threadsafe(sent(message), loop).result()

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        is_gone.set()

    watching = asyncio.create_task(watch())
    _give_back_soon()
    try:
        await loop.run_in_executor(thread, _tell, environ, tell, is_gone)
    finally:
        watching.cancel()
        thread.shutdown(wait=False)
        _open_chats.release()
        _give_back_soon()


def _tell(environ: Message, tell: Callable[[Message], None], is_gone: Event) -> None:
    """In a thread. A response that is closed before its end keeps nothing of the turn."""
    started: list[Message] = []

    def start(status: str, headers: Headers, *_: object) -> Callable[[bytes], object]:
        started.append(_start(int(status.split()[0]), headers))
        return lambda piece: None

    with slots.taken():
        response = _django(environ, start)
        try:
            tell(started[0])
            for piece in response:
                if is_gone.is_set():
                    return
                tell({"type": "http.response.body", "body": piece, "more_body": True})
        finally:
            response.close()
    tell({"type": "http.response.body", "body": b"", "more_body": False})


def _give_back_soon() -> None:
    """What a chat had in hand, 2.5 MiB, ends in circles that Python leaves for later and in gaps
    that glibc keeps. Once for all chats of some seconds: it stops the process for a moment."""
    if not _is_giving_back.is_set():
        _is_giving_back.set()
        loop = asyncio.get_running_loop()
        loop.call_later(_GIVE_BACK_SECONDS, loop.run_in_executor, _threads, _give_back)


def _give_back() -> None:
    _is_giving_back.clear()
    gc.collect()
    with suppress(AttributeError, OSError):  # another system's library
        ctypes.CDLL(None).malloc_trim(0)


def _write_counts_soon() -> None:
    if not _is_writing.is_set():
        _is_writing.set()
        loop = asyncio.get_running_loop()
        loop.call_later(_WRITE_SECONDS, loop.run_in_executor, _threads, _write_counts)


def _write_counts() -> None:
    _is_writing.clear()
    close_old_connections()
    counting.write()


async def _read(receive: Receive, body: Spool) -> None:
    """A deadline that every byte puts off by what it may take: a slow line may upload, too."""
    async with asyncio.timeout(settings.BODY_SECONDS) as limit:
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise _Gone
            piece: bytes = message.get("body", b"")
            body.write(piece)
            if body.tell() > settings.BODY_BYTES:
                raise _TooLarge
            if not message.get("more_body"):
                return
            limit.reschedule((limit.when() or 0) + len(piece) / settings.BODY_BYTES_PER_SECOND)


def _answer(environ: Message, answer: Spool) -> tuple[int, Headers]:
    """In a thread. Django ends the request, and its use of the database, at `close`."""
    started: list[tuple[int, Headers]] = []

    def start(status: str, headers: Headers, *_: object) -> Callable[[bytes], object]:
        started.append((int(status.split()[0]), headers))
        return answer.write

    response = _django(environ, start)
    try:
        for piece in response:
            answer.write(piece)
    finally:
        response.close()
    return started[0]


def _refused(scope: Message, status: int, code: str, answer: Spool) -> tuple[int, Headers]:
    detail = {
        "too_slow": _("The request took too long to arrive. Nothing was changed."),
        "too_large": _("The request is larger than this address takes."),
        "too_many_chats": _("Too many chats are open. Try again in a moment."),
    }[code]
    response = HttpResponse(detail, status=status, content_type="text/plain; charset=utf-8")
    if scope["path"].startswith(settings.PROGRAMS):
        wait = {"Retry-After": "1"} if status == 503 else {}
        response = problems.respond(Problem(status, code, detail, headers=wait))
    answer.write(response.content)
    counting.served(scope["method"], "", status, 0)
    # What still comes would be read as the next request.
    return status, [*response.items(), ("Connection", "close")]


def _start(status: int, headers: Headers) -> Message:
    pairs = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return {"type": "http.response.start", "status": status, "headers": pairs}


async def _write(send: Send, status: int, headers: Headers, answer: Spool) -> None:
    await send(_start(status, headers))
    answer.seek(0)
    piece = answer.read(_PIECE)
    while True:
        following = answer.read(_PIECE)
        await send({"type": "http.response.body", "body": piece, "more_body": bool(following)})
        if not following:
            return
        piece = following


def _environ(scope: Message, body: Spool) -> Message:
    """PEP 3333. The length is that of what came: a chunked body tells none."""
    environ = _headers(scope["headers"])
    length = body.tell()
    body.seek(0)
    server, client = scope.get("server") or ("", None), scope.get("client") or ("", None)
    return environ | {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "CONTENT_TYPE": environ.get("HTTP_CONTENT_TYPE", ""),
        "CONTENT_LENGTH": str(length),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1] or ""),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }


def _headers(pairs: Iterable[tuple[bytes, bytes]]) -> Message:
    """Without names that hold “_”: as `HTTP_…` they could pass for what a proxy sets with “-”."""
    found: Message = {}
    for name, value in pairs:
        if b"_" not in name:
            key = "HTTP_" + name.decode("latin-1").upper().replace("-", "_")
            between = "; " if key == "HTTP_COOKIE" else ","
            text = value.decode("latin-1")
            found[key] = f"{found[key]}{between}{text}" if key in found else text
    return found
