"""Archives that try to be something else: each is refused whole, by a rule with a name that stays."""

import io
import shutil
import subprocess
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from skills import archive
from skills.errors import ArchiveRefused
from skills.limits import Limits
from tests.skills.zips import (
    BZIP2,
    FOLDER,
    LINK,
    PIPE,
    SKILL,
    STORED,
    Written,
    local,
    named,
    opened,
    packed,
    skill_and,
    zipped,
)


@dataclass(frozen=True)
class Case:
    """`entry` is how the fault shows the name; empty: it concerns the archive."""

    data: bytes
    rule: str
    entry: str = ""


def beside(written: Written, rule: str, entry: str | None = None) -> Case:
    shown = written.name if isinstance(written.name, str) else written.name.decode(errors="replace")
    return Case(skill_and(written), rule, shown if entry is None else entry)


ZEROS = bytes(5_000_000)
INNER = Written("b", b"x" * 60)
OUTER = Written("a", local(INNER), method=STORED)
OVERLAPPING = [Written("SKILL.md", SKILL), OUTER, replace(INNER, at=len(local(Written("SKILL.md", SKILL))) + 31)]

CASES = {
    # names
    "parent": beside(Written("../a", b"x"), "parent_path"),
    "parent within": beside(Written("a/../../b", b"x"), "parent_path"),
    "parent folder": beside(Written("../", mode=FOLDER), "parent_path"),
    "absolute": beside(Written("/a", b"x"), "absolute_path"),
    "root": beside(Written("/", mode=FOLDER), "empty_part"),
    "backslash": beside(Written("a\\b", b"x"), "backslash"),
    "backslash upwards": beside(Written("..\\..\\a", b"x"), "backslash"),
    "drive": beside(Written("C:/a", b"x"), "drive_letter"),
    "drive without a slash": beside(Written("c:a", b"x"), "drive_letter"),
    "stream of a file": beside(Written("SKILL.txt:hidden", b"x"), "colon"),
    "no name": beside(Written("", b"x"), "empty_part"),
    "dot": beside(Written("a/./b", b"x"), "empty_part"),
    "two dots behind a dot": beside(Written("././a", b"x"), "empty_part"),
    "two slashes": beside(Written("a//b", b"x"), "empty_part"),
    "NUL": beside(Written("a\0.md", b"x"), "control_character", "a\\u0000.md"),
    "line end": beside(Written("a\nb", b"x"), "control_character", "a\\u000ab"),
    "escape": beside(Written("a\x1b[2J", b"x"), "control_character", "a\\u001b[2J"),
    "direction": beside(Written("a\u202egpj.py", b"x"), "control_character", "a\\u202egpj.py"),
    "no width": beside(Written("a\u200b", b"x"), "control_character", "a\\u200b"),
    "dot at the end": beside(Written("SKILL.md.", b"x"), "name_end"),
    "space at the end": beside(Written("a /b", b"x"), "name_end"),
    "device": beside(Written("scripts/NUL", b"x"), "reserved_name"),
    "device with an ending": beside(Written("aux.py", b"x"), "reserved_name"),
    "latin": beside(Written(b"caf\xe9.md", b"x", flags=0), "name_encoding", "caf\\xe9.md"),
    "GBK with a backslash in it": beside(Written(b"\x81\x5c.md", b"x", flags=0), "name_encoding", "\\x81\\.md"),
    "broken UTF-8 marked as such": beside(Written(b"\xc3.md", b"x"), "name_encoding", "\\xc3.md"),
    "half of a pair": beside(Written(b"\xed\xa0\xbd.md", b"x"), "name_encoding", "\\xed\\xa0\\xbd.md"),
    "twice": Case(zipped([Written("SKILL.md", SKILL), Written("SKILL.md", SKILL)]), "duplicate_name", "SKILL.md"),
    "twice with a dot before": Case(
        zipped([Written("SKILL.md", SKILL), Written("./SKILL.md", b"")]), "duplicate_name", "SKILL.md"
    ),
    "capitals": beside(Written("skill.MD", SKILL), "name_collision"),
    "capitals of a folder": Case(skill_and(Written("a/b", b""), Written("A/c", b"")), "name_collision", "A"),
    "forms of letters": Case(skill_and(Written("ﬁ", b""), Written("fi", b"")), "name_collision", "fi"),
    "wide letters": beside(Written("ＳＫＩＬＬ.md", b""), "name_collision"),
    "file and folder": Case(skill_and(Written("a", b""), Written("a/b", b"")), "file_and_folder", "a/b"),
    "folder and file": Case(skill_and(Written("a/b", b""), Written("a", b"")), "file_and_folder", "a/b"),
    "file under SKILL.md": beside(Written("SKILL.md/a", b""), "file_and_folder"),
    # kinds
    "link": beside(Written("a", b"/etc/passwd", mode=LINK), "link"),
    "link to a folder": beside(Written("a/", b"..", mode=LINK), "link"),
    "link of Windows": beside(Written("a", b"x", attributes=0x400), "link"),
    "pipe": beside(Written("a", mode=PIPE), "special_file"),
    "device node": beside(Written("a", mode=0o020666), "special_file"),
    "socket": beside(Written("a", mode=0o140777), "special_file"),
    "folder without its slash": beside(Written("a", mode=FOLDER), "special_file"),
    "file with a slash": beside(Written("a/"), "special_file"),
    "encrypted": beside(Written("a", b"x", flags=0x0801), "encrypted"),
    "strongly encrypted": beside(Written("a", b"x", flags=0x0841), "encrypted"),
    "with masked headers": beside(Written("a", b"x", flags=0x2800), "encrypted"),
    "bzip2": beside(Written("a", b"x", method=BZIP2), "compression"),
    "patch": beside(Written("a", b"x", flags=0x0820), "compression"),
    # sizes
    "bomb": beside(Written("a", ZEROS), "ratio_too_high"),
    "bomb that is announced as small": beside(Written("a", ZEROS, size=5), "ratio_too_high"),
    "bomb that is announced as small, with the sum of that": beside(
        Written("a", ZEROS, size=5, crc=zlib.crc32(bytes(5))), "ratio_too_high"
    ),
    "announced as huge": beside(Written("a", b"hello", size=512 * 1024 * 1024), "file_too_large"),
    "announced as larger": beside(Written("a", b"hello", size=6), "damaged"),
    "announced as shorter": beside(Written("a", b"hello", size=4, crc=zlib.crc32(b"hell")), "damaged"),
    "another sum": beside(Written("a", b"hello", crc=1), "damaged"),
    "folder that holds data": beside(Written("a/", b"hello", mode=FOLDER), "damaged", "a"),
    "data after the data": beside(Written("a", b"hello", trailing=b"more"), "damaged"),
    "no deflate": beside(Written("a", b"hello", raw=b"\xff\xff\xff"), "damaged"),
    "deflate that stops": beside(Written("a", b"hello", raw=Written("a", b"hello").data[:-2]), "damaged"),
    "no data": beside(Written("a", b"hello", raw=b""), "damaged"),
    # the archive
    "not a zip": Case(b"---\nname: x\n---\n", "not_a_zip"),
    "empty": Case(b"", "not_a_zip"),
    "a tar": Case(b"SKILL.md" + bytes(1016), "not_a_zip"),
    "cut short": Case(skill_and()[:-30], "damaged"),
    "something after it": Case(zipped([Written("SKILL.md", SKILL)], after=b"x"), "damaged"),
    "something before it": Case(b"x" + skill_and(), "damaged"),
    "something before its end": Case(zipped([Written("SKILL.md", SKILL)], gap=b"x"), "damaged"),
    "entries over each other": Case(zipped(OVERLAPPING), "overlap", "b"),
    "entries in the table": Case(skill_and(Written("a", b"x", packed=4000)), "overlap", "a"),
    "entry that is elsewhere": Case(skill_and(Written("a", b"x", at=3)), "damaged", "a"),
    "entry beyond the end": Case(skill_and(Written("a", b"x", at=99_999)), "damaged", "a"),
    "another name inside": Case(skill_and(Written("a", b"x", local_name=b"b")), "damaged", "a"),
    "another method inside": Case(skill_and(Written("a", b"x", local_method=STORED)), "damaged", "a"),
    "fewer entries than said": Case(zipped([Written("SKILL.md", SKILL)], count=2), "damaged"),
    "more entries than said": Case(zipped([Written("SKILL.md", SKILL), Written("a")], count=1), "damaged"),
    "another length of the table": Case(zipped([Written("SKILL.md", SKILL)], table=3), "damaged"),
    "another place of the table": Case(zipped([Written("SKILL.md", SKILL)], shift=1), "damaged"),
    "padding behind the table": Case(zipped([Written("SKILL.md", SKILL)], table_end=b"x"), "damaged"),
    "several disks": Case(zipped([Written("SKILL.md", SKILL)], disk=1), "damaged"),
    "part on another disk": Case(zipped([Written("SKILL.md", SKILL, disk=1)]), "damaged"),
    "very large form": Case(zipped([Written("SKILL.md", SKILL, size=0xFFFFFFFF)]), "zip64"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_archive_that_tries_to_be_something_else_is_refused_by_its_rule(case: Case) -> None:
    """M181, M182, M183, M184, M186, M187, M188."""
    with pytest.raises(ArchiveRefused) as refusal:
        archive.read(opened(case.data), Limits())
    assert [fault.rule for fault in refusal.value.faults] == [case.rule]
    if case.entry:
        assert refusal.value.faults[0].entry == case.entry
    assert refusal.value.faults[0].message.endswith(".")


def test_all_faults_are_told_at_once_and_none_shows_an_endless_name() -> None:
    data = skill_and(Written("../a"), Written("b\\c"), Written("x" * 5000), *(Written(f"../{n}") for n in range(99)))
    with pytest.raises(ArchiveRefused) as refusal:
        archive.read(opened(data), Limits())
    faults = refusal.value.faults
    assert [fault.rule for fault in faults[:3]] == ["parent_path", "backslash", "path_too_long"]
    assert len(faults) == 50
    assert max(len(fault.entry) for fault in faults) <= 120


ORDINARY = {
    "SKILL.md": SKILL,
    "references/日本.md": "日本".encode(),
    "scripts/run.py": b"print(1)\n" * 300,
    "assets/empty": b"",
    "a..b/...c/.hidden": b"x",
    "assets/what?*.md": b"x",
    "LICENSE": b"x" * 1500,
}


def test_an_ordinary_archive_is_unpacked_as_it_was_packed() -> None:
    assert archive.unpack(opened(packed(ORDINARY)), Limits()) == ORDINARY


def test_an_archive_with_a_comment_and_further_fields_is_unpacked() -> None:
    data = zipped([Written("SKILL.md", SKILL, extra=b"UT\x05\x00\x03abcd")], comment=b"PK\x05\x06 made by hand")
    assert archive.unpack(opened(data), Limits()) == {"SKILL.md": SKILL}


def test_folders_of_their_own_and_a_dot_before_every_name_are_understood() -> None:
    entries = [
        Written("./", mode=FOLDER),
        Written("./SKILL.md", SKILL),
        Written("./scripts/", mode=FOLDER),
        Written("./scripts/a.py", b"x", method=STORED),
    ]
    assert archive.unpack(opened(zipped(entries)), Limits()) == {"SKILL.md": SKILL, "scripts/a.py": b"x"}


def test_names_as_finder_writes_them_are_taken_as_utf8_in_their_usual_form() -> None:
    """M183: decoded once, and only as UTF-8, which has no backslash in the middle of a letter."""
    data = skill_and(Written("re\u0301sume\u0301.md".encode(), b"x", flags=0))
    assert archive.unpack(opened(data), Limits()) == {"SKILL.md": SKILL, "r\u00e9sum\u00e9.md": b"x"}


def test_sizes_that_stand_behind_the_data_are_no_obstacle() -> None:
    class Unseekable(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, offset: int, whence: int = 0, /) -> int:
            raise io.UnsupportedOperation

        def tell(self) -> int:
            raise io.UnsupportedOperation

    stream = Unseekable()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as writing:
        writing.writestr("SKILL.md", SKILL)
        writing.writestr("a", b"x" * 99)
    assert archive.unpack(opened(stream.getvalue()), Limits()) == {"SKILL.md": SKILL, "a": b"x" * 99}


@pytest.mark.skipif(shutil.which("zip") is None, reason="there is no zip here")
def test_what_the_program_zip_packs_is_unpacked(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_bytes(SKILL)
    (folder / "scripts/größe.py").write_bytes(b"print(1)\n" * 50)
    subprocess.run(["zip", "-qr", "out.zip", "plain"], cwd=tmp_path, check=True)
    files = archive.unpack(opened((tmp_path / "out.zip").read_bytes()), Limits())
    assert files == {"plain/SKILL.md": SKILL, "plain/scripts/größe.py": b"print(1)\n" * 50}


def test_the_file_is_left_open_for_whoever_opened_it() -> None:
    file = opened(packed({"x/SKILL.md": named("x")}))
    archive.read(file, Limits())
    assert not file.closed
