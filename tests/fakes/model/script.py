"""What the scripted model can be told to answer, and what it remembers of each request."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Call(_Frozen):
    """A tool call. `id` None: a fresh one; "" and doubles are sent as they are. `arguments` as text is sent raw, so
    that it may be broken."""

    name: str
    arguments: dict[str, Any] | str = {}
    id: str | None = None


class Reply(_Frozen):
    """One answer. In `text`, `{user}` and `{result}` stand for the last words and the last result.

    Before it: `delay` seconds, `hold` until that name is released, `hang_up` closes without a word.
    Instead of it: `status` with `code`, `message`, `retry_after`; `raw_body` (status 200); `no_choices`.
    Within a stream: `pieces` (exact pieces of text) or `piece` characters each; `drip` seconds between the chunks;
    after that many chunks `cut_after` drops the connection, `end_after` ends the stream as if all was said,
    `error_after` sends an error event (`code`), `hold_after` waits for `hold`.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    finish: Literal["", "length", "content_filter"] = ""
    usage: tuple[int, int] | None = (11, 7)
    status: int = 200
    code: str = ""
    message: str = "scripted failure"
    retry_after: float | None = None
    raw_body: str | None = None
    no_choices: bool = False
    delay: float = 0.0
    hold: str = ""
    hang_up: bool = False
    pieces: tuple[str, ...] = ()
    piece: int = 8
    drip: float = 0.0
    cut_after: int | None = None
    end_after: int | None = None
    error_after: int | None = None
    hold_after: int | None = None


class Rule(_Frozen):
    """Answers every request that fits, `times` times at most (0: without end).

    contains: in the last words of a person (in any case) · after: whether the request ends with words or with results ·
    result: in the last result · system: in the instructions.
    """

    contains: str = ""
    after: Literal["words", "results", "either"] = "words"
    result: str = ""
    system: str = ""
    times: int = 0
    reply: Reply


class Asked(_Frozen):
    """A request as it came, whatever its wire; times are `time.monotonic()` of the server. `ended` is None while it
    is being answered; `how` says how it ended."""

    n: int
    wire: Literal["openai", "anthropic"]
    at: float
    body: Any
    headers: dict[str, str]
    faults: tuple[str, ...] = ()
    ended: float | None = None
    how: Literal["", "answered", "refused", "left", "cut"] = ""


class Heard(_Frozen):
    """What a request says, whatever its wire: the part that rules look at."""

    system: str = ""
    words: str = ""
    result: str = ""
    ends_with: Literal["words", "results"] = "words"
    stream: bool = False
    wants_usage: bool = False
    model: str = ""


def fails(status: int, code: str = "", retry_after: float | None = None, message: str = "scripted failure") -> Reply:
    """An answer that is a refusal."""
    return Reply(status=status, code=code, retry_after=retry_after, message=message)


def calls(name: str, arguments: dict[str, Any] | str | None = None, text: str = "") -> Reply:
    """An answer with one tool call, whose id is fresh each time."""
    return Reply(text=text, calls=(Call(name=name, arguments={} if arguments is None else arguments),))
