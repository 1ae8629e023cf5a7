"""The loop: model, tool calls, … until a reply or a call that needs a human.

Each step reads where the run stands, does one thing, and commits it; a crash between two steps loses none.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from gettext import gettext as _

from bot.answers import Answers
from bot.caller import Caller
from bot.clock import Clock
from bot.domain.persona import Persona
from bot.domain.run import SILENT_EXIT, Call, Run
from bot.llm.budget import fit
from bot.llm.port import Answer, Model, ModelFailure, Offer, Request
from bot.llm.words import failure_in_words
from bot.log import logger
from bot.metrics import Metrics
from bot.patience import Patience
from bot.presence import Presence
from bot.progress import Progress, read
from bot.prompt import request
from bot.replier import Parts, Replier
from bot.skillset import EMPTY, Skillset, Skillsets
from bot.store import calls, entries, personas, runs
from bot.store.database import Store, Tx
from bot.store.entries import Entry
from bot.toolbox import Toolbox, offers

log = logger("askfirst.agent")

HISTORY_RUNS = 50
"""Earlier runs of a session that are read back; the context budget cuts further."""

MODEL_TRIES = 4
FIRST_RETRY_S = 0.5
LONGEST_RETRY_S = 20.0
RETRIED = ("rate", "down", "timeout")

NEAR_STEPS = 2
"""With so few steps left the model is told to come to an end."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What one run may take. `time_s` counts work, not waiting for people."""

    steps: int
    time_s: float
    tokens: int
    handoffs: int


@dataclass(frozen=True, slots=True)
class Position:
    """What a step needs to know, read in one transaction."""

    run: Run
    persona: Persona | None
    progress: Progress
    offers: tuple[Offer, ...]
    skillset: Skillset = EMPTY
    had: frozenset[str] = frozenset()
    """Names of the tools that the persona has, whatever its skills say."""


