"""The composition root: builds the parts from the configuration, starts and stops them in order."""

import os
from collections.abc import Mapping, Sequence
from gettext import gettext as _
from importlib.metadata import version
from typing import Any, assert_never

from aiohttp import web

from bot import seeds
from bot.admin import Admin
from bot.agent import Agent, RunLimits
from bot.answers import Answers
from bot.approver import Approver
from bot.asker import Asker
from bot.assignments import Assignments
from bot.caller import Caller
from bot.clock import Clock
from bot.closer import Closer
from bot.commands.desk import Desk
from bot.commands.table import COMMAND_NAMES, TABLE, Commands
from bot.config.hidden import secrets_of
from bot.config.models import Config
from bot.config.policies import policies
from bot.connector import Connector
from bot.courier import Courier
from bot.curator import Curator
from bot.dispatch.dispatcher import Dispatcher
from bot.dispatch.embedded import Embedded
from bot.domain.access import ANYONE, WORKSPACE, House
from bot.doorman import Door as TalkDoor
from bot.doorman import Doorman
from bot.editor import Editor
from bot.elicitor import Elicitor
from bot.errors import AskfirstError
from bot.foreign import Foreign, Offered
from bot.gateway import Bounds, Gateway
from bot.granter import Granter
from bot.hatch import Hatch
from bot.health import Health
from bot.hearer import Hearer
from bot.inventory import Inventory, skills_of
from bot.librarian import Librarian
from bot.log import Scrubber, logger
from bot.lookout import Lookout
from bot.mcp_apps.apps import APPS, functions
from bot.mcp_apps.door import Door as ProgramDoor
from bot.mcp_apps.mounts import Mounts
from bot.mcp_apps.spec import McpAppSpec
from bot.mcp_client.fleet import Fleet
from bot.mcp_client.spoken import Definition, Result
from bot.metrics import Metrics
from bot.models import build_model, close_model
from bot.outsider import Outsider
from bot.pace import Pace
from bot.patience import Patience
from bot.porter import Porter
from bot.presence import Presence
from bot.questioner import Questioner
from bot.registrar import Registrar
from bot.replier import Replier
from bot.runner import Runner
from bot.skillset import Skillsets
from bot.stock import Stock
from bot.store import conversations, personas
from bot.store.database import PostgresStore, Signal, Store, Tx
from bot.supervisor import Supervisor
from bot.surveyor import Surveyor
from bot.sweeper import Sweeper
from bot.switchboard import Switchboard
from bot.toolbox import Toolbox
from bot.tools.spec import ToolContext, ToolSpec
from bot.web.api.clerk import Clerk
from bot.web.api.desk import Desk as ApiDesk
from bot.web.api.gate import Gate
from bot.web.api.streams import Streams
from bot.web.api.table import TABLE as API_TABLE
from bot.web.auth import Door
from bot.web.console.entrance import Entrance
from bot.web.console.pages import Pages
from bot.web.console.routes import HOME as CONSOLE
from bot.web.console.routes import Console
from bot.web.files import StoredFiles
from bot.web.health import Probes
from bot.web.hosts import Hosts
from bot.web.server import Parts, build
from bot.web.transcript import StoredTranscript
from bot.why import Explainer
from channels.adapter import Adapter, HasRoutes, Limits
from channels.events import Conversation
from channels.slack.adapter import Introduction, SlackAdapter
from channels.slack.config import SlackConfig
from channels.slack.switch import Switch
from channels.telegram.adapter import TelegramAdapter
from channels.telegram.config import TelegramConfig
from channels.telegram.limits import LIMITS as TELEGRAM_LIMITS
from channels.telegram.menu import MenuEntry
from channels.web.adapter import WebAdapter
from channels.web.config import WebConfig
from channels.web.page import CommandHint, Welcome
from channels.web.visitors import Rights, Visitor
from skills.library import Library, builtin_directory
from skills.limits import MB
from skills.limits import Limits as ArchiveLimits

log = logger("askfirst.app")

NOWHERE = TELEGRAM_LIMITS
"""Limits for what is written down and never sent: those of a narrow platform do."""


