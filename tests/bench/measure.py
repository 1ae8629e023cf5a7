"""The measurements."""

import asyncio
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.slack.client import Slack
from tests.fakes.telegram.client import Telegram
from tests.flows.house import House

BURST = 1000
BURST_CHATS = 300
RATE = 50.0
RATE_FOR_S = 10
PRESSES = 60
SAID = "thank you"
"""The planner answers it with two words, as an echo would."""
WAITING = 1000


@dataclass(frozen=True, slots=True)
class Echoed:
    """Messages a second in a burst; milliseconds from update to first call at 50/s."""

    per_second: float
    p50: float
    p99: float


async def echoed(platform: Telegram | Slack) -> Echoed:
    """Load whoever listens: first a backlog as fast as it goes, then a steady trickle."""
    send = "sendMessage" if isinstance(platform, Telegram) else "chat.postMessage"
    await platform.load(60, chats=60, text=SAID)
    await platform.wait_calls(send, 60, timeout=60)  # warm
    await platform.forget()
    begun = time.perf_counter()
    await platform.load(BURST, chats=BURST_CHATS, text=SAID)
    await platform.wait_calls(send, BURST, timeout=240)
    per_second = BURST / (time.perf_counter() - begun)
    await platform.forget()
    count = int(RATE * RATE_FOR_S)
    await platform.load(count, chats=BURST_CHATS, text=SAID, per_second=RATE)
    await platform.wait_calls(send, count, timeout=60)
    seconds = sorted(each.seconds for each in await platform.latencies(send) if each.seconds is not None)
    return Echoed(per_second, _at(seconds, 0.50) * 1000, _at(seconds, 0.99) * 1000)


async def press_to_start(telegram: Telegram, database: Path) -> tuple[float, float]:
    """p50 and p99 in milliseconds from a press at the platform to the intent of its tool in the database."""
    found: list[float] = []
    for number in range(PRESSES):
        ann = await telegram.user("Ann")
        chat = await telegram.private_chat(ann)
        await telegram.write(chat, ann, f'add a note "number {number}"')
        card = await telegram.wait_message(chat, button="Approve")
        pressed_at = time.time()
        await telegram.press(chat, ann, card.id, "Approve")
        await telegram.wait_message(chat, containing="was added")
        found.append(await asyncio.to_thread(_started_after, database, pressed_at))
    found.sort()
    return _at(found, 0.50) * 1000, _at(found, 0.99) * 1000


def _started_after(database: Path, pressed_at: float) -> float:
    with closing(sqlite3.connect(database)) as connection:
        (at,) = connection.execute("SELECT max(at) FROM entries WHERE kind = 'tool_started'").fetchone()
    return float(at) - pressed_at


async def waiting_weight(telegram: Telegram, house: House) -> float:
    """Megabytes that 1,000 waiting approvals add to a warm process."""
    await telegram.load(200, chats=200, text='add a note "warm"')
    await telegram.wait_calls("sendMessage", 200, timeout=120)
    await asyncio.sleep(2)  # let what was freed settle: this is a weight, not an event
    before = rss_mb(house.process.pid)
    await telegram.forget()
    await telegram.load(WAITING, chats=WAITING, text='add a note "wait"')
    await telegram.wait_calls("sendMessage", WAITING, timeout=240)
    await asyncio.sleep(2)
    return rss_mb(house.process.pid) - before


def rss_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ValueError("no VmRSS")


def _at(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
