"""M181, M182, M187, M188, M189: at the limit it is taken, one beyond it is refused, measured on what is really there."""

import os
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace

import pytest

from skills import archive
from skills.errors import ArchiveRefused
from skills.limits import MB, Limits
from skills.zip_member import SMALL
from tests.skills.zips import FOLDER, SKILL, STORED, Written, opened, skill_and, zipped

ONE = Limits(zip_mb=1, entries=5, total_mb=1, file_mb=1, ratio=100, depth=2, path=20)
NOISE = os.urandom(MB + 1)


def rule(data: bytes, limits: Limits = ONE) -> str | None:
    """What refuses it; None: nothing does."""
    try:
        archive.read(opened(data), limits)
    except ArchiveRefused as refusal:
        [fault] = refusal.faults
        return fault.rule
    return None


def beside(*entries: Written) -> bytes:
    return skill_and(*entries)


def test_the_archive_itself() -> None:
    empty = len(skill_and(Written("a", method=STORED)))
    limits = replace(ONE, total_mb=3, file_mb=3)
    assert rule(beside(Written("a", NOISE[: MB - empty], method=STORED)), limits) is None
    assert rule(beside(Written("a", NOISE[: MB - empty + 1], method=STORED)), limits) == "zip_too_large"


def test_one_file() -> None:
    limits = replace(ONE, zip_mb=3, total_mb=3)
    assert rule(beside(Written("a", NOISE[:MB])), limits) is None
    assert rule(beside(Written("a", NOISE[: MB + 1])), limits) == "file_too_large"
    assert rule(beside(Written("a", NOISE[: MB + 1], size=5)), limits) == "file_too_large"


def test_all_files_together() -> None:
    limits = replace(ONE, zip_mb=3)
    room = MB - len(SKILL)
    first, second = Written("a", NOISE[:1000]), Written("b", NOISE[: room - 1000])
    assert rule(beside(first, second), limits) is None
    more = replace(second, content=NOISE[: room - 999])
    assert rule(beside(first, more), limits) == "total_too_large"
    assert rule(beside(replace(first, size=1), replace(more, size=1)), limits) in ("damaged", "total_too_large")
    assert rule(beside(first, replace(more, size=1)), limits) == "total_too_large"


@pytest.mark.parametrize("name", ["__MACOSX/a", ".DS_Store", "x/__pycache__/a.pyc"])
def test_what_is_ignored_counts_as_much(name: str) -> None:
    """M189."""
    limits = replace(ONE, zip_mb=3)
    room = MB - len(SKILL)
    assert rule(beside(Written(name, NOISE[:room])), limits) is None
    assert rule(beside(Written(name, NOISE[: room + 1])), limits) == "total_too_large"
    assert rule(beside(*(Written(f"__MACOSX/{n}") for n in range(5)))) == "too_many_entries"


def test_entries_folders_among_them() -> None:
    assert rule(beside(*(Written(f"{n}/", mode=FOLDER) for n in range(4)))) is None
    assert rule(beside(*(Written(f"{n}/", mode=FOLDER) for n in range(5)))) == "too_many_entries"


def test_ratio_of_a_small_file_counts_from_a_kilobyte_on() -> None:
    small = Written("a", bytes(100 * SMALL))
    assert rule(beside(small)) is None
    assert rule(beside(replace(small, content=bytes(100 * SMALL + 1)))) == "ratio_too_high"


def padded(size: int, packed: int) -> Written | None:
    """Of `size` bytes and `packed` ones in the archive, by empty blocks of five bytes each; None: they do not fit."""
    plain = Written("a", bytes(size))
    blocks, odd = divmod(packed - len(plain.data), 5)
    return None if odd else replace(plain, raw=b"\x00\x00\x00\xff\xff" * blocks + plain.data)


def test_ratio_of_a_larger_file() -> None:
    lengths = range(3000, 3030)
    at = [written for packed in lengths if (written := padded(100 * packed, packed))]
    beyond = [written for packed in lengths if (written := padded(100 * packed + 1, packed))]
    assert at
    assert beyond
    assert [rule(beside(written)) for written in at] == [None] * len(at)
    assert [rule(beside(written)) for written in beyond] == ["ratio_too_high"] * len(beyond)


def test_depth_of_folders() -> None:
    assert rule(beside(Written("a/b/c", b""))) is None
    assert rule(beside(Written("a/b/c/d", b""))) == "too_deep"
    assert rule(beside(Written("a/b/c/", mode=FOLDER))) is None


def test_length_of_a_path() -> None:
    assert rule(beside(Written("a/" + "é" * 18, b""))) is None
    assert rule(beside(Written("a/" + "é" * 19, b""))) == "path_too_long"


def test_length_of_one_name_in_bytes() -> None:
    limits = replace(ONE, path=1000)
    assert rule(beside(Written("é" * 127 + "a", b"")), limits) is None
    assert rule(beside(Written("é" * 128, b"")), limits) == "path_too_long"


def many(count: int, said: int) -> bytes:
    return zipped([Written(str(number), at=0) for number in range(count)], count=said)


HUNGRY: Sequence[tuple[str, bytes]] = [
    ("announced as huge", skill_and(Written("a", b"hello", size=512 * MB))),
    ("announced as small", skill_and(Written("a", bytes(60 * MB), size=5))),
    ("very many entries", many(60_000, 60_000)),
    ("very many entries that are announced as few", many(60_000, 3)),
]


@pytest.mark.parametrize("data", [data for _name, data in HUNGRY], ids=[name for name, _data in HUNGRY])
def test_a_greedy_archive_takes_little_memory(data: bytes) -> None:
    """M182."""
    file = opened(data)
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveRefused):
            archive.read(file, Limits())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * MB
