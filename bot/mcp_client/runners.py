"""Programs that run another program, which they are named and perhaps fetch: what that is, and what it is told."""

import os
import re
from collections.abc import Iterator

RUNNERS = frozenset(
    ("npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx", "corepack", "deno", "uv", "uvx", "pipx", "poetry", "pdm", "hatch",
     "rye", "pixi", "conda", "mamba", "micromamba", "mise", "asdf")
)  # fmt: skip
_VERBS = frozenset(("run", "exec", "x", "dlx", "tool", "npm", "pnpm", "yarn", "bun", "workspace"))
"""Words before the name of the program."""
_VALUED = frozenset(
    ("-p", "--package", "--from", "--with", "--python", "--directory", "--project", "--prefix", "--cache", "--extra", "--group")
)  # fmt: skip
"""Flags of theirs that are followed by a value which names no program to run."""
_SWITCH = re.compile(r"-[yqs]+|--(?:yes|quiet|silent|offline|prefer-offline|no-install|isolated|bun)?|-.*=.*")
"""… that are followed by none. Of all others we cannot tell."""


def run_within(runner: str, args: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each program that `runner` may be asked to run by these arguments, as it is written, with the arguments after it."""
    if runner not in RUNNERS:
        return
    before = ""
    for index, arg in enumerate(args):
        if not arg.startswith("-") and before not in _VALUED and arg not in _VERBS:
            yield _unpinned(arg), args[index + 1 :]
            if not before.startswith("-") or _SWITCH.fullmatch(before):
                return
        before = arg


def _unpinned(program: str) -> str:
    """`node` of `node@22`, `python` of `python==3.12`; a scope is no version."""
    name = os.path.basename(program)
    return name[:1] + name[1:].partition("@")[0].partition("==")[0]
