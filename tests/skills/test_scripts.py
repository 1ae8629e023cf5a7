"""Scripts in real processes: what they are given, what is heard of them, what is refused."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from skills import disk
from skills.errors import NotRunnable
from skills.scripts import MARK, PATH, Outcome, ScriptLimits, run

SHELL = "#!/bin/sh\n"
LIMITS = ScriptLimits()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A skill's folder. Copies of it are made beside it, so that it can be seen whether one is left."""
    (tmp_path / "copies").mkdir()
    (tmp_path / "skill/scripts").mkdir(parents=True)
    return tmp_path / "skill"


async def ran(
    folder: Path, text: str, name: str = "run.sh", arguments: Sequence[str] = (), limits: ScriptLimits = LIMITS
) -> Outcome:
    (folder / "scripts" / name).write_bytes(text.encode())
    outcome = await run(folder, f"scripts/{name}", arguments, limits, copies=folder.parent / "copies")
    assert os.listdir(folder.parent / "copies") == []
    return outcome


async def told(folder: Path, expression: str, arguments: Sequence[str] = ()) -> object:
    """What a Python script finds."""
    text = f"import json, os, sys\nprint(json.dumps({expression}))\n"
    outcome = await ran(folder, text, "look.py", arguments)
    assert outcome.stderr == ""
    return json.loads(outcome.stdout)


async def test_output_errors_and_exit_code_are_told(folder: Path) -> None:
    outcome = await ran(folder, SHELL + "echo grün\necho bad >&2\nexit 3\n")
    assert outcome == Outcome(3, "grün\n", "bad\n", 0)
    assert outcome.in_time


async def test_the_signal_that_ended_it_is_told(folder: Path) -> None:
    assert (await ran(folder, SHELL + "kill -TERM $$\n")).code == -15


async def test_each_argument_arrives_as_it_is(folder: Path) -> None:
    arguments = ["a b", "$(touch x)", "; exit 1", "*", "", "-c", "'\"\\", "日本\n", "--", "`id`"]
    assert await told(folder, "sys.argv[1:]", arguments) == arguments
    assert (await ran(folder, SHELL + 'printf "<%s>" "$@"', arguments=arguments)).stdout == "".join(
        f"<{argument}>" for argument in arguments
    )


async def test_nothing_of_the_service_is_in_its_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """M141, M143."""
    for name in ("ASKFIRST_ADMIN_TOKEN", "PYTHONPATH", "LD_PRELOAD_X", "BASH_ENV"):
        monkeypatch.setenv(name, "hidden")
    found = await told(folder, "dict(os.environ)")
    assert isinstance(found, dict)
    assert found.keys() == {"PATH", "HOME", "TMPDIR", "LANG", MARK}
    assert found["PATH"] == PATH
    assert Path(found["HOME"]).is_relative_to(folder.parent / "copies")
    assert "hidden" not in str(found)


async def test_its_input_is_empty_and_its_session_its_own(folder: Path) -> None:
    ours = os.dup(0)
    with (folder.parent / "input").open("w+") as file:
        file.write("typed")
        file.seek(0)
        os.dup2(file.fileno(), 0)
        try:
            assert await told(folder, "sys.stdin.read()") == ""
        finally:
            os.dup2(ours, 0)
            os.close(ours)
    assert await told(folder, "os.getsid(0) == os.getpgid(0) == os.getpid() != os.getsid(os.getppid())") is True


async def test_no_open_file_of_the_service_is_handed_down(folder: Path) -> None:
    with (folder.parent / "secret").open("w") as secret:
        os.set_inheritable(secret.fileno(), True)
        assert await told(folder, "[os.path.exists(f'/proc/self/fd/{n}') for n in range(3)]") == [True] * 3
        found = await told(folder, "[os.path.realpath(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd')]")
    assert isinstance(found, list)
    assert not [each for each in found if each.endswith("secret")]


async def test_it_works_in_a_copy(folder: Path) -> None:
    (folder / "SKILL.md").write_text("original")
    (folder / "scripts/tool.py").write_text("ANSWER = 42\n")
    (folder / "scripts/helper.sh").write_text(SHELL + "echo helped\n")
    text = SHELL + "cat SKILL.md; echo changed > SKILL.md; rm -r scripts/tool.py; pwd; scripts/helper.sh\n"
    outcome = await ran(folder, text)
    first, _here, last = outcome.stdout.replace("original", "original\n").splitlines()
    assert (first, last) == ("original", "helped")
    assert (folder / "SKILL.md").read_text() == "original"
    assert (folder / "scripts/tool.py").exists()
    assert await told(folder, "__import__('tool').ANSWER") == 42


async def test_a_copy_that_was_locked_up_is_removed_all_the_same(folder: Path) -> None:
    outcome = await ran(folder, SHELL + "mkdir -p a/b && touch a/b/c && chmod 000 a/b a .\n")
    assert outcome.code == 0


async def test_links_in_the_folder_are_not_copied(folder: Path) -> None:
    (folder / "secret").symlink_to("/etc/passwd")
    (folder / "etc").symlink_to("/etc")
    assert await told(folder, "sorted(os.listdir('.'))") == ["scripts"]


