"""A process that changes a library and is killed at its nth step on the disk. Prints nothing; ends with 0 if it got through.

python -m tests.skills.dying <library> <change> <step>
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


def main(directory: Path, change: str, step: int) -> None:
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


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
