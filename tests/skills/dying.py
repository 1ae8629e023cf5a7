"""Changes libraries in processes that are killed at their nth step on the disk.

Reads lines `<change> <step> <library>`, forks a process for each, and answers each with a line: the signal that ended it, or 0
if it got through before that step. `python -m tests.skills.dying`
"""

import os
import signal
import sys
from pathlib import Path

from skills.library import Library, builtin_directory
from skills.skill_md import packed
from tests.skills.shelves import package, skill

STEPS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree")


def die_at(directory: Path, step: int) -> None:
    """Kill this process at its nth step that concerns the library."""
    left = step

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        concerns = arguments and str(directory) in str(arguments[0])
        if event not in STEPS or not (concerns or event in ("os.remove", "os.rmdir")):
            return
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def make(change: str, directory: Path, step: int) -> None:
    library = Library(directory, builtin_directory())
    made = packed(skill("b", "New."))
    die_at(directory, step)
    match change:
        case "replace":
            library.replace([package("a", new_md=b"new"), made, package("c", new_md=b"new")])
        case "install":
            library.install([package("d", new_md=b"new"), package("e")])
        case "delete":
            library.delete("a")
        case "amend":
            library.amend(skill("b", "New."))
        case "open":
            library.open()


def main() -> None:
    for line in sys.stdin:
        change, step, directory = line.rstrip("\n").split(" ", 2)
        pid = os.fork()
        if pid == 0:
            make(change, Path(directory), int(step))
            os._exit(0)
        _pid, status = os.waitpid(pid, 0)
        print(os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True)


if __name__ == "__main__":
    main()
