"""`${NAME}` and `${NAME:-default}` from the environment, and from `.env` beside the file."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.config.mistakes import Mistake
from channels.config import Written

_VARIABLE = re.compile(r"(?P<escape>\$)?\$\{(?P<inside>[^}]*)\}")
_INSIDE = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>.*))?", re.DOTALL)
_ASSIGNMENT = re.compile(r"(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?P<value>.*)")


def parse_dotenv(text: str) -> tuple[dict[str, str], list[Mistake]]:
    """Lines of `NAME=value`, the value bare, in 'single' or in "double" quotes; # begins a comment.

    The value of a line is never in a mistake: it may be a secret.
    """
    values: dict[str, str] = {}
    mistakes: list[Mistake] = []
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _ASSIGNMENT.fullmatch(stripped)
        value = _unquoted(match["value"]) if match else None
        if match is None or value is None:
            what = "holds a line that cannot be read"
            mistakes.append(Mistake(".env", number, what, 'Write NAME=value or NAME="value", one a line.'))
            continue
        values[match["name"]] = value
    return values, mistakes


def _unquoted(text: str) -> str | None:
    if text[:1] in ("'", '"'):
        body, quote, rest = text[1:].partition(text[0])
        if not quote or (rest.strip() and not rest.strip().startswith("#")):
            return None
        return body
    return re.split(r"\s#", text, maxsplit=1)[0].strip()


@dataclass(slots=True)
class Filler:
    """Fills variables in. A variable that is missing becomes a mistake and stays as it was written."""

    environ: Mapping[str, str]
    mistakes: list[Mistake] = field(default_factory=list)

    @staticmethod
    def references(text: str) -> list[str]:
        """The names of the variables that `text` asks for."""
        inner = [_INSIDE.fullmatch(match["inside"]) for match in _VARIABLE.finditer(text) if not match["escape"]]
        return [match["name"] for match in inner if match is not None]

    def __call__(self, text: str, key: str, line: int) -> Written:
        """`$${` stands for `${`."""

        def filled(match: re.Match[str], *, literal: bool) -> str:
            if match["escape"]:
                return match[0][1:]
            inside = _INSIDE.fullmatch(match["inside"])
            if inside is None:
                return match[0] if literal else self._malformed(match[0], key, line)
            default = inside["default"]
            if literal:
                return default or ""
            value = self.environ.get(inside["name"])
            if value or default is None:
                return self._missing(match[0], inside["name"], key, line) if value is None else value
            return default

        return Written(
            _VARIABLE.sub(lambda match: filled(match, literal=False), text),
            _VARIABLE.sub(lambda match: filled(match, literal=True), text),
        )

    def _missing(self, written: str, name: str, key: str, line: int) -> str:
        what = f"needs the variable {name}, which is not set"
        remedy = (
            f"Set {name} in the environment or in .env beside the file, or write ${{{name}:-}} where it may be empty."
        )
        self.mistakes.append(Mistake(key, line, what, remedy))
        return written

    def _malformed(self, written: str, key: str, line: int) -> str:
        what = "holds ${…} around something that is not the name of a variable"
        remedy = "Write ${NAME} or ${NAME:-default}; where ${ itself is meant, write $${."
        self.mistakes.append(Mistake(key, line, what, remedy))
        return written