class Agent:
    def __init__(
        self,
        store: Store,
        toolbox: Toolbox,
        skillsets: Skillsets,
        answers: Answers,
        replier: Replier,
        caller: Caller,
        models: Mapping[str, Model],
        presence: Presence,
        patience: Patience,
        limits: RunLimits,
        clock: Clock,
        metrics: Metrics,
        backend_url: str = "",
    ) -> None:
        """`backend_url`: where this service is reached, for what skills say of it."""
        self._store = store
        self._toolbox = toolbox
        self._skillsets = skillsets
        self._backend_url = backend_url
        self._answers = answers
        self._replier = replier
        self._caller = caller
        self._models = models
        self._presence = presence
        self._patience = patience
        self._limits = limits
        self._clock = clock
        self._metrics = metrics

    async def drive(self, run: Run, known: Position | None, decided: asyncio.Event) -> None:
        """Work on a claimed run until it has ended or waits for a person. `decided` is set when a call of it is decided.

        `known`: where it stood when it was claimed, if that could be read. Raises Fenced if the run was taken over or
        ended from outside.
        """
        await asyncio.sleep(max(0.0, (run.held_until or 0.0) - self._clock()))
        begun = self._clock()
        fresh = known if not await self._toolbox.ready() else None
        at = fresh if fresh is not None else await self._store.light(self.look, run)
        try:
            async with self._patience.limit(run.id, max(0.0, self._limits.time_s - run.active_s)):
                while await self._step(at, decided, begun):
                    at = await self._store.light(self._look_again, run)
        except TimeoutError:
            message = _("This took longer than is allowed for one message, so I stopped. Ask again in smaller steps.")
            await self._fail(run, "time_limit", message)

    async def _step(self, at: Position, decided: asyncio.Event, begun: float) -> bool:
        """Do the next thing; False when there is none for now."""
        if at.persona is None:
            return await self._fail(at.run, "persona_gone", _("The persona that was asked does not exist any more."))
        if any(not call.answered for call in at.progress.open_calls):
            return await self._work(at, decided, begun)
        left = any(call.tool == SILENT_EXIT and call.failure is None for call in at.progress.open_calls)
        if left or at.run.silent:
            return await self._store.tx(self._leave_silently, at.run)
        return await self._ask_model(at, at.persona)

    def look(self, tx: Tx, run: Run) -> Position:
        """Where a run stands that was read in this transaction."""
        now = self._clock()
        persona = personas.find(tx, run.persona_id)
        earlier = runs.history(tx, run.session_id, run.seq, HISTORY_RUNS) if run.session_id else []
        ids = [*earlier, run.id]
        log_lines = entries.of_runs(tx, ids, ("queued", "model_called"))
        with_calls = {line.run_id for line in log_lines if line.kind == "model_called" and line.body["calls"]}
        progress = read(run.id, earlier, log_lines, calls.of_runs(tx, sorted(with_calls)) if with_calls else [])
        if persona is None:
            return Position(run, persona, progress, ())
        usable = self._toolbox.usable(tx, persona, now)
        skillset = self._skillsets.of(tx, persona, run.conversation, run.channel, progress.loaded, now)
        shown = offers(
            persona, [use for use in usable if skillset.offers(use.tool.name, *use.tool.also)], progress.specialist
        )
        had = frozenset(name for use in usable for name in (use.tool.name, *use.tool.also))
        return Position(run, persona, progress, shown, skillset, had)

    def _look_again(self, tx: Tx, run: Run) -> Position:
        fresh = runs.find(tx, run.id) or run
        return self.look(tx, replace(fresh, epoch=run.epoch))

    # Calls

    async def _work(self, at: Position, decided: asyncio.Event, begun: float) -> bool:
        """Bring the open calls forward: ready ones in parallel, one worker at a time; suspend when all that is left
        waits for people."""
        run = at.run
        delegations = [call for call in at.progress.open_calls if call.delegates and call.state == "ready"]
        if delegations:
            return await self._store.tx(self._open_frame, run, delegations)
        running: dict[str, asyncio.Task[None]] = {}
        open_calls = list(at.progress.open_calls)
        try:
            while True:
                for call in open_calls:
                    if call.state in ("ready", "started") and call.id not in running:
                        self._presence.now(run, "acting", call.tool)
                        running[call.id] = asyncio.create_task(self._caller.make(run, call), name=f"call {call.tool}")
                unfinished = [task for task in running.values() if not task.done()]
                for task in running.values():
                    if task.done():
                        task.result()
                if not unfinished:
                    break
                await _first(unfinished, decided)
                decided.clear()
                open_calls = [
                    call
                    for call in (await self._store.light(self._look_again, run)).progress.open_calls
                    if not call.answered
                ]
        finally:
            for task in running.values():
                task.cancel()
            await asyncio.gather(*running.values(), return_exceptions=True)
        if running:
            return True
        if not await self._store.tx(self._suspend, run, begun):
            return True
        self._presence.now(run, "waiting", None)
        return False

    def _open_frame(self, tx: Tx, run: Run, delegations: list[Call]) -> bool:
        """Hand the next task to its worker, unless this run has handed over often enough."""
        runs.guard(tx, run)
        now = self._clock()
        call = delegations[0]
        calls.step(tx, call.id, "ready", "started")
        fresh = runs.find(tx, run.id) or run
        if fresh.handoffs >= self._limits.handoffs:
            text = _(
                "Not handed over: the limit of {count} hand-offs for one message is reached. Answer with what you have."
            )
            calls.answer(tx, call.id, "started", "done", text.format(count=self._limits.handoffs), "unavailable")
            body = {"call": call.id, "tool": call.tool, "failure": "unavailable"}
            entries.add(tx, Entry(run.id, "tool_finished", None, now, body))
            return True
        runs.guard(tx, run, handoffs=fresh.handoffs + 1)
        entries.add(tx, Entry(run.id, "tool_started", None, now, {"call": call.id, "tool": call.tool}))
        return True

    def _suspend(self, tx: Tx, run: Run, begun: float) -> bool:
        """Wait for people, unless one of them was quicker; True if the run is let go of."""
        runs.hold(tx, run.id)
        mine = calls.of_runs(tx, [run.id])
        if any(call.state == "ready" for call in mine) or not any(call.state == "waiting" for call in mine):
            return False
        fresh = runs.find(tx, run.id) or run
        worked = self._clock() - begun - self._patience.waited_s(run.id)
        runs.guard(tx, run, active_s=fresh.active_s + max(0.0, worked))
        runs.suspend(tx, run)
        self._answers.rest(tx, run)
        return True

    # The model

    async def _ask_model(self, at: Position, persona: Persona) -> bool:
        run = at.run
        over = self._over_limit(run)
        if over is not None:
            return await self._fail(run, *over)
        model = self._models.get(persona.model)
        if model is None:
            return await self._fail(run, "model_missing", failure_in_words(ModelFailure("missing")))
        self._presence.now(run, "thinking", None)
        near = self._limits.steps - run.steps <= NEAR_STEPS
        asked = request(
            persona,
            at.progress.specialist,
            at.progress.turns,
            at.offers,
            near,
            at.skillset,
            at.had,
            self._backend_url,
        )
        try:
            answer = await self._turn(at, model, asked)
        except ModelFailure as failure:
            self._metrics.model_turns.labels(failure.kind).inc()
            log.warning("the model failed", run=run.id, kind=failure.kind, cause=repr(failure.__cause__)[:300])
            return await self._fail(run, f"model_{failure.kind}", failure_in_words(failure))
        self._metrics.model_turns.labels("ok").inc()
        if not answer.text.strip() and not answer.calls:
            return await self._fail(run, "model_broken", failure_in_words(ModelFailure("broken")))
        return await self._store.tx(self._take, at, persona, answer, await self._replier.written(run, answer))

    async def _turn(self, at: Position, model: Model, asked: Request) -> Answer:
        """One answer. Trouble that passes is waited out, a context that overflows is halved once. Raises ModelFailure."""
        window = model.window
        measured = None if at.skillset.in_use else at.progress.measured  # another text may have come into it since
        pause = FIRST_RETRY_S
        for attempt in range(1, MODEL_TRIES + 1):
            on_text: Callable[[str], Awaitable[None]] = (
                self._presence.streamer(at.run) if at.progress.frame is None else _unheard
            )
            try:
                return await model.turn(fit(asked, window, measured), on_text)
            except ModelFailure as failure:
                if failure.kind == "context" and window == model.window:
                    window //= 2
                elif failure.kind not in RETRIED or attempt == MODEL_TRIES:
                    raise
                else:
                    self._metrics.retries.labels("model").inc()
                    await asyncio.sleep(min(failure.retry_after or pause, LONGEST_RETRY_S))
                    pause *= 2
        raise ModelFailure("context")

    def _take(self, tx: Tx, at: Position, persona: Persona, answer: Answer, said: Parts) -> bool:
        """Store an answer, with every call of it checked, before anything is done about it. True: there is a next step."""
        run, progress = at.run, at.progress
        now = self._clock()
        turn = run.steps + 1
        cost = None if answer.cost is None and run.cost is None else str(Decimal(run.cost or 0) + (answer.cost or 0))
        last = not answer.calls and progress.frame is None
        where = runs.guard(
            tx,
            run,
            state="completed" if last else "running",
            ended_at=now if last else None,
            steps=turn,
            attempts=1,
            input_tokens=run.input_tokens + answer.usage.input,
            output_tokens=run.output_tokens + answer.usage.output,
            cost=cost,
        )
        run = replace(run, conversation=where)
        if progress.open_calls:
            calls.mark_sent(tx, [call.id for call in progress.open_calls])
        body = {
            "turn": turn,
            "text": answer.text,
            "calls": [asdict(call) for call in answer.calls],
            "native": answer.native,
            "model": persona.model,
            "usage": asdict(answer.usage),
            "cost": None if answer.cost is None else str(answer.cost),
        }
        entries.add(tx, Entry(run.id, "model_called", progress.frame_id, now, body))
        if answer.calls:
            self._answers.take_calls(tx, replace(run, steps=turn), persona, at.skillset, progress, answer, said, now)
            return True
        if progress.frame is not None:
            calls.answer(tx, progress.frame.id, "started", "done", answer.text, None)
            done = {"call": progress.frame.id, "tool": progress.frame.tool, "failure": None}
            entries.add(tx, Entry(run.id, "tool_finished", None, now, done))
            return True
        self._answers.complete(tx, run, said, now)
        return False

    def _leave_silently(self, tx: Tx, run: Run) -> bool:
        now = self._clock()
        runs.guard(tx, run, state="completed", ended_at=now)
        self._answers.complete(tx, run, None, now)
        return False

    # Ends

    def _over_limit(self, run: Run) -> tuple[str, str] | None:
        if run.steps >= self._limits.steps:
            return "step_limit", _(
                "I stopped after {count} steps without a result. Ask again in smaller parts."
            ).format(count=run.steps)
        if run.input_tokens + run.output_tokens >= self._limits.tokens:
            return "token_limit", _("I stopped: this message used up its budget of tokens. Ask again in smaller parts.")
        return None

    async def _fail(self, run: Run, code: str, message: str) -> bool:
        await self._store.tx(self._answers.fail, run, code, message, self._clock())
        return False


async def _first(tasks: list[asyncio.Task[None]], decided: asyncio.Event) -> None:
    """Until one of the tasks is done, or something was decided."""
    waiter = asyncio.create_task(decided.wait())
    try:
        await asyncio.wait([*tasks, waiter], return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiter.cancel()
        await asyncio.wait([waiter])


async def _unheard(_text: str) -> None:
    """What a worker writes is not for the chat."""
