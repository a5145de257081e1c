"""What the judges of Python clients share: the address of the service, its answers by plain HTTP, and a run in each mode of a client."""

import asyncio
import pathlib
import sys
import urllib.request
from collections.abc import Awaitable, Callable

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from extent import IS_LONG, PATIENCE  # noqa: E402: the folder above is not that of a package

URL, BRIEF = sys.argv[1], "--brief" in sys.argv


def get(path: str) -> str:
    with urllib.request.urlopen(URL + path, timeout=PATIENCE) as reply:
        return reply.read().decode()


def run(name: str, judge: Callable[[str], Awaitable[str]]) -> None:
    """Runs `judge` with the default of a client, and in a long run with the handshake of each protocol too; ends the program."""
    failed = False
    for mode in ("auto", "legacy", "2026-07-28") if IS_LONG else ("auto",):
        try:
            print(f"ok    {name}, {mode}: {asyncio.run(asyncio.wait_for(judge(mode), 2 * PATIENCE))}")
        except Exception as error:  # noqa: BLE001: every error of a client is a finding
            failed = True
            print(f"FAIL  {name}, {mode}: {error!r}")
    sys.exit(failed)
