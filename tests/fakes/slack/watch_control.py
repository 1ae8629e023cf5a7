"""The verbs that look at what is there, and wait for it."""

import asyncio
from typing import Any

from tests.fakes.slack import answers as p
from tests.fakes.slack import watch_verbs as v
from tests.fakes.slack.assistants import current
from tests.fakes.slack.fake import Fake, emptied
from tests.fakes.slack.interactions import Interaction
from tests.fakes.slack.looking import called, fitting_calls, fitting_messages, latencies, modal, shown
from tests.fakes.slack.verb import Holder, holder_verb, verb


def messages(fake: Fake, wanted: v.Messages) -> list[p.Shown]:
    channel = fake.world.channels[wanted.chat]
    there = list(channel.messages.values())
    if wanted.ephemeral_for is not None:
        there += [message for message in channel.ephemerals if message.ephemeral_to == wanted.ephemeral_for]
        there.sort(key=lambda message: message.ts)
    if wanted.thread is not None:
        there = [message for message in there if wanted.thread in (message.ts, message.thread)]
    return [shown(fake.world, channel, message) for message in there]


async def wait_message(fake: Fake, wanted: v.WaitMessage) -> p.Shown | None:
    channel = fake.world.channels[wanted.chat]

    def look() -> p.Shown | None:
        fitting = fitting_messages(fake.world, channel, wanted)
        return fitting[wanted.count - 1] if len(fitting) >= wanted.count else None

    return await fake.waiters.until(look, wanted.timeout)


async def wait_view(fake: Fake, wanted: v.WaitView) -> p.Modal | None:
    def look() -> p.Modal | None:
        pool = fake.desk.views.all if wanted.kind == "modal" else {x.id: x for x in fake.desk.views.homes.values()}
        mine = [view for view in pool.values() if view.open and view.user.id == wanted.user]
        if not mine:
            return None
        top = modal(fake.world, mine[-1])
        told = " ".join((top.title, top.text, *(field.label for field in top.fields)))
        if wanted.containing is not None and wanted.containing not in told:
            return None
        if wanted.error is not None and not any(wanted.error in text for text in top.errors.values()):
            return None
        return top if top.changes >= wanted.changes else None

    return await fake.waiters.until(look, wanted.timeout)


async def wait_no_view(fake: Fake, wanted: v.WaitNoView) -> bool:
    def look() -> bool | None:
        views = fake.desk.views.all.values()
        return None if any(view.open and view.user.id == wanted.user for view in views) else True

    return bool(await fake.waiters.until(look, wanted.timeout))


def calls(fake: Fake, wanted: v.Calls) -> list[p.Called]:
    return [
        called(call)
        for call in fake.record.calls
        if call.number > wanted.after and wanted.method in (None, call.method) and wanted.chat in (None, call.chat)
    ]


async def wait_calls(fake: Fake, wanted: v.WaitCalls) -> list[p.Called] | None:
    def look() -> list[p.Called] | None:
        if fake.record.counts[wanted.method] < wanted.count:
            return None
        fitting = fitting_calls(fake.record.calls, wanted)
        return [called(call) for call in fitting] if len(fitting) >= wanted.count else None

    return await fake.waiters.until(look, wanted.timeout)


async def wait_held(fake: Fake, wanted: v.WaitHeld) -> p.Called | None:
    def look() -> p.Called | None:
        held = fake.faults.held.values()
        return next((called(h.call) for h in held if wanted.method in ("*", h.call.method)), None)

    return await fake.waiters.until(look, wanted.timeout)


async def wait_answer(fake: Fake, wanted: v.WaitAnswer) -> p.Answered | None:
    begun = fake.desk.interactions.known(wanted.interaction)
    if wanted.expect_notice:
        found = await fake.waiters.until(lambda: begun if begun.notices or begun.failed else None, wanted.timeout)
        return None if found is None else _answered(fake, begun)
    ended = await fake.waiters.until(lambda: begun if begun.acked or begun.failed else None, wanted.timeout)
    if ended is None:
        return None
    if wanted.expect_notice is None and begun.acked and begun.channel is not None:
        await fake.waiters.until(lambda: begun if begun.notices else None, wanted.settle)
    return _answered(fake, begun)


