"""What an operator does with channels."""

import pytest

from bot.errors import Unknown
from bot.store.database import Store
from tests.bot.parts import NOW, Parts

ADMIN = Parts().admin


async def test_a_channel_is_switched_once(store: Store) -> None:
    with pytest.raises(Unknown, match="There is no channel slack"):
        await store.tx(ADMIN.connect, "slack", "tg:1", NOW)
