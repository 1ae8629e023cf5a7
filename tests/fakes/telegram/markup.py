"""Rules of a reply_markup that the schema cannot tell, in Telegram's words."""

from tests.fakes.telegram.errors import Json, wrong

_ACTIONS = frozenset(
    [
        "url",
        "callback_data",
        "web_app",
        "login_url",
        "switch_inline_query",
        "switch_inline_query_current_chat",
        "switch_inline_query_chosen_chat",
        "copy_text",
        "callback_game",
        "pay",
        "disabled",
    ]
)
_STYLES = ("primary", "success", "danger")
_MAX_DATA_BYTES = 64
_MAX_BUTTONS = 100
_MAX_ROW = 8


def inline_keyboard(markup: object) -> Json | None:
    """The markup to keep with the message: an inline keyboard with a button, or None. Raises ApiError."""
    if markup is None:
        return None
    if isinstance(markup, str):
        if markup == "":
            return None
        raise wrong("can't parse reply keyboard markup JSON object")
    if not isinstance(markup, dict):
        raise wrong("object expected as reply markup")
    rows = markup.get("inline_keyboard")
    if rows is None:
        return None
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise wrong('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays')
    for row in rows:
        if len(row) > _MAX_ROW:
            raise wrong("reply markup is too long", f"{len(row)} buttons in a row; clients show {_MAX_ROW}")
        for button in row:
            _check_button(button)
    kept = [row for row in rows if row]
    if sum(map(len, kept)) > _MAX_BUTTONS:
        raise wrong("reply markup is too long")
    return {"inline_keyboard": kept} if kept else None


def _check_button(button: object) -> None:
    if not isinstance(button, dict):
        raise wrong("can't parse inline keyboard button: InlineKeyboardButton must be an Object")
    text = button.get("text")
    if not isinstance(text, str):
        raise wrong("can't parse inline keyboard button: Can't find field \"text\"")
    if not text.strip():
        raise wrong("inline keyboard button text must be non-empty")
    if button.get("style", "primary") not in _STYLES:
        raise wrong("can't parse inline keyboard button: invalid button style specified")
    actions = _ACTIONS & button.keys()
    if not actions:
        raise wrong("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    if len(actions) > 1:
        raise wrong("can't parse inline keyboard button: only one action is allowed", "a button does exactly one thing")
    data = button.get("callback_data")
    if data is not None and not (isinstance(data, str) and 0 < len(data.encode()) <= _MAX_DATA_BYTES):
        raise wrong("BUTTON_DATA_INVALID", "callback_data is 1-64 bytes")
