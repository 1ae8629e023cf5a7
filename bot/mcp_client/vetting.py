"""Which commands may be started, and how. Whatever is judged here is what runs: the resolved path and these arguments."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.config.mcp import McpServerConfig
from bot.mcp_client.runners import run_within
from bot.mcp_client.words import Refused

INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""All that a server's process gets of our environment; the same that the SDK lets through."""

_SHELLS = frozenset(
    ("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "busybox", "toybox", "pwsh", "cmd")
)
_WRAPPERS = frozenset(
    ("env", "xargs", "nohup", "setsid", "timeout", "stdbuf", "nice", "ionice", "sudo", "doas", "su", "runuser", "flock",
     "script", "watch", "time", "strace", "unshare", "nsenter", "chroot", "parallel", "ssh", "eval", "exec", "find", "awk",
     "gawk", "mawk", "sed", "vi", "vim", "ed", "make", "socat", "nc", "expect", "chrt", "taskset", "setarch", "systemd-run",
     "tmux", "screen", "gdb", "ltrace", "fakeroot", "git", "tar")
)  # fmt: skip
"""They start what their arguments say, or evaluate it."""

_EVALUATING: Mapping[str, re.Pattern[str]] = {
    "python": re.compile(r"-[bBdEhiIOPqsSuvVx]*c.*"),
    "node": re.compile(
        r"-[a-z]*[epr].*|--eval.*|--print.*|--require.*|--import.*|--loader.*|--experimental-loader.*|--inspect.*|--env-file.*"
    ),
    "tsx": re.compile(r"-[a-z]*[epr].*|--eval.*|--print.*|--require.*|--import.*|--loader.*"),
    "ts-node": re.compile(r"-[a-z]*[epr].*|--eval.*|--print.*|--require.*|--import.*|--loader.*"),
    "ipython": re.compile(r"-c.*|--InteractiveShellApp.*|--ext.*"),
    "rscript": re.compile(r"-e.*"),
    "bun": re.compile(r"-[a-z]*[epr].*|--eval.*|--print.*|--preload.*|--require.*"),
    "deno": re.compile(r"eval|repl|--preload.*|--import.*|data:.*|blob:.*"),
    "ruby": re.compile(r"-[a-zA-Z]*[er].*"),
    "perl": re.compile(r"-[a-zA-Z0-9]*[eEMm].*"),
    "php": re.compile(r"-[a-z]*[rBRE].*|-d.*|--run.*|--define.*"),
    "lua": re.compile(r"-[el].*"),
    "julia": re.compile(r"-[eEL].*|--eval.*|--print.*|--load.*"),
    "java": re.compile(r"-javaagent.*|-agentlib.*|-agentpath.*|@.*"),
    "npx": re.compile(
        r"-[ypqsdfglhv]*c.*|--call.*|--node-options.*|--node-arg.*|-n.*|--shell.*|--script-shell.*|--userconfig.*|--globalconfig.*"
    ),
    "npm": re.compile(
        r"-[ypqsdfglhv]*c.*|--call.*|--node-options.*|--shell.*|--script-shell.*|--userconfig.*|--globalconfig.*"
    ),
    "pnpm": re.compile(r"-c.*|--call.*|--shell-mode.*|--node-options.*"),
    "yarn": re.compile(r"--node-options.*"),
    "uv": re.compile(
        r"-c|--command.*|--env-file.*|--config-file.*|--(?:default-|extra-)?index.*|--find.*"
    ),
    "uvx": re.compile(r"--env-file.*|--config-file.*|--(?:default-|extra-)?index.*|--find.*"),
    "docker": re.compile(r"--privileged.*|--pid.*|--entrypoint.*|--cap-add.*|--device.*|--security-opt.*"),
    "podman": re.compile(r"--privileged.*|--pid.*|--entrypoint.*|--cap-add.*|--device.*|--security-opt.*"),
}  # fmt: skip
"""By program, without its version: flags that evaluate what follows, or load code from elsewhere."""

_LOADERS = re.compile(
    r"LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|GLIBC_TUNABLES|HOSTALIASES|RESOLV_HOST_CONF"
    r"|PATH|SHELL|IFS|ENV|BASH_ENV|BASH_FUNC.*|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|CDPATH|ZDOTDIR"
    r"|PYTHON(?!UNBUFFERED$|IOENCODING$|UTF8$|DONTWRITEBYTECODE$|HASHSEED$|WARNINGS$).*"
    r"|NODE_OPTIONS|NODE_PATH|NODE_REPL_.*|NODE_EXTRA_CA_CERTS|npm_config_.*|NPM_CONFIG_.*|BUN_OPTIONS|DENO_.*"
    r"|RUBYOPT|RUBYLIB|PERL5OPT|PERL5LIB|PERL5DB|PERLLIB|PHPRC|PHP_INI_SCAN_DIR|LUA_INIT.*|LUA_PATH|LUA_CPATH|JULIA_LOAD_PATH"
    r"|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|CORECLR_.*|COR_.*"
    r"|GIT_SSH.*|GIT_EXEC_PATH|GIT_CONFIG.*|GIT_ASKPASS|GIT_EXTERNAL_DIFF|GIT_PAGER|GIT_EDITOR|SSH_ASKPASS"
    r"|EDITOR|VISUAL|PAGER|BROWSER|LESSOPEN|LESSCLOSE|UV_.*|PIP_.*|ASKFIRST_.*",
    re.IGNORECASE,
)
"""Variables that make a program run or load something else than its arguments say."""

_ALIKE: Mapping[str, str] = {"nodejs": "node", "pythonw": "python", "pypy": "python", "bunx": "bun", "pnpx": "pnpm"}
"""Programs that take what another one takes."""

_MODULE = re.compile(r"-[bBdEhiIOPqsSuvVx]*m(.*)")
_EVALUATING_MODULES = frozenset(("timeit", "pdb", "code", "asyncio", "IPython"))
"""Modules of Python that evaluate what their arguments, or their input, say."""

_NOTHING = re.compile(r"(?!)")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VERSION = re.compile(r"[-_.]?\d[\d.]*$|\.exe$|\.cmd$|\.bat$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Launch:
    """What is started, to the letter."""

    program: str
    args: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str | None


def launch(spec: McpServerConfig, environ: Mapping[str, str]) -> Launch:
    """The process that a filled configuration means, looked up on our own PATH. Raises Refused."""
    program = _resolved(spec.command, environ)
    for name in {_bare(spec.command), _bare(program), _bare(os.path.realpath(program))}:
        _allowed(name, spec.args)
    for text in (program, *spec.args, spec.cwd, *spec.env.values()):
        if "\0" in text:
            raise Refused("The command holds a character that no command can hold, so it was not started.")
    for name in spec.env:
        if not _VARIABLE.fullmatch(name) or _LOADERS.fullmatch(name):
            raise Refused(
                f"The variable {name!r} could make the process load something else than its command says, so it was not "
                "started. Take it out of env."
            )
    base = {name: environ[name] for name in INHERITED if name in environ and not environ[name].startswith("()")}
    return Launch(program, spec.args, {**base, **spec.env}, _directory(spec.cwd))


def _resolved(command: str, environ: Mapping[str, str]) -> str:
    if os.path.isabs(command):
        if os.path.normpath(command) != command:
            raise Refused(f"The command {command!r} is a roundabout path. Write it straight, without . and ..")
        if not (os.path.isfile(command) and os.access(command, os.X_OK)):
            raise Refused(f"The command {command!r} is not a program on this machine.")
        return command
    if os.sep in command or command.startswith("."):
        raise Refused(
            f"The command {command!r} is a relative path, which could be anything. Write an absolute path, or the name of "
            "a program on the PATH of the service."
        )
    path = os.pathsep.join(part for part in environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(part))
    found = shutil.which(command, path=path)
    if found is None:
        raise Refused(
            f"The command {command!r} is not on the PATH of the service. Install it, or write the absolute path of the "
            "program."
        )
    return found


def _bare(program: str) -> str:
    """`python` of /usr/bin/python3.11."""
    return _VERSION.sub("", os.path.basename(program)).lower() or program


def _allowed(name: str, args: tuple[str, ...]) -> None:
    if name in _SHELLS:
        raise Refused(
            f"{name} is a shell, and would run whatever its arguments say, so it was not started. Write the program itself "
            "as the command."
        )
    if name in _WRAPPERS:
        raise Refused(
            f"{name} starts or evaluates what its arguments say, so it was not started. Write the program itself as the "
            "command."
        )
    known = _ALIKE.get(name, name)
    evaluating = _EVALUATING.get(known, _NOTHING)
    for arg in _own(known, args):
        if evaluating.fullmatch(arg):
            raise _evaluates(name, arg)
    for module in _modules(known, args):
        if module in _EVALUATING_MODULES:
            raise _evaluates(name, module)
    for inner, rest in run_within(name, args):
        _allowed(_bare(inner), rest)


def _evaluates(name: str, arg: str) -> Refused:
    return Refused(
        f"The argument {arg.partition('=')[0]!r} makes {name} evaluate text or load code from elsewhere, so it was not "
        "started. Put the program into a file and name that."
    )


def _modules(name: str, args: tuple[str, ...]) -> Iterator[str]:
    """The modules that Python is asked to run."""
    if name not in ("python", "uv", "uvx"):
        return
    for arg, after in zip(_own(name, args), (*args[1:], ""), strict=False):
        found = _MODULE.fullmatch(arg)
        if found is not None or arg.partition("=")[0] == "--module":
            yield (found[1] if found is not None else arg.partition("=")[2]) or after


def _own(name: str, args: tuple[str, ...]) -> Iterator[str]:
    """The arguments that may be the program's own: up to the script that it is to run. A word behind a flag may be the
    value of the flag, so it ends nothing, save where the flag takes none. Others than interpreters: all of them."""
    before = ""
    for arg in args:
        if name in _INTERPRETERS and before == "-m":
            return
        takes_a_value = before.startswith("-") and not _SWITCH.fullmatch(before)
        if name in _INTERPRETERS and not arg.startswith("-") and not takes_a_value:
            return
        yield arg
        before = arg


_INTERPRETERS = frozenset(
    ("python", "ipython", "node", "tsx", "ts-node", "rscript", "ruby", "perl", "php", "lua", "julia")
)
_SWITCH = re.compile(r"-[bBdEiIOPqsSuvx]+|--enable-source-maps|--no-warnings|--")


def _directory(cwd: str) -> str | None:
    if not cwd:
        return None
    if not os.path.isabs(cwd) or not Path(cwd).is_dir():
        raise Refused(f"The directory {cwd!r} (cwd) is not there, or not an absolute path, so nothing was started.")
    return cwd
