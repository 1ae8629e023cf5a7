from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.config.load import load
from bot.config.mistakes import ConfigError
from tests.bot.config_files import GOOD, TOKEN, mistakes


@dataclass(frozen=True)
class Case:
    """`old` in the good file becomes `new`; then there is one mistake, at `key`, whose whole text holds `says`."""

    old: str
    new: str
    key: str
    says: str


TG = '    token: "${TELEGRAM_TOKEN}"\n'
ADMINS = 'admins: ["tg:4242"]\n'
SLACK = TG + "  team:\n    type: slack\n    persona: guide\n"
BOT, APP = '    bot_token: "${SLACK_BOT}"\n', '    app_token: "${SLACK_APP}"\n'
END = ADMINS
CASES = {
    "unknown key": Case(TG, TG + "    tokn: x\n", "channels.tg.tokn", "Did you mean `token`?"),
    "unknown key at the top": Case(END, END + "webhooks: 1\n", "webhooks", "not a key that is known"),
    "unknown key without value": Case(END, END + "webhooks:\n", "webhooks", "not a key that is known"),
    "duplicate key": Case(TG, TG + "    type: telegram\n", "channels.tg.type", "given twice, first in line 5"),
    "missing key": Case("    persona: guide\n", "", "channels.tg.persona", "is missing"),
    "key without value": Case("    persona: guide\n", "    persona:\n", "channels.tg.persona", "is missing"),
    "missing variable": Case("TELEGRAM_TOKEN", "NOWHERE", "channels.tg.token", "needs the variable NOWHERE"),
    "not a variable": Case("display_name: Guide", "display_name: '${a b}'", "personas.guide.display_name", "$${"),
    "literal secret": Case('"${TELEGRAM_TOKEN}"', TOKEN, "channels.tg.token", "stands in the file itself"),
    "half literal secret": Case(
        '"${TELEGRAM_TOKEN}"', '"1${TELEGRAM_TOKEN}"', "channels.tg.token", "in the file itself"
    ),
    "literal default of a secret": Case("_TOKEN}", "_TOKEN:-1:x}", "channels.tg.token", "in the file itself"),
    "empty secret": Case("{TELEGRAM_TOKEN}", "{NOWHERE:-}", "channels.tg.token", "is empty"),
    "not a token": Case("TELEGRAM_TOKEN", "OPENAI_API_KEY", "channels.tg.token", "not a bot token"),
    "literal admin token": Case(END, END + "http: {admin_token: abc}\n", "http.admin_token", "in the file itself"),
    "password in the database": Case(
        END, END + "database: postgresql://me:pw@host/db\n", "database", "password that stands in the file"
    ),
    "password as a parameter": Case(
        END, END + "database: postgresql://me@host/db?password=pw\n", "database", "password that stands in the file"
    ),
    "database of another make": Case(END, END + "database: mysql://host/db\n", "database", "postgresql://"),
    "database in memory": Case(END, END + 'database: "sqlite:///:memory:"\n', "database", "no file to keep"),
    "slack without its token": Case("{type: web,", "{type: slack,", "channels.web.bot_token", "is missing"),
    "unknown channel type": Case("{type: web,", "{type: irc,", "channels.web", "`type: telegram` or `type: web`"),
    "channel without type": Case("{type: web,", "{", "channels.web", "does not say what it is"),
    "name of a channel": Case("  web: {", "  Web: {", "channels.Web", "not a name that can be used"),
    "channel called group": Case("  web: {", "  group: {", "channels.group", "meaning of its own"),
    "persona of a channel": Case(
        "    persona: guide", "    persona: gide", "channels.tg.persona", "Write one of: guide."
    ),
    "model of a persona": Case("model: main}", "model: man}", "personas.guide.model", "Write one of: main."),
    "persona of a grant": Case(
        END, END + "grants: [{persona: x, capability: builtin/a}]\n", "grants[0].persona", "not in this file"
    ),
    "capability of a grant": Case(
        END,
        END + "grants: [{persona: guide, capability: builtin/*}]\n",
        "grants[0].capability",
        "only a server takes a *",
    ),
    "grant without asking, without end": Case(
        END, END + "grants: [{persona: '*', capability: builtin/a, effect: auto}]\n", "grants[0]", "has no end"
    ),
    "grant without asking, for long": Case(
        END,
        END + "grants: [{persona: '*', capability: builtin/a, effect: auto, until: 2026-06-02T12:01Z}]\n",
        "grants[0].until",
        "more than 24 hours ahead",
    ),
    "time without zone": Case(
        END,
        END + "grants: [{persona: guide, capability: builtin/a, until: 2026-06-02T12:00}]\n",
        "grants[0].until",
        "without its zone",
    ),
    "date without time": Case(
        END,
        END + "grants: [{persona: guide, capability: builtin/a, until: 2026-06-02}]\n",
        "grants[0].until",
        "T18:00Z",
    ),
    "day that is on no calendar": Case(
        END,
        END + "grants: [{persona: guide, capability: builtin/a, until: 2026-02-30T12:00Z}]\n",
        "grants[0].until",
        "on no calendar",
    ),
    "admin of no channel": Case('"tg:4242"', '"tgm:4242"', "admins[0]", "Write one of: tg, web."),
    "admin by name": Case('"tg:4242"', '"tg:@someone"', "admins[0]", "number of the account"),
    "admin without channel": Case('"tg:4242"', "4242", "admins[0]", "is not a person"),
    "admin with a space": Case('"tg:4242"', "tg: 4242", "admins[0]", 'in quotes: "tg:4242"'),
    "one admin, not a list": Case('["tg:4242"]', '"tg:4242"', "admins", "is not a list"),
    "bare id of a group": Case(TG, TG + "    talk: {allow: [-1001]}\n", "channels.tg.talk.allow[0]", '"group:-1001"'),
    "group without minus": Case(
        TG, TG + "    talk: {allow: ['group:1']}\n", "channels.tg.talk.allow[0]", "with its minus"
    ),
    "person of another channel": Case(
        TG, TG + "    talk: {allow: ['web:me']}\n", "channels.tg.talk.allow[0]", "another channel than tg"
    ),
    "bot token of another kind": Case(
        TG, SLACK + APP + '    bot_token: "${TELEGRAM_TOKEN}"\n', "channels.team.bot_token", "begins with xoxb-"
    ),
    "app token of another kind": Case(
        TG, SLACK + BOT + '    app_token: "${SLACK_BOT}"\n', "channels.team.app_token", "begins with xapp-"
    ),
    "socket without app token": Case(TG, SLACK + BOT, "channels.team", "has mode: socket and no app_token"),
    "http without signing secret": Case(
        "  web: {type: web, persona: guide}\n",
        SLACK.removeprefix(TG) + BOT + "    mode: http\nhttp: {public_url: https://a.example}\n",
        "channels.team",
        "anyone could send",
    ),
    "http without public_url": Case(
        TG,
        SLACK + BOT + '    mode: http\n    signing_secret: "${SLACK_SIGNING}"\n',
        "channels.team.mode",
        "where Slack reaches this service",
    ),
    "signing secret that is none": Case(
        TG, SLACK + BOT + APP + '    signing_secret: "${SLACK_BOT}"\n', "channels.team.signing_secret", "32 hex digits"
    ),
    "command that Slack does not take": Case(
        TG, SLACK + BOT + APP + "    command: ask first\n", "channels.team.command", "Write a slash"
    ),
    "person on Slack by name": Case(
        TG, SLACK + BOT + APP + "    talk: {allow: ['team:ann']}\n", "channels.team.talk.allow[0]", "Copy member ID"
    ),
    "channel on Slack by name": Case(
        TG,
        SLACK + BOT + APP + "    talk: {allow: ['group:general']}\n",
        "channels.team.talk.allow[0]",
        "group:C0123ABCD",
    ),
    "standing that there is not": Case(
        TG, SLACK + BOT + APP + "    deciding: [boss]\n", "channels.team.deciding[0]", "'member', 'guest' or 'external'"
    ),
    "workspace": Case(TG, TG + "    talk: {allow: [workspace]}\n", "channels.tg.talk.allow[0]", "only Slack has"),
    "no choice": Case(TG, TG + "    mode: pull\n", "channels.tg.mode", "'polling' or 'webhook'"),
    "no address": Case(TG, TG + "    api_url: telegram\n", "channels.tg.api_url", "address of a server"),
    "not a number": Case(END, END + "http: {port: http}\n", "http.port", "not a whole number"),
    "number that is too large": Case(END, END + "http: {port: 80800}\n", "http.port", "65535 or less"),
    "number that is too small": Case(END, END + "limits: {run_steps: 0}\n", "limits.run_steps", "1 or more"),
    "neither yes nor no": Case(END, END + "approvals: {deny_self: maybe}\n", "approvals.deny_self", "true or false"),
    "time without unit": Case(END, END + "approvals: {expire_after: 24}\n", "approvals.expire_after", "with its unit"),
    "reminder after the end": Case(END, END + "approvals: {expire_after: 30m}\n", "approvals", "Shorten remind_before"),
    "nobody decides": Case(END, END + "approvals: {approvers: []}\n", "approvals", "nobody who may decide"),
    "nobody else decides": Case(
        END, END + "approvals: {approvers: [requester], deny_self: true}\n", "approvals", "nobody who may decide"
    ),
    "no admin decides": Case(
        ADMINS, "approvals: {approvers: [admins]}\n", "approvals.approvers", "nobody who may decide"
    ),
    "unknown decider": Case(END, END + "approvals: {approvers: [boss]}\n", "approvals.approvers[0]", "cannot decide"),
    "policy of no conversation": Case(
        END,
        END + "approvals: {policies: [{capability: '*', place: here}]}\n",
        "approvals.policies[0].place",
        "no conversation",
    ),
    "policy in no channel": Case(
        END,
        END + "approvals: {policies: [{capability: '*', place: 'team:C1'}]}\n",
        "approvals.policies[0].place",
        "Write one of: tg, web.",
    ),
    "policy that nobody can meet": Case(
        END,
        END + "approvals: {policies: [{capability: '*', approvers: [requester], needed: 2}]}\n",
        "approvals.policies[0].needed",
        "names fewer who may",
    ),
    "two policies for one thing": Case(
        END,
        END + "approvals: {policies: [{capability: builtin/a}, {capability: builtin/a, needed: 1}]}\n",
        "approvals.policies[1]",
        "same capability as policies[0]",
    ),
    "MCP server without command": Case(
        END, END + "mcpServers: {files: {args: [x]}}\n", "mcpServers.files", "no command"
    ),
    "MCP server with both": Case(
        END, END + "mcpServers: {files: {command: x, url: 'https://x'}}\n", "mcpServers.files", "has a url or headers"
    ),
    "MCP server without url": Case(END, END + "mcpServers: {files: {type: sse}}\n", "mcpServers.files", "names no url"),
    "MCP server's transport": Case(
        END,
        END + "mcpServers: {files: {type: pigeon, url: x}}\n",
        "mcpServers.files.transport",
        "not a way of reaching",
    ),
    "MCP server's name": Case(END, END + "mcpServers: {a.b: {command: x}}\n", "mcpServers.a.b", "not a name"),
    "MCP server's key": Case(
        END, END + "mcpServers: {files: {command: x, trusthints: true}}\n", "mcpServers.files.trusthints", "not a key"
    ),
    "MCP server's variable": Case(
        END,
        END + "mcpServers: {files: {command: x, env: {A: '${NOT_THERE}'}}}\n",
        "mcpServers.files.env.A",
        "needs the variable NOT_THERE",
    ),
    "list for a mapping": Case(END, END + "skills: []\n", "skills", "has no keys of its own"),
    "mapping for a text": Case("model: gpt-x,", "model: {a: b},", "models.main.model", "a text is wanted"),
    "model without name": Case("model: gpt-x, ", "", "models.main", "names no model"),
    "model without key": Case(', api_key: "${OPENAI_API_KEY}"', "", "models.main", "has no api_key"),
    "offline with a key": Case("provider: openai", "provider: offline", "models.main", "asks nobody"),
    "tag": Case("model: gpt-x", "model: !!python/name:os.system x", "models.main.model", "has the tag"),
    "merge": Case("persona: guide}", "<<: {persona: guide}, persona: guide}", "channels.web.<<", "merges"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_mistake_is_told_with_its_key_line_and_remedy(case: Case, tmp_path: Path) -> None:
    text = GOOD.replace(case.old, case.new, 1)
    assert text != GOOD
    found = mistakes(tmp_path, text)
    assert [mistake.key for mistake in found] == [case.key]
    assert case.says in str(found[0])
    assert found[0].remedy.endswith((".", "?"))
    named = case.key.split("[")[0].rpartition(".")[2]
    assert 0 < found[0].line <= text.count("\n")
    if named in case.new:
        assert named in text.splitlines()[found[0].line - 1]


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = (
        GOOD.replace("provider: openai", "provider: opnai")
        .replace("    persona: guide", "    persona: nobody")
        .replace("TELEGRAM_TOKEN", "NOWHERE")
        .replace('"tg:4242"', '"tg:@me", "xx:1"')
        + "http:\n  port: x\n  port: y\nlimits: {run_steps: many, run_time: 5}\n"
    )
    found = mistakes(tmp_path, text)
    assert [(mistake.line, mistake.key) for mistake in found] == [
        (2, "models.main.provider"),
        (6, "channels.tg.persona"),
        (7, "channels.tg.token"),
        (11, "admins[0]"),
        (11, "admins[1]"),
        (13, "http.port"),
        (14, "http.port"),
        (15, "limits.run_steps"),
        (15, "limits.run_time"),
    ]


@pytest.mark.parametrize("section", ["models", "channels", "personas"])
def test_there_must_be_one_at_least(section: str, tmp_path: Path) -> None:
    others = {"models": "models: {m: {provider: offline}}", "personas": "personas: {p: {display_name: P, model: m}}"}
    others["channels"] = "channels: {web: {type: web, persona: p}}"
    text = "\n".join({**others, section: f"{section}: {{}}"}.values()) + "\n"
    assert (section, "is empty") in [(mistake.key, mistake.what) for mistake in mistakes(tmp_path, text)]


def test_no_mistake_holds_a_secret(tmp_path: Path) -> None:
    text = (
        GOOD.replace('"${TELEGRAM_TOKEN}"', "hidden-token")
        .replace('"${OPENAI_API_KEY}"', "hidden-key")
        .replace("{type: web,", "{type: telegram, token: '${T}', webhook_secret: '${S}', mode: webhook,")
        + "http: {admin_token: hidden-admin}\ndatabase: postgresql://me:hidden-word@host:port/db\n"
    )
    found = mistakes(tmp_path, text, {"T": "hidden", "S": "hidden"})
    assert len(found) == 6
    assert "hidden" not in " ".join(str(mistake) for mistake in found)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: [1\nb: 2\n", 2), ("a: 'x\n", 2), ("a:\n\t- b\n", 2), ("a: 1\n---\nb: 2\n", 2), ("a: b: c\n", 1), ("\x00", 0)],
    ids=["bracket", "quote", "tab", "two documents", "two colons", "character"],
)
def test_a_file_that_is_no_yaml_names_the_line(text: str, line: int, tmp_path: Path) -> None:
    [found] = mistakes(tmp_path, text)
    assert (found.key, found.line) == ("", line)
    assert "not readable YAML" in found.what


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n", "word\n"], ids=["empty", "comment", "list", "word"])
def test_a_file_without_keys_says_so(text: str, tmp_path: Path) -> None:
    [found] = mistakes(tmp_path, text)
    assert "holds no keys" in found.what


def test_a_value_is_not_taken_from_an_alias(tmp_path: Path) -> None:
    text = GOOD.replace("  web: {type: web, persona: guide}", "  web: &w {type: web, persona: guide}\n  w2: *w")
    assert [mistake.key for mistake in mistakes(tmp_path, text)][:1] == ["channels.w2"]


def test_a_file_that_is_not_there_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="askfirst init"):
        load(tmp_path / "none.yaml", {})
