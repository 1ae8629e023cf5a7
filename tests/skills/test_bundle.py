"""What an archive holds → skills, all of them or none."""

import pytest

from skills import archive
from skills.bundle import Bundle, bundled
from skills.errors import ContentRefused
from skills.limits import Limits
from skills.package import Package
from tests.skills.zips import SKILL, Written, named, opened, packed, zipped


def read(files: dict[str, bytes]) -> Bundle:
    return archive.read(opened(packed(files)), Limits())


def refused(files: dict[str, bytes]) -> list[tuple[str, str]]:
    with pytest.raises(ContentRefused) as refusal:
        read(files)
    return [(fault.entry, fault.rule) for fault in refusal.value.faults]


def only(bundle: Bundle) -> Package:
    [package] = bundle.packages
    return package


def test_a_skill_may_lie_at_the_top() -> None:
    bundle = read({"SKILL.md": SKILL, "scripts/a.py": b"1", "scripts/b/c.sh": b"2", "references/r.md": b"3"})
    package = only(bundle)
    assert package.skill.name == "plain"
    assert package.skill.files == ("references/r.md", "scripts/a.py", "scripts/b/c.sh")
    assert package.skill.scripts == ("scripts/a.py", "scripts/b/c.sh")
    assert package.content["references/r.md"] == b"3"
    assert bundle.warnings == ()


def test_a_skill_may_lie_in_one_folder() -> None:
    """M177: the folder's name is kept for the check of the name."""
    package = only(read({"plain/SKILL.md": SKILL, "plain/scripts/a.py": b"1"}))
    assert dict(package.content) == {"SKILL.md": SKILL, "scripts/a.py": b"1"}
    assert only(read({"other/SKILL.md": SKILL})).skill.warnings[0].startswith("Its folder is called other")
    nameless = b"---\ndescription: d\n---\nText."
    assert only(read({"by-folder/SKILL.md": nameless})).skill.name == "by-folder"
    assert refused({"SKILL.md": nameless}) == [("SKILL.md", "name_missing")]


def test_several_skills_lie_in_a_folder_each() -> None:
    bundle = read({f"{name}/SKILL.md": named(name) for name in ("b", "a", "c")} | {"a/x": b"y"})
    assert [package.skill.name for package in bundle.packages] == ["b", "a", "c"]
    assert [dict(package.content).keys() for package in bundle.packages][1] == {"SKILL.md", "x"}


def test_of_a_bundle_all_are_taken_or_none() -> None:
    good = {"a/SKILL.md": named("a"), "b/SKILL.md": named("b")}
    assert refused(good | {"c/SKILL.md": named("No Name")}) == [("c/SKILL.md", "name")]
    assert refused(good | {"c/SKILL.md": b"no header", "d/readme": b""}) == [
        ("c/SKILL.md", "no_header"),
        ("d", "no_skill_md"),
    ]


def test_two_skills_with_one_name_are_refused() -> None:
    """M170: nobody wins by the order of folders."""
    assert refused({"a/SKILL.md": named("same"), "b/SKILL.md": named("same")}) == [("", "same_name")]


def test_an_archive_without_a_skill_is_refused_and_told_where_one_lies() -> None:
    assert refused({"readme.md": b"x"}) == [("", "no_skill_md")]
    assert refused({}) == [("", "no_skill_md")]
    with pytest.raises(ContentRefused, match=r"One lies deeper, at a/SKILL.md: pack its folder itself"):
        read({"repository/a/SKILL.md": SKILL, "repository/README.md": b""})


def test_a_nested_skill_is_a_plain_file() -> None:
    """M175."""
    bundle = read({"SKILL.md": SKILL, "CA/AfterSale/SKILL.md": named("nested")})
    assert only(bundle).skill.name == "plain"
    assert bundle.warnings == ("plain: CA/AfterSale/SKILL.md is kept as a plain file, not taken for another skill.",)


JUNK = {
    "__MACOSX/find-skills/._SKILL.md": b"x",
    "__MACOSX/._find-skills": b"x",
    ".DS_Store": b"x",
    "find-skills/.DS_Store": b"x",
    "find-skills/Thumbs.db": b"x",
    "find-skills/scripts/__pycache__/a.cpython-311.pyc": b"x",
    "find-skills/scripts/b.pyc": b"x",
    "find-skills/.git/config": b"x",
    "._find-skills": b"x",
}


def test_what_systems_leave_behind_is_left_out() -> None:
    """M173, M178: before the folder of the skill is looked for."""
    bundle = read({"find-skills/SKILL.md": named("find-skills"), "find-skills/scripts/a.py": b"1"} | JUNK)
    assert dict(only(bundle).content) == {"SKILL.md": named("find-skills"), "scripts/a.py": b"1"}
    assert bundle.warnings == ()


def test_files_beside_folders_are_left_out_and_told() -> None:
    bundle = read({"a/SKILL.md": named("a"), "README.md": b"x"})
    assert dict(only(bundle).content) == {"SKILL.md": named("a")}
    assert bundle.warnings == ("Files beside the folders of skills are left out: README.md.",)


def test_archives_within_are_kept_unopened_and_told() -> None:
    bomb = zipped([Written("x", bytes(5_000_000))])
    bundle = read({"SKILL.md": SKILL, "a.zip": bomb, "b.bin": bomb, "c.tar": b"x", "form.docx": packed({"x": b""})})
    assert only(bundle).content["a.zip"] == bomb
    assert bundle.warnings == (
        "plain: a.zip, b.bin, c.tar looks like an archive; it is kept as a plain file and was not opened.",
    )


def test_skill_md_is_found_however_it_is_capitalised() -> None:
    package = only(read({"plain/skill.md": SKILL}))
    assert dict(package.content) == {"SKILL.md": SKILL}
    assert package.skill.files == ()


def test_faults_in_a_folder_name_the_entry_of_the_archive() -> None:
    assert refused({"a/skill.md": b"x"}) == [("a/skill.md", "no_header")]


def test_what_is_unseen_in_the_text_is_told_at_upload() -> None:
    """M098."""
    bundle = bundled({"SKILL.md": SKILL + "turn\u202e round".encode()})
    assert bundle.warnings == ("plain: The text holds characters that are not seen: U+202E.",)