def _answered(fake: Fake, begun: Interaction) -> p.Answered:
    begun.settled = True
    channel = begun.channel
    told = [shown(fake.world, channel, message).text for message in begun.notices] if channel else []
    return p.Answered(
        acked=begun.acked,
        failed=begun.failed,
        text=told[0] if told else "",
        notices=tuple(told),
        errors=begun.errors,
        body=begun.answer,
    )


async def wait_confirmed(fake: Fake, wanted: v.WaitConfirmed) -> bool:
    return bool(await fake.waiters.until(lambda: True if fake.deliveries.pending == 0 else None, wanted.timeout))


async def wait_tries(fake: Fake, wanted: v.WaitTries) -> bool:
    delivery = fake.deliveries.made[wanted.event_id]
    return bool(await fake.waiters.until(lambda: True if delivery.tries >= wanted.count else None, wanted.timeout))


def sockets(fake: Fake, wanted: v.OpenSockets) -> list[p.Socket]:
    there = sorted(fake.sockets.connections, key=lambda each: each.number)
    return [p.Socket(number=each.number, deaf=each.deaf, unacked=len(each.waiting)) for each in there]


async def wait_sockets(fake: Fake, wanted: v.WaitSockets) -> list[p.Socket] | None:
    def look() -> list[p.Socket] | None:
        there = sockets(fake, v.OpenSockets())
        new = all(each.number > wanted.newer_than for each in there)
        return there if new and len(there) == wanted.count else None

    return await fake.waiters.until(look, wanted.timeout)


def deliveries(fake: Fake, wanted: v.Deliveries) -> list[p.Delivered]:
    return [
        p.Delivered(
            event_id=each.event_id,
            tries=each.tries,
            last_failure=each.last_failure,
            state=each.state,
            payload=each.payload,
        )
        for each in fake.deliveries.made.values()
    ]


def statuses(fake: Fake, wanted: v.Statuses) -> dict[str, Any]:
    return {
        thread: current(status, fake.clock.now()) for thread, status in fake.world.channels[wanted.chat].status.items()
    }


def violations(fake: Fake, wanted: v.Violations) -> list[p.Broken]:
    found = [p.Broken(call=each.call, method=each.method, reason=each.reason) for each in fake.record.violations]
    if wanted.forget:
        fake.record.violations.clear()
    return found


def measured(fake: Fake, wanted: v.Latencies) -> list[p.Latency]:
    return latencies(fake.deliveries.made.values(), fake.record.calls, wanted.method)


async def reset(holder: Holder, wanted: v.Reset) -> p.Done:
    holder.fake = await emptied(holder.fake)
    await asyncio.sleep(0)  # what was cut sees its end before the next test begins
    return p.Done()


def forget(fake: Fake, wanted: v.Forget) -> p.Done:
    fake.record.clear()
    fake.deliveries.forget()
    return p.Done()


WATCH = (
    verb(v.Messages, messages),
    verb(v.WaitMessage, wait_message),
    verb(v.WaitView, wait_view),
    verb(v.WaitNoView, wait_no_view),
    verb(v.Calls, calls),
    verb(v.WaitCalls, wait_calls),
    verb(v.WaitHeld, wait_held),
    verb(v.WaitAnswer, wait_answer),
    verb(v.WaitConfirmed, wait_confirmed),
    verb(v.WaitTries, wait_tries),
    verb(v.OpenSockets, sockets),
    verb(v.WaitSockets, wait_sockets),
    verb(v.Deliveries, deliveries),
    verb(v.Statuses, statuses),
    verb(v.Violations, violations),
    verb(v.Latencies, measured),
    holder_verb(v.Reset, reset),
    verb(v.Forget, forget),
)