async def test_output_is_kept_to_the_byte_and_the_rest_counted(folder: Path) -> None:
    limits = ScriptLimits(output=1000)
    text = SHELL + "head -c {} /dev/zero | tr '\\0' x\n"
    assert await ran(folder, text.format(1000), limits=limits) == Outcome(0, "x" * 1000, "", 0)
    assert await ran(folder, text.format(1001), limits=limits) == Outcome(0, "x" * 1000, "", 1)
    both = await ran(folder, SHELL + "head -c 900 /dev/zero\nsleep 0.2\nhead -c 900 /dev/zero >&2\n", limits=limits)
    assert (len(both.stdout), len(both.stderr), both.left_out) == (900, 100, 800)


async def test_much_output_at_the_end_is_not_lost(folder: Path) -> None:
    outcome = await ran(
        folder, "import sys\nsys.stdout.write('x' * 65536)\n", "run.py", limits=ScriptLimits(output=70000)
    )
    assert (len(outcome.stdout), outcome.left_out) == (65536, 0)


async def test_output_that_is_no_text_is_shown_as_far_as_it_can_be(folder: Path) -> None:
    assert (await ran(folder, SHELL + "printf 'a\\377b'\n")).stdout == "a\ufffdb"


WHO = "import sys; print(sys.executable)\n"
RUN_BY = {
    "python by its ending": ("a.py", WHO, sys.executable),
    "python by env": ("a", "#!/usr/bin/env python3\n" + WHO, sys.executable),
    "python by env with arguments": ("a", "#!/usr/bin/env -S python3 -u\n" + WHO, sys.executable),
    "python by its path": ("a.sh", "#!/opt/nowhere/python3.9\n" + WHO, sys.executable),
    "line ends of Windows": ("a.py", "#!/usr/bin/env python3\r\n" + WHO, sys.executable),
    "shell by its ending": ("a.sh", "echo shell\n", "shell"),
    "shell by its path": ("a.py", SHELL + "echo shell\n", "shell"),
    "shell by env": ("a", "#! /usr/bin/env sh\necho shell\n", "shell"),
    "another program": ("a.txt", "#!/bin/cat -n\n", "1\t#!/bin/cat -n"),
}


@pytest.mark.parametrize(("name", "text", "says"), RUN_BY.values(), ids=RUN_BY)
async def test_its_first_line_or_its_ending_says_what_runs_it(folder: Path, name: str, text: str, says: str) -> None:
    outcome = await ran(folder, text, name)
    assert (outcome.code, outcome.stdout.strip()) == (0, says)


NOT_RUN = {
    "no ending": ("a", "echo\n"),
    "another ending": ("a.rb", "puts 1\n"),
    "a program that is not there": ("a", "#!/usr/bin/env ruby-of-nobody\n"),
    "a path that is not there": ("a", "#!/opt/nowhere/ruby\n"),
    "a program of the skill": ("a", "#!scripts/b\n"),
    "a program of the skill by env": ("a", "#!/usr/bin/env ./scripts/b\n"),
    "nothing behind the mark": ("a", "#!\n"),
    "bytes": ("a", "#!\xff\n"),
}


@pytest.mark.parametrize(("name", "text"), NOT_RUN.values(), ids=NOT_RUN)
async def test_what_nothing_here_runs_is_refused(folder: Path, name: str, text: str) -> None:
    (folder / "scripts/b").write_text(SHELL)
    (folder / "scripts/b").chmod(0o755)
    with pytest.raises(NotRunnable, match=f"Nothing here runs scripts/{name}"):
        await ran(folder, text, name)


@pytest.mark.parametrize(
    "path",
    [
        "SKILL.md",
        "scripts",
        "scripts/",
        "scripts/none.sh",
        "scripts/../run.sh",
        "../run.sh",
        "/bin/ls",
        "",
        "scripts/in",
    ],
)
async def test_what_is_no_script_of_the_skill_is_refused(folder: Path, path: str) -> None:
    (folder / "SKILL.md").write_text(SHELL)
    (folder / "run.sh").write_text(SHELL)
    (folder / "scripts/in").mkdir()
    with pytest.raises(NotRunnable):
        await run(folder, path, [], LIMITS, copies=folder.parent / "copies")
    assert os.listdir(folder.parent / "copies") == []


async def test_a_script_that_is_a_link_is_refused(folder: Path) -> None:
    (folder / "scripts/run.sh").symlink_to("/bin/ls")
    with pytest.raises(NotRunnable, match="no script"):
        await run(folder, "scripts/run.sh", [], LIMITS)


@pytest.mark.parametrize("arguments", [["a\0b"], ["\ud800"], ["a"] * 65, ["a" * 32769]])
async def test_arguments_that_cannot_be_passed_on_are_refused(folder: Path, arguments: list[str]) -> None:
    with pytest.raises(NotRunnable):
        await ran(folder, SHELL, arguments=arguments)


async def test_a_folder_that_is_gone_is_told(folder: Path) -> None:
    with pytest.raises(NotRunnable, match="could not be started"):
        await run(folder / "gone", "scripts/run.sh", [], LIMITS)


def test_a_folder_with_more_than_the_copy_may_hold_is_not_read_whole(folder: Path) -> None:
    (folder / "a").write_bytes(b"x" * 60)
    (folder / "b").write_bytes(b"x" * 40)
    assert disk.snapshot(folder, 100) == {"a": b"x" * 60, "b": b"x" * 40}
    with pytest.raises(disk.TooLarge):
        disk.snapshot(folder, 99)
