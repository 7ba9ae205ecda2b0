"""The croft command as a process, with streams and an exit status, without Python's start.

Loading croft takes ten times as long as most commands. So a server loads it once, and is forked for each command. What
depends on a process from its first instruction on, such as signals, terminals and checkpoints, starts one of its own.
"""

import atexit
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

CROFT = [sys.executable, "-m", "croft.cli"]
"""What starts a process of its own."""
STREAMS = ("stdin", "stdout", "stderr")


def call(
    *arguments: object,
    input: str = "",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 300,
) -> subprocess.CompletedProcess[str]:
    """What ``croft`` with these arguments comes to. Whoever waits longer than ``timeout`` seconds gets an exception."""
    words = [os.fsdecode(each) if isinstance(each, bytes) else str(each) for each in arguments]
    env = dict(os.environ if env is None else env)
    if "COLUMNS" in env:  # croft reads it as it is loaded
        command, surroundings = [*CROFT, *words], {"env": env, "cwd": cwd}
        return subprocess.run(command, input=input, capture_output=True, text=True, timeout=timeout, **surroundings)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in STREAMS]
        files[0].write_text(input, encoding="utf-8")
        asked = {
            "arguments": words,
            "streams": [str(file) for file in files],
            "env": env,
            "cwd": str(cwd or Path.cwd()),
        }
        server = _server()
        watch = threading.Timer(timeout, os.killpg, (server.pid, signal.SIGKILL))
        watch.start()
        try:
            print(json.dumps(asked), file=server.stdin, flush=True)
            status = server.stdout.readline()
        finally:
            watch.cancel()
        if not status:
            _server.cache_clear()
            raise TimeoutError(f"croft {' '.join(words)} has not ended after {timeout} s")
        return subprocess.CompletedProcess(words, int(status), *(file.read_text() for file in files[1:]))


@functools.cache
def _server() -> subprocess.Popen[str]:
    started = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    atexit.register(started.kill)
    return started


def _serve() -> None:
    from croft.cli import app  # noqa: F401

    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _become(arguments: list[str], streams: list[str], env: dict[str, str], cwd: str) -> NoReturn:
    """Is the command, to its end."""
    from croft.cli import app

    for number, (name, file) in enumerate(zip(STREAMS, streams, strict=True)):
        os.dup2(os.open(file, os.O_RDWR | os.O_CREAT), number)
        setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = ["croft", *arguments]
    status = 1
    try:
        app.main()
    except SystemExit as ended:
        status = ended.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    _serve()
