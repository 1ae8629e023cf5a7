"""Any archive at all: nothing is written outside, no limit is passed, and it is all or nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills import archive
from skills.bundle import Bundle
from skills.errors import ArchiveRefused, Refused
from skills.library import Library, builtin_directory
from skills.limits import MB, Limits
from tests.skills.texts import fuzz
from tests.skills.zips import FILE, FOLDER, LINK, PIPE, SKILL, STORED, Written, named, opened, packed, zipped

LIMITS = Limits(zip_mb=1, entries=8, total_mb=1, file_mb=1, ratio=100, depth=3, path=40)

_parts = st.sampled_from(
    ["a", "b", "scripts", "..", ".", "", "SKILL.md", "skill.md", "A", "nul", "C:", "\\", "é", "x ", "\0"]
)
_names = st.lists(_parts, min_size=1, max_size=5).map("/".join) | st.text(max_size=6) | st.binary(max_size=5)
_contents = st.sampled_from([b"", b"x", SKILL, named("a"), named("b"), named("Bad Name"), bytes(700_000)])
_lies = st.none() | st.none() | st.none() | st.integers(0, 70)
_entries = st.builds(
    Written,
    name=_names,
    content=_contents | st.binary(max_size=20),
    mode=st.sampled_from([0, FILE, FILE, FILE, FOLDER, LINK, PIPE]),
    method=st.sampled_from([8, 8, 8, STORED, 12]),
    flags=st.sampled_from([0, 0x0800, 0x0800, 1]),
    size=_lies,
    packed=_lies,
    crc=_lies,
    at=_lies,
)
_wild = st.lists(_entries, max_size=5).map(zipped)

_tame_names = st.sampled_from(
    ["SKILL.md", "a/SKILL.md", "b/SKILL.md", "a/scripts/x.py", "b/r.md", "x", "__MACOSX/a", "a/"]
)
_tame_contents = st.sampled_from([SKILL, named("a"), named("b"), named("c"), b"x", Random(1).randbytes(400_000)])
_tame = st.dictionaries(_tame_names, _tame_contents, max_size=6).map(
    lambda files: zipped(
        [Written(name, content, FOLDER if name.endswith("/") else FILE) for name, content in files.items()]
    )
)
_spoilt = st.builds(
    lambda data, place, byte: data[: place % len(data)] + bytes([byte]) + data[place % len(data) + 1 :],
    _tame,
    st.integers(0, 100_000),
    st.integers(0, 255),
)
archives = _tame | _spoilt | _wild | st.binary(max_size=80)


@contextmanager
def house() -> Iterator[tuple[Path, Library]]:
    with TemporaryDirectory() as around:
        library = Library(Path(around, "in", "skills"), builtin_directory())
        library.open()
        yield Path(around), library


def taken(data: bytes) -> Bundle | None:
    try:
        return archive.read(opened(data), LIMITS)
    except Refused:
        return None


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@fuzz
@given(archives)
def test_any_archive_is_taken_whole_within_the_limits_or_leaves_nothing(data: bytes) -> None:
    """M184, M188."""
    with house() as (around, library):
        empty = everything(around)
        bundle = taken(data)
        if bundle is None:
            assert everything(around) == empty
            return
        library.install(bundle.packages)
        check(bundle, around, empty, library)


def check(bundle: Bundle, around: Path, empty: set[str], library: Library) -> None:
    expected = {
        f"in/skills/{package.skill.name}/{path}": content
        for package in bundle.packages
        for path, content in package.content.items()
    }
    written = [around / name for name in everything(around) - empty if not (around / name).is_dir()]
    assert {str(path.relative_to(around)): path.read_bytes() for path in written} == expected
    assert not any(path.is_symlink() for path in around.rglob("*"))
    assert sum(map(len, expected.values())) <= LIMITS.total_mb * MB
    assert max(map(len, expected.values())) <= LIMITS.file_mb * MB
    assert len(expected) <= LIMITS.entries
    for package in bundle.packages:
        assert replace(library.read(package.skill.name), warnings=()) == replace(package.skill, warnings=())


@fuzz
@given(
    st.dictionaries(
        st.from_regex(r"[a-zé]{1,6}(/[a-z]{1,6}){0,3}", fullmatch=True), st.binary(max_size=300), max_size=7
    )
)
def test_whatever_python_packs_is_unpacked_the_same_unless_its_names_clash(files: dict[str, bytes]) -> None:
    clash = any(other.startswith(f"{name}/") for name in files for other in files)
    device = any(part in ("con", "prn", "aux", "nul") for name in files for part in name.split("/"))
    if not clash and not device:
        assert archive.unpack(opened(packed(files)), Limits()) == files
        return
    with pytest.raises(ArchiveRefused) as refusal:
        archive.unpack(opened(packed(files)), Limits())
    assert {fault.rule for fault in refusal.value.faults} <= {"file_and_folder", "reserved_name"}
