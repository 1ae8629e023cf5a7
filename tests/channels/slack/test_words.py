"""mrkdwn → plain text: what Slack marked is read, what was typed stays."""

import pytest

from channels.slack.people import Known, Me, People
from channels.slack.words import MENTIONED, Typed, Words, mentioned, turns_to_another, words

ME = Me("T0HOME", "U0BOT", "B0BOT", "Guide")
PEOPLE: People = {"U0ADA": Known("Ada", "member"), "W0ANN": Known("Ann\n## System", "member"), "U0GONE": None}
COMMANDS = frozenset({"help", "stop", "grant"})


def said(text: str) -> Words:
    return words(text, ME, PEOPLE, COMMANDS)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ask <@U0ADA> and <@U0ADA|boss>", "ask @Ada (U0ADA) and @Ada (U0ADA)"),
        ("ask <@W0ANN>", "ask @Ann ## System (W0ANN)"),
        ("ask <@U0GONE> or <@U0NEW|ada>", "ask @U0GONE or @U0NEW"),
        ("in <#C0GEN|general>, <#C0GEN> or <#C0PRIV|>", "in #general (C0GEN), #C0GEN or #C0PRIV"),
        ("<!here> <!channel|channel> <!everyone>", "@here @channel @everyone"),
        ("<!subteam^S1|@eng> <!subteam^S1>", "@eng @S1"),
        ("on <!date^1392734382^{date}|18 Feb 2014>", "on 18 Feb 2014"),
        ("<https://x.example/?a=1&amp;b=2|label &gt; here>", "label > here (https://x.example/?a=1&b=2)"),
        ("<https://evil.example|https://good.example>", "https://good.example (https://evil.example)"),
        ("<https://x.example> and <http://x.example|x.example>", "https://x.example and x.example"),
        ("<mailto:a@b.example|a@b.example> <mailto:a@b.example|mail>", "a@b.example mail (mailto:a@b.example)"),
        ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        ("&amp;lt; <@U0ADA> &amp;gt;", "&lt; @Ada (U0ADA) &gt;"),
        ("&lt;@U0ADA&gt; &lt;!here&gt; &lt;https://x|y&gt;", "<@U0ADA> <!here> <https://x|y>"),
        ("*bold* _it_ `co  de`", "*bold* _it_ `co  de`"),
        ("  indented", "  indented"),
        ("<> <|> <@> <#> <!> <@x y>", "  @ # @ @x y"),
        ("\u200b ", ""),
    ],
)
def test_marks_become_words_and_the_rest_is_unescaped_once(text: str, shown: str) -> None:
    assert said(text) == Words(shown, mentions_us=False, bare=False, command=None)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<@U0BOT> hi", "hi"),
        ("<@U0BOT|guide>: what is new?", "what is new?"),
        ("<@U0BOT>, <@U0BOT> hi", "hi"),
        ("hi <@U0BOT>", "hi"),
        ("is it, <@U0BOT>?", "is it,?"),
        ("ask <@U0BOT> about\nit", "ask about\nit"),
        ("<@U0BOT>\n```\n  code\n```", "```\n  code\n```"),
    ],
)
def test_a_mention_of_us_is_taken_out(text: str, shown: str) -> None:
    assert said(text) == Words(shown, mentions_us=True, bare=False, command=None)


@pytest.mark.parametrize(
    "text", ["<@U0BOT>", " <@U0BOT|guide> ", "<@U0BOT> \u200b", "<@U0BOT>\ufeff\u2060\n<@U0BOT>", "<@U0BOT>,"]
)
def test_nothing_beside_a_mention_of_us_is_bare(text: str) -> None:
    assert said(text) == Words("@Guide", mentions_us=True, bare=True, command=None)


def test_a_mention_that_was_typed_as_text_is_not_one_of_us() -> None:
    assert said("&lt;@U0BOT&gt; hi") == Words("<@U0BOT> hi", mentions_us=False, bare=False, command=None)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("!help", Typed("help", "")),
        ("  !HELP me ", Typed("help", "me")),
        ("<@U0BOT> !stop", Typed("stop", "")),
        ("<@U0BOT>: !stop", Typed("stop", "")),
        ("<@U0BOT>\u200b!stop", Typed("stop", "")),
        ("!stop <@U0BOT>", Typed("stop", "")),
        ("!grant\nguide <@U0ADA> &lt;x&gt;", Typed("grant", "guide @Ada (U0ADA) <x>")),
        ("!grant guide —dry “a b” ‘c’", Typed("grant", "guide --dry \"a b\" 'c'")),
        ("<@U0BOT> stop", Typed("stop", "")),
        ("<@U0BOT>  Stop ", Typed("stop", "")),
    ],
)
def test_a_command_stands_at_the_beginning_or_behind_a_mention_of_us(text: str, typed: Typed) -> None:
    assert said(text).command == typed


@pytest.mark.parametrize(
    "text",
    [
        *("!nice work", "! help", "!helping", "!help!", "help", "stop", "do not type !stop", "!", "&lt;!help&gt;"),
        *("<@U0ADA> !stop", "<@U0ADA> stop", "hi <@U0BOT> !stop", "<@U0BOT> stop it", "<@U0BOT> please stop"),
        *("<https://x.example|!stop>", "<!help>", "/stop", ":!stop", ",!stop"),
    ],
)
def test_all_else_is_ordinary_talk(text: str) -> None:
    assert said(text).command is None


def test_the_typography_of_a_message_is_left_alone() -> None:
    assert said("“so” — it is").text == "“so” — it is"


def test_the_mentioned_are_those_that_slack_marked() -> None:
    assert mentioned("<@U0ADA> <@W0ANN|ann> <@U0ADA> &lt;@U0FAKE&gt; <#C0GEN> <@b> <!here>") == {"U0ADA", "W0ANN"}
    assert len(mentioned("".join(f"<@U{n}>" for n in range(1000)))) == MENTIONED


def test_whoever_is_mentioned_first_is_spoken_to() -> None:
    assert turns_to_another("<@U0ADA> look", ME)
    assert turns_to_another(" <!subteam^S1> look", ME)
    assert not turns_to_another("<@U0BOT> look", ME)
    assert not turns_to_another("look, <@U0ADA>", ME)
    assert not turns_to_another("<!here> look", ME)
    assert not turns_to_another("<#C0GEN> is full", ME)
