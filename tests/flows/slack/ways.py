"""How a test is kept to one of the two ways in which Slack delivers, and to the loop of the long play."""

import pytest

by_socket = pytest.mark.parametrize("transport", ["socket"], indirect=True)
by_http = pytest.mark.parametrize("transport", ["http"], indirect=True)
in_the_long_play = pytest.mark.asyncio(loop_scope="session")
