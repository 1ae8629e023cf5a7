"""Lines out of a pipe, however they come in."""

import asyncio

import pytest

from bot.mcp_client.pump import LONGEST, TooLong, lines

TOLD = [b'{"a": 1}', '{"b": "Größe 🚀 名前"}'.encode(), b'{"c": "' + b"x" * 20_000 + b'"}', b"[]"]
WRITTEN = TOLD[0] + b"\n\n\r\n" + TOLD[1] + b"\r\n" + TOLD[2] + b"\n" + TOLD[3] + b"\n"


async def read(*pieces: bytes) -> list[bytes]:
    reader = asyncio.StreamReader(limit=2 * LONGEST)

    async def feed() -> None:
        for piece in pieces:
            reader.feed_data(piece)
            await asyncio.sleep(0)
        reader.feed_eof()

    feeding = asyncio.create_task(feed())
    read = [line async for line in lines(reader)]
    await feeding
    return read


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 4_096, 65_536, 1 << 20])
async def test_lines_are_the_same_in_pieces_of_any_size(size: int) -> None:
    assert await read(*(WRITTEN[begin : begin + size] for begin in range(0, len(WRITTEN), size))) == TOLD


async def test_a_rest_without_an_end_is_no_line() -> None:
    assert await read(b'{"a": 1}\n{"b"') == [b'{"a": 1}']
    assert await read(b"") == []


async def test_a_line_of_the_longest_length_is_read_and_a_longer_one_is_not() -> None:
    assert [len(line) for line in await read(b"x" * LONGEST, b"\n")] == [LONGEST]
    with pytest.raises(TooLong):
        await read(b"x" * LONGEST, b"x", b"x")