class App:
    """Everything that `askfirst run` runs. `tools` are the built-in ones, and in tests more."""

    def __init__(
        self,
        config: Config,
        store: Store,
        cookie_key: str,
        tools: Sequence[ToolSpec[Any]],
        clock: Clock,
        apps: Sequence[McpAppSpec] = APPS,
    ) -> None:
        self._config = config
        self._store = store
        self._clock = clock
        self.metrics = Metrics()
        self.health = Health(clock)
        deciding = {name: each.deciding for name, each in config.channels.items() if isinstance(each, SlackConfig)}
        house = House(frozenset(config.admins), deciding)
        self._backend_url = config.http.public_url.rstrip("/") or f"http://{config.http.host}:{config.http.port}"
        self._fleet = Fleet(config.environ, config.data_dir, clock, self._heard)
        foreign = Foreign(self._fleet, self._call_foreign)
        offered = Offered(foreign, self._fleet)
        toolbox = Toolbox((*tools, *functions(apps)), foreign.tools, self._servers_ready)
        asker = Asker(house, policies(config.approvals), toolbox, self._limits)
        approver = Approver(house, asker)
        questioner = Questioner(policies(config.approvals), self._limits)
        self._closer = Closer(approver, questioner)
        skillsets = Skillsets(Stock(), {name: channel.type for name, channel in config.channels.items()})
        inventory = Inventory(toolbox, offered, skills_of(skillsets))
        surveyor = Surveyor(house, offered, approver, list(config.channels))
        self._connector = Connector(store, self._fleet, surveyor, clock)
        granter = Granter(inventory, approver, questioner)
        registrar = Registrar(
            granter, self._closer, config.models, {name: each.persona for name, each in config.channels.items()}
        )
        curator = Curator(skillsets, granter, registrar, inventory.tool_names)
        library = Library(config.skills.dir, builtin_directory())
        archives = ArchiveLimits(**config.skills.limits.model_dump())
        self._librarian = Librarian(store, library, archives, curator, self.health, clock)
        assignments = Assignments(inventory, granter)
        admin = Admin(granter, assignments, registrar, curator, self._closer, list(config.channels))
        switchable = frozenset(name for name, channel in config.channels.items() if channel.switching)
        explainer = Explainer(inventory, policies(config.approvals))
        commands = Commands(
            Desk(
                house,
                approver,
                self._closer,
                admin,
                explainer,
                self.health,
                switchable,
                self._connector.status,
                surveyor,
            )
        )
        self._api = ApiDesk(
            store,
            toolbox,
            approver,
            self._closer,
            admin,
            explainer,
            self.health,
            {name: channel.type for name, channel in config.channels.items()},
            Scrubber(secrets_of(config)).clean,
            Streams(),
            self._librarian,
            self._connector,
        )
        self._hosts = Hosts(config.http.public_url, config.http.allowed_hosts)
        self._door = Door(store, self._hosts, cookie_key.encode(), clock)
        token = None if config.http.admin_token is None else config.http.admin_token.get_secret_value()
        self._gate = Gate(store, token)
        chats = [name for name, channel in config.channels.items() if isinstance(channel, WebConfig)]
        self._entrance = Entrance(self._door, chats, house, self._gate, token, self._hosts, cookie_key.encode(), clock)
        self._adapters = self._build_adapters()
        self._models = {name: build_model(model) for name, model in config.models.items()}
        self._switchboard = Switchboard(store, self._adapters, self.health, clock)
        alone = not isinstance(store, PostgresStore)
        self._porter = Porter(store, self._librarian, house, self._switchboard.connected, clock, alone=alone)
        doorman = Doorman(house, self._doors(), config.channels)
        presence = self._presence = Presence(store, self._switchboard.connected, clock)
        patience = Patience()
        self._elicitor = Elicitor(store, questioner, presence, patience, clock)
        caller = Caller(store, toolbox, skillsets, asker, questioner, self._elicitor, clock)
        self.gateway = Gateway(
            store,
            doorman,
            asker,
            approver,
            questioner,
            Hearer(questioner, self._limits),
            Editor(approver, caller, toolbox, self._limits),
            self._closer,
            self._porter,
            commands,
            toolbox,
            {name: channel.persona for name, channel in config.channels.items()},
            self._limits,
            Bounds(config.limits.queue_per_conversation, config.limits.message_chars),
            Pace(config.limits.events_per_minute_per_conversation),
            self.health,
            clock,
            self.metrics,
        )
        replier = Replier(self._limits)
        answers = Answers(toolbox, asker, approver, caller, self._closer, replier)
        limits = RunLimits(
            config.limits.run_steps,
            config.limits.run_time.total_seconds(),
            config.limits.run_tokens,
            config.limits.handoffs,
        )
        hatch = Hatch(toolbox, asker, caller)
        self._outsider = Outsider(store, hatch, caller, self._closer, replier, clock)
        self._mounts = self._build_mounts(apps)
        agent = Agent(
            store,
            toolbox,
            skillsets,
            answers,
            replier,
            caller,
            self._models,
            presence,
            patience,
            limits,
            clock,
            self.metrics,
            self._backend_url,
        )
        self._runner = Runner(store, agent, answers, presence, clock, self.metrics)
        self._courier = Courier(
            store, self._switchboard.connected, approver, questioner, self._closer, clock, self.metrics
        )
        self._dispatcher = self._build_dispatcher()
        self._sweeper = Sweeper(
            store, granter, asker, approver, questioner, self._dispatcher, self._courier, clock, self.metrics
        )
        every_s = config.limits.membership_every.total_seconds()
        self._lookout = Lookout(store, self._switchboard.connected, list(config.channels), self._closer, every_s, clock)
        self._tasks = Supervisor()
        self._web: web.AppRunner | None = None
        store.listen(self._heed)

    async def start(self, *, reset: bool = False) -> str:
        """Bring everything up; the address under which the browser finds it."""
        now = self._clock()
        if reset:
            for line in await self._store.tx(seeds.reset, self._config, self._closer, now):
                log.info("reset from the configuration", change=line)
        else:
            await self._store.tx(seeds.sow, self._config, self._closer, now)
        await self._librarian.open()
        self.health.note("store", "connected", ok=True)
        self._web = web.AppRunner(self._web_app(), access_log=None, handle_signals=False, shutdown_timeout=2)
        await self._web.setup()
        await self._switchboard.start(self.gateway)
        await self._courier.start()
        await self._connector.start()
        await self._dispatcher.start(self._runner.take)
        if self._config.database.sqlite_path is not None:
            await self._outsider.settle(self._clock() + 1)  # nobody else uses this database: all of it is left over
        self._tasks.start("outsider", self._outsider.run, lambda error: None)
        self._tasks.start("sweeper", self._sweeper.run, lambda error: None)
        self._tasks.start("librarian", self._librarian.keep_looking, lambda error: None)
        self._tasks.start("porter", self._porter.run, lambda error: None)
        self._tasks.start("connector", self._connector.keep_looking, lambda error: None)
        self._tasks.start("lookout", self._lookout.run, lambda error: None)
        await self._listen(self._web)
        host, port = self._web.addresses[0][:2]
        address = f"http://{'[' + host + ']' if ':' in host else host}:{port}"
        await self._connector.listening(self._config.http.public_url.rstrip("/") or address)
        return f"{address}/"

    async def _listen(self, runner: web.AppRunner) -> None:
        host, port = self._config.http.host, self._config.http.port
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            words = _("Nothing can listen at {host}:{port} ({why}), so nothing was started. Name another http.port.")
            raise AskfirstError(words.format(host=host, port=port, why=os.strerror(error.errno or 0))) from error

    async def stop(self) -> None:
        """What is being sent is sent to its end; then intake stops, then runs (let go of, to be resumed), then the rest."""
        await self._courier.stop()
        await self._switchboard.stop()
        await self._elicitor.stop()
        self._api.streams.close()
        await self._mounts.stop()
        if self._web is not None:
            await self._web.cleanup()
        await self._tasks.stop_all()
        await self._dispatcher.stop()
        await self._connector.stop()
        for model in self._models.values():
            await close_model(model)
        await self._store.close()

    def _heed(self, signal: Signal) -> None:
        self._dispatcher.heed(signal)
        self._runner.heed(signal)
        self._outsider.heed(signal)
        self._presence.heed(signal)
        self._elicitor.heed(signal)
        self._courier.heed(signal)
        self._switchboard.heed(signal)
        self._connector.heed(signal)
        self._porter.heed(signal)

    def _limits(self, channel: str) -> Limits:
        """Of a channel that has left the configuration the cards are still closed, though nothing is sent there."""
        adapter = self._adapters.get(channel)
        return NOWHERE if adapter is None else adapter.limits

    def _doors(self) -> dict[str, TalkDoor]:
        """On the web those may talk whom its door let in: they are signed in, or sit at this machine. On Slack, full
        members of the workspace."""
        doors = {}
        for name, channel in self._config.channels.items():
            allow = channel.talk.allow
            if isinstance(channel, WebConfig) and not allow:
                allow = (ANYONE,)
            if isinstance(channel, SlackConfig) and not allow:
                allow = (WORKSPACE,)
            doors[name] = TalkDoor(allow, channel.talk.knock)
        return doors

    def _build_dispatcher(self) -> Dispatcher:
        parallel = self._config.limits.parallel_runs
        if isinstance(self._store, PostgresStore):
            from bot.dispatch.procrastinated import (
                Procrastinated,
            )  # the `postgres` extra: absent in the embedded default

            return Procrastinated(self._store, parallel)
        return Embedded(self._store, parallel)

    async def _servers_ready(self) -> bool:
        return await self._connector.ready()

    async def _call_foreign(self, context: ToolContext, told: Definition, given: Mapping[str, Any]) -> Result:
        return await self._connector.call(context, told, given)

    def _heard(self, server: str) -> None:
        self._connector.heard(server)

    def _build_mounts(self, apps: Sequence[McpAppSpec]) -> Mounts:
        door = ProgramDoor(self._outsider, self._hosts, self._clock)
        return Mounts(apps, self._outsider, door, self._backend_url, version("askfirst"))

    def _build_adapters(self) -> dict[str, Adapter]:
        adapters: dict[str, Adapter] = {}
        switch, introduction = Switch(), Introduction(COMMAND_NAMES, welcome().examples)
        for name, channel in self._config.channels.items():
            match channel:
                case TelegramConfig():
                    menu = [MenuEntry(entry.name, entry.help, entry.right == "admin") for entry in TABLE]
                    public_url = self._config.http.public_url
                    adapters[name] = TelegramAdapter(name, channel, menu, self._config.admins, public_url)
                case SlackConfig():
                    adapters[name] = SlackAdapter(name, channel, introduction, switch)
                case WebConfig():
                    hints = [CommandHint(entry.name, entry.arguments, entry.help) for entry in TABLE]
                    adapters[name] = WebAdapter(
                        name,
                        channel,
                        StoredTranscript(self._store),
                        self._door,
                        hints,
                        welcome=welcome(),
                        voice=self._voice,
                        rights=self._rights_of,
                        given=StoredFiles(self._store).find,
                        clock=self._clock,
                    )
                case _:
                    assert_never(channel)
        return adapters

    def _web_app(self) -> web.Application:
        routes: list[web.RouteDef] = []
        for adapter in self._adapters.values():
            if isinstance(adapter, HasRoutes):
                routes += adapter.routes(self.gateway)
        routes += self._mounts.routes()
        routes += Clerk(self._api, API_TABLE, self._gate, self._hosts, self._clock).routes()
        chat = next((f"/channels/{name}/" for name, each in self._config.channels.items() if each.type == "web"), "")
        routes += Console(self._api, self._entrance, Pages(chat), self._clock).routes()
        front = chat or CONSOLE
        probes = Probes(self._store, self.health, self.metrics, self._sweeper.count)
        return build(Parts(self._hosts, probes.health, probes.ready, probes.metrics, routes, front))

    def _rights_of(self, visitor: Visitor) -> Rights:
        invited = self._entrance.invites(visitor)
        return Rights(CONSOLE, self._config.skills.limits.zip_mb * MB) if invited else Rights()

    async def _voice(self, where: Conversation) -> str:
        return await self._store.tx(self._persona_name, where)

    def _persona_name(self, tx: Tx, where: Conversation) -> str:
        known = conversations.find(tx, where.key)
        persona_id = (known.persona_id if known else None) or self._config.channels[where.channel].persona
        persona = personas.find(tx, persona_id)
        return persona.display_name if persona else persona_id


def welcome() -> Welcome:
    """What an empty conversation says, and suggests to try."""
    return Welcome(
        _("Talk to a persona that asks first"),
        _("It reads with the tools it was granted. Before it changes anything, it shows you what, and waits."),
        (_("Add a note “water the plants”"), _("What notes are there?"), _("What can you do?")),
    )
