import pytest

from bot.config.values import loopback
from bot.web.hosts import Hosts

PUBLIC = Hosts("https://chat.example.org", ("inside.example.org", "10.0.0.7:8080"))


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8080",
        "LOCALHOST",
        "127.0.0.1:8080",
        "127.9.9.9",
        "[::1]:8080",
        "chat.example.org",
        "Chat.Example.Org:443",
        "chat.example.org.",
        "inside.example.org:1234",
        "10.0.0.7",
    ],
)
def test_our_names_are_known(host: str) -> None:
    assert PUBLIC.known(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        ":8080",
        "evil.example",
        "localhost.evil.example",
        "evil.example:127.0.0.1",
        "127.0.0.1.evil.example",
        "chat.example.org.evil.example",
        "evilchat.example.org",
        "10.0.0.8",
        "0.0.0.0",
        "[::2]",
        "[::1",
        "evil.example#localhost",
        "evil.example@localhost.evil.example",
    ],
)
def test_other_names_are_not(host: str) -> None:
    assert not PUBLIC.known(host)
    assert not Hosts("").known(host)


@pytest.mark.parametrize(
    ("origin", "host", "ours"),
    [
        pytest.param("http://127.0.0.1:8080", "127.0.0.1:8080", True, id="the page itself"),
        pytest.param("https://chat.example.org", "chat.example.org", True, id="the public page"),
        pytest.param("https://chat.example.org", "127.0.0.1:8080", True, id="a proxy that changes the host"),
        pytest.param("http://127.0.0.1:3000", "127.0.0.1:8080", False, id="another port"),
        pytest.param("http://localhost:8080", "127.0.0.1:8080", False, id="another name"),
        pytest.param("http://chat.example.org", "127.0.0.1:8080", False, id="another scheme"),
        pytest.param("https://evil.example", "127.0.0.1:8080", False, id="another site"),
        pytest.param("null", "127.0.0.1:8080", False, id="a sandboxed frame"),
        pytest.param("", "127.0.0.1:8080", False, id="empty"),
        pytest.param("file://127.0.0.1:8080", "127.0.0.1:8080", False, id="a file"),
    ],
)
def test_an_origin_is_ours_or_it_is_not(origin: str, host: str, ours: bool) -> None:
    assert PUBLIC.origin_known(origin, host) is ours


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1"])
def test_what_never_leaves_the_machine_is_loopback(name: str) -> None:
    assert loopback(name)


@pytest.mark.parametrize("name", ["", "0.0.0.0", "10.0.0.1", "::", "::ffff:10.0.0.1", "localhost.example", "127.1"])
def test_everything_else_is_not(name: str) -> None:
    assert not loopback(name)
